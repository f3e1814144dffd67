// SPDX-License-Identifier: MIT
//
// CallOptions: the options of a kernel call. Markers such as out(z) set them among the arguments; a CallPart
// is one argument or marker of a call.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <kgen/argument.hpp>
#include <kgen/stream.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kgen {

// Options of one call.
struct CallOptions {
    std::vector<Array> outputs = {};        // arrays to write to: all outputs or none
    std::optional<std::int64_t> size = {};  // number of elements, if all arrays are raw
    std::optional<Stream> stream = {};      // default: current_stream() of the call's device
    std::optional<int> block_size = {};     // threads per thread block (CUDA)
    // Default: the device of the arrays, else of the stream, else current_device().
    std::optional<Device> device = {};
    // Axes that a reduction reduces, in any order; negative axes count from the end. Without a value all
    // axes are reduced; with an empty list none.
    std::optional<std::vector<int>> axes = {};
    bool keepdims = false;  // reductions: the result keeps the reduced axes with extent 1
};

// Markers among the arguments of operator() and bind(). They set the call's options: kernel(x, out(z)). A
// marker made from a variable holds its address, so the variable must outlive the marker.
struct OutputArgument {
    Array array;
};
struct OutputReference {
    const Array* array;
};
struct OutputsArgument {
    std::vector<Array> arrays;
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
// Several outputs at once: split(x, out(lo, hi)).
template <std::derived_from<Array>... More>
OutputsArgument out(const Array& first, const Array& second, const More&... more) {
    return {{first, second, more...}};
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
// Examples: sum(x, axis(1)), sum(x, axis({0, -1})), sum(x, axis(some_vector), keepdims).
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

namespace detail {

// A shape that the loop of a call broadcasts to, beside those of its arrays. Used for kernels whose texts draw random numbers.
struct LoopShape {
    const Dims* shape;
};

}  // namespace detail

// One argument or marker between the parentheses of operator(). It borrows arrays, images and streams, so a
// call copies none of them. It is valid until the end of the full expression.
class CallPart {
public:
    enum class Kind : std::uint8_t {
        array,
        spec,
        number,  // last of the arguments; the kinds below are markers
        output,
        outputs,
        stream,
        size,
        block_size,
        axes,
        kept_axes,
        loop_shape,
    };

    CallPart(const Array& array) noexcept : kind_(Kind::array), array_(&array) {}      // NOLINT
    CallPart(const ArraySpec& spec) noexcept : kind_(Kind::spec), spec_(&spec) {}      // NOLINT
    CallPart(const Scalar& number) noexcept : kind_(Kind::number), scalar_(number) {}  // NOLINT
    template <ScalarType T>
    CallPart(T number) noexcept : kind_(Kind::number), scalar_(number) {}  // NOLINT
    // Passes a texture or surface to the kernel as its CUDA handle.
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
    CallPart(const OutputsArgument& outputs) noexcept  // NOLINT
        : kind_(Kind::outputs), outputs_(&outputs) {}
    CallPart(const StreamArgument& stream) noexcept  // NOLINT
        : kind_(Kind::stream), stream_(&stream.stream) {}
    CallPart(const StreamReference& stream) noexcept  // NOLINT
        : kind_(Kind::stream), stream_(stream.stream) {}
    CallPart(SizeArgument size) noexcept : kind_(Kind::size), count_(size.size) {}  // NOLINT
    CallPart(BlockSizeArgument size) noexcept                                       // NOLINT
        : kind_(Kind::block_size), count_(size.block_size) {}
    CallPart(const AxesArgument& axes) noexcept : kind_(Kind::axes), axes_(&axes) {}  // NOLINT
    CallPart(KeepdimsArgument) noexcept : kind_(Kind::kept_axes), count_(1) {}        // NOLINT

    CallPart(detail::LoopShape loop) noexcept
        : kind_(Kind::loop_shape), shape_(loop.shape) {}  // NOLINT

    Kind kind() const noexcept { return kind_; }
    bool is_argument() const noexcept { return kind_ <= Kind::number; }
    // The accessors below return nullptr if the part is of another kind.
    const Array* array() const noexcept { return kind_ == Kind::array ? array_ : nullptr; }
    const ArraySpec* spec() const noexcept { return kind_ == Kind::spec ? spec_ : nullptr; }
    const Scalar* scalar() const noexcept { return kind_ == Kind::number ? &scalar_ : nullptr; }
    // Returns the image of a texture or surface; nullptr for other parts.
    TextureMemory* image() const noexcept { return image_; }
    const Array* output() const noexcept { return kind_ == Kind::output ? array_ : nullptr; }
    const OutputsArgument* outputs() const noexcept {
        return kind_ == Kind::outputs ? outputs_ : nullptr;
    }
    const Stream* stream() const noexcept { return kind_ == Kind::stream ? stream_ : nullptr; }
    const AxesArgument* axes() const noexcept { return kind_ == Kind::axes ? axes_ : nullptr; }
    const Dims* loop_shape() const noexcept { return kind_ == Kind::loop_shape ? shape_ : nullptr; }
    // Returns the value of a size or a block_size.
    std::int64_t count() const noexcept { return count_; }

private:
    Kind kind_;
    TextureMemory* image_ = nullptr;
    union {
        const Array* array_;
        const ArraySpec* spec_;
        const OutputsArgument* outputs_;
        const Stream* stream_;
        const AxesArgument* axes_;
        const Dims* shape_;
        std::int64_t count_;
        Scalar scalar_;
    };
};

}  // namespace kgen
