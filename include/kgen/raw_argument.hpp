// SPDX-License-Identifier: MIT
//
// RawArgument: one thing that is passed to a RawKernel, as CUDA C++ would pass it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <kgen/scalar.hpp>
#include <type_traits>

namespace kgen {

class Texture;
class Surface;

// An array passed with its shape and strides: raw(x). In the kernel it is a
// kgen::array<T, rank> of #include <kgen/array.cuh>.
struct RawView {
    const Array* array;
};
inline RawView raw(const Array& array) noexcept {
    return {&array};
}
RawView raw(Array&&) = delete;  // it would be gone before the launch

// What may be passed by value as bytes: a struct, a union or an enumeration of the user's own.
template <typename T>
concept RawStruct =
    std::is_trivially_copyable_v<T> && !ScalarType<T> && !std::is_pointer_v<T> &&
    !std::is_null_pointer_v<T> && !std::is_array_v<T> &&
    (std::is_class_v<T> || std::is_union_v<T> || std::is_enum_v<T>)&&!std::is_same_v<T, RawView>;

// Arrays become pointers to their first element and must be C-contiguous; numbers take the type of
// the parameter where it is known (see convert_scalar), else they are passed as they are; structs,
// pointers and nullptr are passed as they are; textures and surfaces as CUDA's handles. It borrows all
// but numbers, and is good until the end of the full expression.
class RawArgument {
public:
    enum class Kind : std::uint8_t { array, view, number, bytes, pointer, texture, surface };

    RawArgument(const Array& array) noexcept : kind_(Kind::array), object_(&array) {}  // NOLINT
    RawArgument(const RawView& view) noexcept                                          // NOLINT
        : kind_(Kind::view), object_(view.array) {}
    RawArgument(const Scalar& number) noexcept : kind_(Kind::number), scalar_(number) {}  // NOLINT
    template <ScalarType T>
    RawArgument(T number) noexcept  // NOLINT: a literal is an argument
        : kind_(Kind::number), is_bool_(std::is_same_v<T, bool>), scalar_(number) {}
    template <typename T>
    RawArgument(T* pointer) noexcept  // NOLINT: device memory of the caller's
        : kind_(Kind::pointer), object_(pointer) {}
    RawArgument(std::nullptr_t) noexcept : kind_(Kind::pointer), object_(nullptr) {}  // NOLINT
    template <RawStruct T>
    RawArgument(const T& value) noexcept  // NOLINT: passed by value, borrowed until the launch
        : kind_(Kind::bytes), bytes_(sizeof(T)), object_(&value) {}
    RawArgument(const Texture& texture) noexcept  // NOLINT
        : kind_(Kind::texture), object_(&texture) {}
    RawArgument(const Surface& surface) noexcept  // NOLINT
        : kind_(Kind::surface), object_(&surface) {}

    Kind kind() const noexcept { return kind_; }
    // Of kinds array and view.
    const Array& array() const noexcept { return *static_cast<const Array*>(object_); }
    const Texture& texture() const noexcept { return *static_cast<const Texture*>(object_); }
    const Surface& surface() const noexcept { return *static_cast<const Surface*>(object_); }
    const Scalar& number() const noexcept { return scalar_; }
    bool is_bool() const noexcept { return is_bool_; }
    const void* pointer() const noexcept { return object_; }  // of kind pointer: the value itself
    const void* bytes() const noexcept { return object_; }    // of kind bytes: where they are
    std::size_t byte_count() const noexcept { return bytes_; }

private:
    Kind kind_;
    bool is_bool_ = false;
    std::size_t bytes_ = 0;
    const void* object_ = nullptr;
    Scalar scalar_ = 0;
};

}  // namespace kgen
