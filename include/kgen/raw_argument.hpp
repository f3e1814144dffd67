// SPDX-License-Identifier: MIT
//
// RawArgument: one argument of a RawKernel launch, passed as CUDA C++ would pass it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <kgen/scalar.hpp>
#include <span>
#include <type_traits>

namespace kgen {

class Argument;
class Texture;
class TextureMemory;
class Surface;

// An array that is passed with its shape and strides, written raw(x). The kernel's parameter is a
// kgen::array<T, rank> from <kgen/array.cuh>.
struct RawView {
    const Array* array;
};
inline RawView raw(const Array& array) noexcept {
    return {&array};
}
RawView raw(Array&&) = delete;  // a temporary may be destroyed before the launch

// The bytes of a parameter that is passed by value, for callers that do not have its C++ type. Their number
// must be the parameter's size. `alignment` is that of the type in bytes; 0 if the caller does not know it. It
// must equal the parameter's alignment if that is known (RawParameter::alignment). The bytes themselves may be
// at any address. They are borrowed until the launch.
struct RawBytes {
    std::span<const std::byte> bytes;
    std::size_t alignment = 0;
};

// A user-defined type that is passed by value as bytes: a trivially copyable class, a union or an
// enumeration.
template <typename T>
concept RawStruct =
    std::is_trivially_copyable_v<T> && !ScalarType<T> && !std::is_pointer_v<T> &&
    !std::is_null_pointer_v<T> && !std::is_array_v<T> &&
    (std::is_class_v<T> || std::is_union_v<T> || std::is_enum_v<T>)&&!std::is_same_v<T, RawView> &&
    !std::is_same_v<T, RawBytes> && !std::is_same_v<T, std::span<std::byte>> &&
    !std::is_same_v<T, std::span<const std::byte>>;

// One argument. An array becomes a pointer to its first element and must be C-contiguous. A number is
// converted to the type of the parameter if that type is known (see convert_scalar), and passed unchanged
// otherwise. Structs, bytes, pointers and nullptr are passed unchanged; textures and surfaces as their CUDA
// handles.
// A RawArgument copies numbers and pointers but only refers to other arguments, so it must not be used after
// the full expression that creates it.
class RawArgument {
public:
    enum class Kind : std::uint8_t { array, view, number, bytes, pointer, texture, surface, image };

    RawArgument(const Array& array) noexcept : kind_(Kind::array), object_(&array) {}  // NOLINT
    RawArgument(const RawView& view) noexcept                                          // NOLINT
        : kind_(Kind::view), object_(view.array) {}
    RawArgument(const Scalar& number) noexcept : kind_(Kind::number), scalar_(number) {}  // NOLINT
    template <ScalarType T>
    RawArgument(T number) noexcept  // NOLINT: a literal is an argument
        : kind_(Kind::number), is_bool_(std::is_same_v<T, bool>), scalar_(number) {}
    template <typename T>
    RawArgument(T* pointer) noexcept  // NOLINT: device memory of the caller
        : kind_(Kind::pointer), object_(pointer) {}
    RawArgument(std::nullptr_t) noexcept : kind_(Kind::pointer), object_(nullptr) {}  // NOLINT
    template <RawStruct T>
    RawArgument(const T& value) noexcept  // NOLINT: passed by value, borrowed until the launch
        : kind_(Kind::bytes), bytes_(sizeof(T)), object_(&value) {}
    RawArgument(const RawBytes& value) noexcept  // NOLINT
        : kind_(Kind::bytes),
          alignment_(static_cast<std::uint32_t>(value.alignment)),
          bytes_(value.bytes.size()),
          object_(value.bytes.data()) {}
    RawArgument(std::span<const std::byte> value) noexcept  // NOLINT
        : RawArgument(RawBytes{value}) {}
    // An argument of a generated kernel: an array, a number, or the image of a texture or surface. Throws
    // TypeError for an ArraySpec, which has no memory.
    KGEN_EXPORT RawArgument(const Argument& argument);  // NOLINT
    RawArgument(const Texture& texture) noexcept        // NOLINT
        : kind_(Kind::texture), object_(&texture) {}
    RawArgument(const Surface& surface) noexcept  // NOLINT
        : kind_(Kind::surface), object_(&surface) {}

    Kind kind() const noexcept { return kind_; }
    // Valid for the kinds array and view.
    const Array& array() const noexcept { return *static_cast<const Array*>(object_); }
    const Texture& texture() const noexcept { return *static_cast<const Texture*>(object_); }
    const Surface& surface() const noexcept { return *static_cast<const Surface*>(object_); }
    const Scalar& number() const noexcept { return scalar_; }
    bool is_bool() const noexcept { return is_bool_; }
    const void* pointer() const noexcept { return object_; }  // kind pointer: the pointer's value
    const void* bytes() const noexcept { return object_; }    // kind bytes: address of the bytes
    std::size_t byte_count() const noexcept { return bytes_; }
    // kind bytes: the alignment of the type in bytes; 0 if unknown.
    std::size_t alignment() const noexcept { return alignment_; }
    // kind image: the image of a texture or surface, whose handle number() is.
    TextureMemory& image() const noexcept {
        return *static_cast<TextureMemory*>(const_cast<void*>(object_));
    }

private:
    Kind kind_;
    bool is_bool_ = false;
    std::uint32_t alignment_ = 0;
    std::size_t bytes_ = 0;
    const void* object_ = nullptr;
    Scalar scalar_ = 0;
};

}  // namespace kgen
