// SPDX-License-Identifier: MIT
//
// What a call says beside its arguments, and how calls are written: markers, and CallPart.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <kgen/argument.hpp>
#include <kgen/stream.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kgen {

// How one call differs from the default.
struct CallOptions {
    std::vector<Array> outputs = {};        // given outputs, all of them or none
    std::optional<std::int64_t> size = {};  // the number of elements, where all arrays are raw
    std::optional<Stream> stream = {};      // current_stream() of the arrays' device
    std::optional<int> block_size = {};     // threads of a block (CUDA)
    std::optional<Device> device = {};      // where no array says it: current_device()
    // Of a reduction: the axes that it folds, in any order, negative ones from the end; none: all
    // axes, an empty list: nothing is folded.
    std::optional<std::vector<int>> axes = {};
    bool keepdims = false;  // of a reduction: folded axes stay, with extent 1
};

// Markers among the arguments of operator() and bind(): they set the call's options. Of a variable
// they hold its address, to be used before it goes: kernel(x, out(z)).
struct OutputArgument {
    Array array;
};
struct OutputReference {
    const Array* array;
};
struct StreamArgument {
    Stream stream;
};
struct StreamReference {
    const Stream* stream;
};
struct SizeArgument {
    std::int64_t size;
};
struct BlockSizeArgument {
    int block_size;
};
class AxesArgument {
public:
    // Throws ShapeError if there are more axes than an array can have.
    KGEN_EXPORT explicit AxesArgument(std::span<const int> axes);
    std::span<const int> axes() const noexcept { return {axes_.data(), count_}; }

private:
    std::array<int, max_rank> axes_;
    std::size_t count_;
};
struct KeepdimsArgument {};
inline OutputReference out(const Array& array) noexcept {
    return {&array};
}
inline OutputArgument out(Array&& array) noexcept {
    return {std::move(array)};
}
inline StreamReference on(const Stream& stream) noexcept {
    return {&stream};
}
inline StreamArgument on(Stream&& stream) noexcept {
    return {std::move(stream)};
}
inline SizeArgument size(std::int64_t count) {
    return {count};
}
inline BlockSizeArgument block_size(int threads) {
    return {threads};
}
// sum(x, axis(1)), sum(x, axis({0, -1})), sum(x, axis(some_vector), keepdims).
inline AxesArgument axis(int one) {
    return AxesArgument({&one, 1});
}
inline AxesArgument axis(std::initializer_list<int> several) {
    return AxesArgument({several.begin(), several.size()});
}
inline AxesArgument axis(std::span<const int> several) {
    return AxesArgument(several);
}
inline constexpr KeepdimsArgument keepdims = {};

// One thing between the parentheses of operator(), an argument or a marker. It borrows arrays,
// images and streams, so that writing a call copies none, and is good until the end of the full expression.
class CallPart {
public:
    enum class Kind : std::uint8_t {
        array,
        spec,
        number,  // the last argument
        output,
        stream,
        size,
        block_size,
        axes,
        kept_axes,
    };

    CallPart(const Array& array) noexcept : kind_(Kind::array), array_(&array) {}      // NOLINT
    CallPart(const ArraySpec& spec) noexcept : kind_(Kind::spec), spec_(&spec) {}      // NOLINT
    CallPart(const Scalar& number) noexcept : kind_(Kind::number), scalar_(number) {}  // NOLINT
    template <ScalarType T>
    CallPart(T number) noexcept : kind_(Kind::number), scalar_(number) {}  // NOLINT
    // A texture or surface is the number that CUDA knows it by.
    CallPart(const Texture& texture) noexcept  // NOLINT
        : kind_(Kind::number), image_(texture.memory().get()), scalar_(texture.handle()) {}
    CallPart(const Surface& surface) noexcept  // NOLINT
        : kind_(Kind::number), image_(surface.memory().get()), scalar_(surface.handle()) {}
    CallPart(const Argument& argument) noexcept : kind_(Kind::array), array_(nullptr) {  // NOLINT
        if (argument.array() != nullptr) {
            array_ = argument.array();
        } else if (argument.spec() != nullptr) {
            kind_ = Kind::spec;
            spec_ = argument.spec();
        } else {
            kind_ = Kind::number;
            scalar_ = *argument.scalar();
            image_ = argument.image().get();
        }
    }
    CallPart(const OutputArgument& output) noexcept  // NOLINT
        : kind_(Kind::output), array_(&output.array) {}
    CallPart(const OutputReference& output) noexcept  // NOLINT
        : kind_(Kind::output), array_(output.array) {}
    CallPart(const StreamArgument& stream) noexcept  // NOLINT
        : kind_(Kind::stream), stream_(&stream.stream) {}
    CallPart(const StreamReference& stream) noexcept  // NOLINT
        : kind_(Kind::stream), stream_(stream.stream) {}
    CallPart(SizeArgument size) noexcept : kind_(Kind::size), count_(size.size) {}  // NOLINT
    CallPart(BlockSizeArgument size) noexcept                                       // NOLINT
        : kind_(Kind::block_size), count_(size.block_size) {}
    CallPart(const AxesArgument& axes) noexcept : kind_(Kind::axes), axes_(&axes) {}  // NOLINT
    CallPart(KeepdimsArgument) noexcept : kind_(Kind::kept_axes), count_(1) {}        // NOLINT

    Kind kind() const noexcept { return kind_; }
    bool is_argument() const noexcept { return kind_ <= Kind::number; }
    // Of the kind that the name says, else nullptr.
    const Array* array() const noexcept { return kind_ == Kind::array ? array_ : nullptr; }
    const ArraySpec* spec() const noexcept { return kind_ == Kind::spec ? spec_ : nullptr; }
    const Scalar* scalar() const noexcept { return kind_ == Kind::number ? &scalar_ : nullptr; }
    // The image that the number stands for; nullptr if this is no texture or surface.
    TextureMemory* image() const noexcept { return image_; }
    const Array* output() const noexcept { return kind_ == Kind::output ? array_ : nullptr; }
    const Stream* stream() const noexcept { return kind_ == Kind::stream ? stream_ : nullptr; }
    const AxesArgument* axes() const noexcept { return kind_ == Kind::axes ? axes_ : nullptr; }
    // Of a size or a block_size.
    std::int64_t count() const noexcept { return count_; }

private:
    Kind kind_;
    TextureMemory* image_ = nullptr;
    union {
        const Array* array_;
        const ArraySpec* spec_;
        const Stream* stream_;
        const AxesArgument* axes_;
        std::int64_t count_;
        Scalar scalar_;
    };
};

}  // namespace kgen
