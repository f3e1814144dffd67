// SPDX-License-Identifier: MIT
//
// What a call says beside its arguments, and how calls are written: markers, and CallPart.
#pragma once

#include <cstdint>
#include <kgen/argument.hpp>
#include <kgen/stream.hpp>
#include <optional>
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

// One thing between the parentheses of operator(), an argument or a marker. It borrows arrays and
// streams, so that writing a call copies none, and is good until the end of the full expression.
class CallPart {
public:
    enum class Kind : std::uint8_t { array, spec, number, output, stream, size, block_size };

    CallPart(const Array& array) noexcept : kind_(Kind::array), array_(&array) {}      // NOLINT
    CallPart(const ArraySpec& spec) noexcept : kind_(Kind::spec), spec_(&spec) {}      // NOLINT
    CallPart(const Scalar& number) noexcept : kind_(Kind::number), scalar_(number) {}  // NOLINT
    template <ScalarType T>
    CallPart(T number) noexcept : kind_(Kind::number), scalar_(number) {}                // NOLINT
    CallPart(const Argument& argument) noexcept : kind_(Kind::array), array_(nullptr) {  // NOLINT
        if (argument.array() != nullptr) {
            array_ = argument.array();
        } else if (argument.spec() != nullptr) {
            kind_ = Kind::spec;
            spec_ = argument.spec();
        } else {
            kind_ = Kind::number;
            scalar_ = *argument.scalar();
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

    Kind kind() const noexcept { return kind_; }
    bool is_argument() const noexcept { return kind_ <= Kind::number; }
    // Of the kind that the name says, else nullptr.
    const Array* array() const noexcept { return kind_ == Kind::array ? array_ : nullptr; }
    const ArraySpec* spec() const noexcept { return kind_ == Kind::spec ? spec_ : nullptr; }
    const Scalar* scalar() const noexcept { return kind_ == Kind::number ? &scalar_ : nullptr; }
    const Array* output() const noexcept { return kind_ == Kind::output ? array_ : nullptr; }
    const Stream* stream() const noexcept { return kind_ == Kind::stream ? stream_ : nullptr; }
    // Of a size or a block_size.
    std::int64_t count() const noexcept { return count_; }

private:
    Kind kind_;
    union {
        const Array* array_;
        const ArraySpec* spec_;
        const Stream* stream_;
        std::int64_t count_;
        Scalar scalar_;
    };
};

}  // namespace kgen
