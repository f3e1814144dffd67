// SPDX-License-Identifier: MIT
//
// Array: an n-dimensional view of memory on a device, like numpy.ndarray and cupy.ndarray.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/device.hpp>
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>
#include <kgen/export.hpp>
#include <kgen/indexing.hpp>
#include <kgen/scalar.hpp>
#include <kgen/stream.hpp>
#include <kgen/text_formatter.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

class Storage;  // src/memory/storage.hpp: owns or borrows one block of memory
class IndexedArray;
class Expression;     // <kgen/expression.hpp>
class SelectedArray;  // <kgen/array_selection.hpp>

// Memory order of a new array. c: the last axis varies fastest. f: the first axis varies fastest.
// a: f if the source array is in f order and not in c order, otherwise c. k: the axis order of the source
// array; c if the source has a stride of 0.
enum class Order : std::uint8_t { c, f, a, k };
enum class Mutability : std::uint8_t { writable, read_only };

// Options for creating an Array. The device is current_device() if not given.
struct ArrayOptions {
    std::optional<Device> device = {};
};

// Options of Array::view, which borrows foreign memory.
struct ViewOptions {
    std::optional<Device> device = {};  // the stream's device if not given, else current_device()
    std::optional<Dims> strides = {};   // in bytes; C order if not given
    std::shared_ptr<void> owner = {};   // kept alive as long as any view of the memory
    // CUDA only: the stream in whose order the owner frees or reuses the memory. Before the owner is
    // released, this stream is made to wait for all work on other streams that used the memory. If no
    // stream is given, the owner is released at once.
    std::optional<Stream> stream = {};
    Mutability mutability = Mutability::writable;
};

// A handle to shared memory with a dtype, a shape, strides and an address. Strides are in bytes and may be
// negative or 0. A handle is cheap to copy, and copies share the memory. Handles are as thread-safe as
// shared_ptr. Access to the memory is not synchronized between kernels. A default-constructed Array has no
// memory, and has_value() is false.
//
// Assigning to a variable makes it a handle to the other array. Assigning to an indexed array, `x[1] = row`,
// writes elements, as in Python. Assigning to any other temporary, `x.copy() = row`, does not compile.
class KGEN_EXPORT Array {
public:
    Array() noexcept {}
    Array(const Array&) = default;
    Array(Array&&) noexcept = default;
    Array& operator=(const Array&) & = default;
    Array& operator=(Array&&) & noexcept = default;
    ~Array() = default;

    // Borrows the memory at `pointer`, the address of element (0, ..., 0). Throws ShapeError if the strides
    // do not fit the shape, the view leaves the address space, or the address of a view with elements is
    // null. Throws TypeError if the pointer or a stride is misaligned for the dtype, DeviceError if the
    // stream belongs to another device.
    static Array view(void* pointer, DType dtype, const Dims& shape, const ViewOptions& = {});
    // Borrows the memory as a read-only view.
    static Array view(const void* pointer, DType dtype, const Dims& shape, ViewOptions = {});

    bool has_value() const noexcept { return storage_ != nullptr; }
    DType dtype() const noexcept { return dtype_; }
    const Dims& shape() const noexcept { return shape_; }
    const Dims& strides() const noexcept { return strides_; }
    int rank() const noexcept { return shape_.rank(); }
    // Returns the number of elements; 1 for rank 0.
    std::int64_t size() const noexcept;
    std::int64_t size_bytes() const noexcept {
        return size() * static_cast<std::int64_t>(item_size(dtype_));
    }
    Device device() const noexcept;
    bool is_read_only() const noexcept { return mutability_ == Mutability::read_only; }
    // Returns true if the elements are dense in memory in the given order. a: in c or f order.
    // k: in any order of the axes.
    bool is_contiguous(Order order = Order::c) const noexcept;
    // Returns the address of element (0, ..., 0) on the array's device.
    void* data() const noexcept { return data_; }
    const std::shared_ptr<Storage>& storage() const noexcept { return storage_; }

    // Views, which share the array's memory.

    // Returns a view with the new shape, or a copy if no view can have that shape. One extent may be -1.
    Array reshape(Dims shape) const;
    template <DimInteger First, DimInteger... More>
    Array reshape(First first, More... more) const {
        return reshape(Dims{static_cast<std::int64_t>(first), static_cast<std::int64_t>(more)...});
    }
    // Reverses the axes, or moves axis axes[k] to position k.
    Array transpose() const;
    Array transpose(const Dims& axes) const;
    template <DimInteger First, DimInteger... More>
    Array transpose(First first, More... more) const {
        return transpose(
            Dims{static_cast<std::int64_t>(first), static_cast<std::int64_t>(more)...});
    }
    // Applies one Range to each leading axis. The remaining axes are kept whole.
    Array slice(std::span<const Range> ranges) const;
    Array slice(std::initializer_list<Range> ranges) const {
        return slice(std::span<const Range>(ranges.begin(), ranges.size()));
    }
    // Selects element `index` along the first axis. A negative index counts from the end.
    IndexedArray operator[](std::int64_t index) const;
    // Indexes like NumPy's x[...], with one Index per axis; see kgen/indexing.hpp. The remaining axes are
    // kept whole. Throws ShapeError if an index is out of range, a step is 0, there are more indices than
    // axes, or there is more than one ellipsis.
    IndexedArray operator[](std::span<const Index> indices) const;
    IndexedArray operator[](std::initializer_list<Index> indices) const;
    IndexedArray operator[](const Index& index) const;
    // Select elements by an array of indices or a mask, to be read or assigned; see <kgen/array_selection.hpp>.
    SelectedArray operator[](const Array& index) const;
    SelectedArray operator[](Expression&& index) const;
    // Returns a read-only view with stride 0 along the broadcast axes, like NumPy's broadcast_to.
    Array broadcast_to(const Dims& shape) const;
    Array as_read_only() const;
    // Return views of the real or imaginary parts, writable if the array is. If the dtype is not complex,
    // real() returns the array itself and imag() a read-only array of zeros.
    Array real() const;
    Array imag() const;

    // New arrays. The work runs on the current stream of the array's device. A copy from one GPU to another
    // waits for the current streams of both, and they wait for it.
    Array ascontiguous() const;  // the array itself if it is C-contiguous
    Array copy(Order order = Order::c) const;
    Array to(Device device) const;  // the array itself if it is on that device
    // Converts like a C++ cast. Conversion to bool is `x != 0`. Complex to real drops the imaginary part.
    Array astype(DType dtype) const;
    // Overwrites the elements with those of `source`, converted to dtype(). `source` must broadcast to
    // shape(); it may have additional leading axes of extent 1, and it may overlap this array. Throws
    // ShapeError if `source` does not broadcast, or if this array is read-only or overlaps itself through a
    // stride of 0.
    void assign(const Array& source) const;
    // Sets all elements to one number. Throws TypeError if the number does not fit the dtype (see
    // convert_scalar), ShapeError if this array is read-only or overlaps itself through a stride of 0.
    void assign(const Scalar& value) const;
    // Computes the expression into this array, by the same rules.
    void assign(Expression&& value) const;
    // Does the same as (*this)[where] = value.
    void set(std::initializer_list<Index> where, const Array& value) const;
    void set(std::initializer_list<Index> where, const Scalar& value) const;
    void set(const Index& where, const Array& value) const;
    void set(const Index& where, const Scalar& value) const;

    // Reductions as parts of an expression, along axis(...) with keepdims, or all axes; see <kgen/math.hpp>.
    template <typename... Markers>
    [[nodiscard]] Expression sum(const Markers&... markers) const;
    template <typename... Markers>
    [[nodiscard]] Expression prod(const Markers&... markers) const;
    template <typename... Markers>
    [[nodiscard]] Expression min(const Markers&... markers) const;
    template <typename... Markers>
    [[nodiscard]] Expression max(const Markers&... markers) const;
    template <typename... Markers>
    [[nodiscard]] Expression mean(const Markers&... markers) const;
    template <typename... Markers>
    [[nodiscard]] Expression var(const Markers&... markers) const;
    template <typename... Markers>
    [[nodiscard]] Expression std(const Markers&... markers) const;
    template <typename... Markers>
    [[nodiscard]] Expression argmin(const Markers&... markers) const;
    template <typename... Markers>
    [[nodiscard]] Expression argmax(const Markers&... markers) const;
    template <typename... Markers>
    [[nodiscard]] Expression any(const Markers&... markers) const;
    template <typename... Markers>
    [[nodiscard]] Expression all(const Markers&... markers) const;

    // Returns the only element. Throws ShapeError if size() is not 1, TypeError if T is not the C++ type of
    // dtype(). Waits for the current stream.
    template <typename T>
    T item() const {
        T value;
        read_item(&value, dtype_of<T>());
        return value;
    }
    // Returns the only element as a T. The conversion may lose nothing but rounding (see convert_scalar).
    // Throws ShapeError if size() is not 1, TypeError if the element does not fit T. Waits for the current
    // stream.
    template <typename T>
    T as() const {
        T value;
        convert_item(&value, dtype_of<T>());
        return value;
    }
    // Returns all elements in C order. Throws TypeError if T is not the C++ type of dtype(); std::uint8_t
    // also reads bool. Waits for the current stream.
    template <typename T>
    std::vector<T> to_vector() const {
        static_assert(!std::is_same_v<T, bool>,
                      "std::vector<bool> has no array of bool: use std::uint8_t");
        std::vector<T> values(static_cast<std::size_t>(size()));
        read_elements(values.data(), dtype_of<T>());
        return values;
    }
    // Copies all elements in C order to `destination`, host memory of size_bytes() bytes. Waits for the
    // current stream.
    void copy_to_host(void* destination) const;

private:
    friend class ArrayAccess;  // src/memory/array_access.hpp
    void read_item(void* value, DType dtype) const;
    void convert_item(void* value, DType dtype) const;
    void read_elements(void* values, DType dtype) const;

    std::shared_ptr<Storage> storage_;
    std::byte* data_ = nullptr;
    DType dtype_ = DType::float32;
    Mutability mutability_ = Mutability::writable;
    Dims shape_;
    Dims strides_;
};

// The view that indexing an Array returns. Assigning to it while it is a temporary, `x[1] = row`, writes
// elements. Otherwise it is used like any Array: `Array y = x[1]`.
class KGEN_EXPORT IndexedArray final : public Array {
public:
    IndexedArray(const IndexedArray&) = default;
    IndexedArray(IndexedArray&&) noexcept = default;
    ~IndexedArray() = default;

    // Assign like NumPy's x[...] = value. See Array::assign() for the exceptions.
    void operator=(const Array& value) && { assign(value); }
    void operator=(const IndexedArray& value) && { assign(value); }
    void operator=(const Scalar& value) && { assign(value); }
    void operator=(Expression&& value) &&;
    // Deleted because `auto y = x[1]; y = row` is ambiguous. Call y.assign(row) to write elements, or declare
    // `Array y = x[1]` to make a handle that can be assigned.
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

// Creation. These functions throw ShapeError if an extent is negative or the size overflows, TypeError if a
// value does not fit the dtype, and DeviceError if the device is out of memory.
KGEN_EXPORT Array empty(const Dims& shape, DType dtype = float64, const ArrayOptions& = {});
KGEN_EXPORT Array zeros(const Dims& shape, DType dtype = float64, const ArrayOptions& = {});
// The dtype is that of the number if not given, but int64 for an int, as in array().
KGEN_EXPORT Array full(const Dims& shape,
                       const Scalar& value,
                       std::optional<DType> dtype = {},
                       const ArrayOptions& = {});
// Return start, start + step, ... up to but without stop, from 0 in steps of 1 if these are not given. The
// dtype is int64 if all numbers are integers, otherwise float64, if it is not given. The elements are computed
// in float64, or in int64 for integer dtypes, for which start and step must be integers. Throw ShapeError if
// step is 0 or an integer `stop` that stands alone is negative, TypeError if a number is complex.
KGEN_EXPORT Array arange(const Scalar& stop,
                         std::optional<DType> dtype = {},
                         const ArrayOptions& = {});
KGEN_EXPORT Array arange(const Scalar& start,
                         const Scalar& stop,
                         std::optional<DType> dtype = {},
                         const ArrayOptions& = {});
KGEN_EXPORT Array arange(const Scalar& start,
                         const Scalar& stop,
                         const Scalar& step,
                         std::optional<DType> dtype = {},
                         const ArrayOptions& = {});
// The same functions with options and without a dtype.
inline Array empty(const Dims& shape, const ArrayOptions& options) {
    return empty(shape, float64, options);
}
inline Array zeros(const Dims& shape, const ArrayOptions& options) {
    return zeros(shape, float64, options);
}
inline Array full(const Dims& shape, const Scalar& value, const ArrayOptions& options) {
    return full(shape, value, std::nullopt, options);
}
inline Array arange(const Scalar& stop, const ArrayOptions& options) {
    return arange(stop, std::nullopt, options);
}
inline Array arange(const Scalar& start, const Scalar& stop, const ArrayOptions& options) {
    return arange(start, stop, std::nullopt, options);
}
inline Array arange(const Scalar& start,
                    const Scalar& stop,
                    const Scalar& step,
                    const ArrayOptions& options) {
    return arange(start, stop, step, std::nullopt, options);
}
// Copies C-ordered elements from host memory.
KGEN_EXPORT Array from_host(const void* elements,
                            DType dtype,
                            const Dims& shape,
                            const ArrayOptions& = {});
template <typename T>
Array from_vector(const std::vector<T>& values, const ArrayOptions& options = {}) {
    static_assert(!std::is_same_v<T, bool>,
                  "std::vector<bool> has no array of bool: use std::uint8_t");
    return from_host(
        values.data(), dtype_of<T>(), {static_cast<std::int64_t>(values.size())}, options);
}
template <typename T>
Array from_vector(const std::vector<T>& values,
                  const Dims& shape,
                  const ArrayOptions& options = {}) {
    return from_vector(values, options).reshape(shape);
}

// Formats the array as NumPy does: "[[0. 1.]\n [2. 3.]]". Large arrays are summarised. Waits for the current
// stream.
KGEN_EXPORT std::string to_text(const Array& array);

}  // namespace kgen

template <>
struct fmt::formatter<kgen::Array> : kgen::detail::TextFormatter<kgen::Array> {};
template <>
struct fmt::formatter<kgen::IndexedArray> : fmt::formatter<kgen::Array> {};
