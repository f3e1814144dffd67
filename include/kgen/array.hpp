// SPDX-License-Identifier: MIT
//
// Array: an n-dimensional view of memory on a device, like numpy.ndarray and cupy.ndarray.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <kgen/device.hpp>
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>
#include <kgen/export.hpp>
#include <kgen/indexing.hpp>
#include <kgen/scalar.hpp>
#include <kgen/stream.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

class Storage;  // src/memory/storage.hpp: owns or borrows one block of memory
class IndexedArray;

// How the elements of a new array lie in memory: the last axis fastest (c), or the first one (f); or as
// in the array that it is made from: f if that is in f order alone, else c (a); with its axes in their order
// (k; c where a stride is 0).
enum class Order : std::uint8_t { c, f, a, k };
enum class Mutability : std::uint8_t { writable, read_only };

// How an Array is created. Device: current_device() unless named.
struct ArrayOptions {
    std::optional<Device> device = {};
};

// How Array::view borrows foreign memory.
struct ViewOptions {
    std::optional<Device> device = {};
    std::optional<Dims> strides = {};  // bytes; C order unless given
    std::shared_ptr<void> owner = {};  // kept alive as long as any view of the memory
    // CUDA: the stream in whose order the owner frees the memory or uses it again. Before the owner
    // is released, this stream is told to wait for all work on others that used the memory. Without
    // it the owner is released at once.
    std::optional<Stream> stream = {};
    Mutability mutability = Mutability::writable;
};

// A cheap handle: shared storage, dtype, shape, strides (in bytes, may be negative or 0), offset.
// Copies share the memory. Handles are as thread-safe as shared_ptr; the memory is as safe as the
// kernels that use it. A default-constructed Array holds nothing: has_value() is false. Assigning to a
// variable makes it a handle to the other array; assigning to an indexed array, `x[1] = row`, writes
// elements, as in Python; assigning to what another function returns, `x.copy() = row`, does not compile.
class KGEN_EXPORT Array {
public:
    Array() = default;
    Array(const Array&) = default;
    Array(Array&&) noexcept = default;
    Array& operator=(const Array&) & = default;
    Array& operator=(Array&&) & noexcept = default;
    ~Array() = default;

    // Borrows memory at `pointer` (the element with index 0 along each axis). Throws ShapeError if
    // the span of the view overflows, TypeError if the pointer is misaligned for the dtype.
    static Array view(void* pointer, DType dtype, const Dims& shape, const ViewOptions& = {});
    // A read-only view.
    static Array view(const void* pointer, DType dtype, const Dims& shape, ViewOptions = {});

    bool has_value() const noexcept { return storage_ != nullptr; }
    DType dtype() const noexcept { return dtype_; }
    const Dims& shape() const noexcept { return shape_; }
    const Dims& strides() const noexcept { return strides_; }
    int rank() const noexcept { return shape_.rank(); }
    // The number of elements; 1 for rank 0.
    std::int64_t size() const noexcept;
    std::int64_t size_bytes() const noexcept {
        return size() * static_cast<std::int64_t>(item_size(dtype_));
    }
    Device device() const noexcept;
    bool is_read_only() const noexcept { return mutability_ == Mutability::read_only; }
    // Whether it lies dense in memory, in this order: c or f, either (a), or any order of its axes (k).
    bool is_contiguous(Order order = Order::c) const noexcept;
    // The address of element (0, ..., 0), on the array's device.
    void* data() const noexcept { return data_; }
    const std::shared_ptr<Storage>& storage() const noexcept { return storage_; }

    // Views: no element is copied.
    // One extent may be -1. Copies only where no view can have the new shape.
    Array reshape(Dims shape) const;
    // Reverses the axes, or puts axis axes[k] at k.
    Array transpose() const;
    Array transpose(const Dims& axes) const;
    // One Range per leading axis; the rest stay whole.
    Array slice(std::span<const Range> ranges) const;
    Array slice(std::initializer_list<Range> ranges) const {
        return slice(std::span<const Range>(ranges.begin(), ranges.size()));
    }
    // Element `index` along the first axis; negative counts from the end.
    IndexedArray operator[](std::int64_t index) const;
    // As NumPy's x[...], an Index an axis, the rest whole: see kgen/indexing.hpp. Throws ShapeError for
    // an element out of range, a step of 0, more indices than axes, or a second ellipsis.
    IndexedArray operator[](std::span<const Index> indices) const;
    IndexedArray operator[](std::initializer_list<Index> indices) const;
    IndexedArray operator[](const Index& index) const;
    // NumPy's broadcast_to: a read-only view with stride 0 along stretched axes.
    Array broadcast_to(const Dims& shape) const;
    Array as_read_only() const;
    // The parts of complex numbers, as writable as the array. Of any other dtype real() is the array
    // itself and imag() read-only zeros.
    Array real() const;
    Array imag() const;

    // New arrays. They run on the current stream of the array's device.
    Array ascontiguous() const;  // the array itself if it is C-contiguous already
    Array copy(Order order = Order::c) const;
    Array to(Device device) const;  // the array itself if it is there already
    // Converts as a C++ cast does; to bool as `x != 0`; complex to real drops the imaginary part.
    Array astype(DType dtype) const;
    // Overwrites the elements with those of `source`, which must broadcast to shape() (leading axes of
    // extent 1 may be too many); converts. The two may overlap. Throws ShapeError if the array is
    // read-only, or overlaps itself by a stride of 0.
    void assign(const Array& source) const;
    // Likewise with one number, which must fit the dtype (see convert_scalar; else TypeError).
    void assign(const Scalar& value) const;
    // The same as (*this)[where] = value.
    void set(std::initializer_list<Index> where, const Array& value) const;
    void set(std::initializer_list<Index> where, const Scalar& value) const;
    void set(const Index& where, const Array& value) const;
    void set(const Index& where, const Scalar& value) const;

    // The one element, as T, exactly. Throws ShapeError if size() is not 1, TypeError if T is not
    // the array's type. Waits for the current stream.
    template <typename T>
    T item() const {
        T value;
        read_item(&value, dtype_of<T>());
        return value;
    }
    // All elements in C order. Throws TypeError if T is not the array's type. Waits.
    template <typename T>
    std::vector<T> to_vector() const {
        static_assert(!std::is_same_v<T, bool>,
                      "std::vector<bool> has no memory: use std::uint8_t");
        std::vector<T> values(static_cast<std::size_t>(size()));
        read_elements(values.data(), dtype_of<T>());
        return values;
    }
    // All elements in C order into `destination`, size_bytes() long, on the host. Waits.
    void copy_to_host(void* destination) const;

private:
    friend class ArrayAccess;  // src/memory/array_access.hpp
    void read_item(void* value, DType dtype) const;
    void read_elements(void* values, DType dtype) const;

    std::shared_ptr<Storage> storage_;
    std::byte* data_ = nullptr;
    DType dtype_ = DType::float32;
    Mutability mutability_ = Mutability::writable;
    Dims shape_;
    Dims strides_;
};

// What indexing an Array gives: the view, to which a value may be assigned while it has no name. As an
// Array it is used like any other: `Array y = x[1]`.
class KGEN_EXPORT IndexedArray final : public Array {
public:
    IndexedArray(const IndexedArray&) = default;
    IndexedArray(IndexedArray&&) noexcept = default;
    ~IndexedArray() = default;

    // NumPy's x[...] = value, by Array::assign(), which says what is thrown.
    void operator=(const Array& value) && { assign(value); }
    void operator=(const IndexedArray& value) && { assign(value); }
    void operator=(const Scalar& value) && { assign(value); }
    // `auto y = x[1]; y = row` could mean either: y.assign(row) writes the elements, and `Array y = x[1]`
    // makes a handle that may be assigned.
    void operator=(const Array&) & = delete;
    void operator=(const IndexedArray&) & = delete;
    void operator=(const Scalar&) & = delete;

private:
    friend class Array;
    explicit IndexedArray(Array&& view) noexcept : Array(std::move(view)) {}
};

inline IndexedArray Array::operator[](std::initializer_list<Index> indices) const {
    return (*this)[std::span<const Index>(indices.begin(), indices.size())];
}
inline IndexedArray Array::operator[](const Index& index) const {
    return (*this)[std::span<const Index>(&index, 1)];
}
inline void Array::set(std::initializer_list<Index> where, const Array& value) const {
    (*this)[where].assign(value);
}
inline void Array::set(std::initializer_list<Index> where, const Scalar& value) const {
    (*this)[where].assign(value);
}
inline void Array::set(const Index& where, const Array& value) const {
    (*this)[where].assign(value);
}
inline void Array::set(const Index& where, const Scalar& value) const {
    (*this)[where].assign(value);
}

// Creation. Throw ShapeError for a negative extent or a size that overflows, DeviceError when
// memory is short.
KGEN_EXPORT Array empty(const Dims& shape, DType dtype, const ArrayOptions& = {});
KGEN_EXPORT Array zeros(const Dims& shape, DType dtype, const ArrayOptions& = {});
KGEN_EXPORT Array full(const Dims& shape,
                       const Scalar& value,
                       DType dtype,
                       const ArrayOptions& = {});
// 0, 1, ..., count - 1.
KGEN_EXPORT Array arange(std::int64_t count, DType dtype, const ArrayOptions& = {});
// start, start + step, ... below stop, computed in float64 (in int64 for integer dtypes).
KGEN_EXPORT Array
arange(double start, double stop, double step, DType dtype, const ArrayOptions& = {});
// Copies C-ordered elements from host memory.
KGEN_EXPORT Array from_host(const void* elements,
                            DType dtype,
                            const Dims& shape,
                            const ArrayOptions& = {});
template <typename T>
Array from_vector(const std::vector<T>& values, const ArrayOptions& options = {}) {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no memory: use std::uint8_t");
    return from_host(
        values.data(), dtype_of<T>(), {static_cast<std::int64_t>(values.size())}, options);
}
template <typename T>
Array from_vector(const std::vector<T>& values,
                  const Dims& shape,
                  const ArrayOptions& options = {}) {
    return from_vector(values, options).reshape(shape);
}

// As NumPy prints: "[[0. 1.]\n [2. 3.]]", large arrays summarised. Waits for the current stream.
KGEN_EXPORT std::string to_text(const Array& array);

}  // namespace kgen

template <>
struct fmt::formatter<kgen::Array> : fmt::formatter<fmt::string_view> {
    template <typename Context>
    auto format(const kgen::Array& array, Context& context) const {
        return fmt::formatter<fmt::string_view>::format(kgen::to_text(array), context);
    }
};
template <>
struct fmt::formatter<kgen::IndexedArray> : fmt::formatter<kgen::Array> {};
