// SPDX-License-Identifier: MIT
//
// Copies between arrays: on one device, between devices, with and without conversion.
#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "array/elements/filling.hpp"
#include "array/elements/host_elements.hpp"
#include "array/kernels/device_operations.hpp"
#include "memory/array_access.hpp"
#include "memory/host_order.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Copies all bytes at once. Both arrays are dense and have the same layout; they may be on different devices.
void copy_bytes(const Array& destination, const Array& source) {
    const auto bytes = static_cast<std::size_t>(source.size_bytes());
    if (bytes == 0) return;
    if (is_on_host(destination) && is_on_host(source)) {
        run_on_host([=] { std::memcpy(destination.data(), source.data(), bytes); });
        return;
    }
    if (is_on_host(destination) || is_on_host(source)) require_host_elements(Device::host());
    const Array& on_device = is_on_host(destination) ? source : destination;
    const Stream stream = current_stream(on_device.device());
    const Backend& backend = on_device.storage()->backend();
    if (is_on_host(source) || is_on_host(destination)) {
        backend.copy(
            destination.data(),
            source.data(),
            bytes,
            is_on_host(source) ? CopyDirection::host_to_device : CopyDirection::device_to_host,
            stream.handle());
    } else if (source.device() == destination.device()) {
        backend.copy(destination.data(),
                     source.data(),
                     bytes,
                     CopyDirection::device_to_device,
                     stream.handle());
        source.storage()->used_on(stream);
    } else {
        // The source's current stream waits for the copy, so the source counts as used on that stream.
        const Stream source_stream = current_stream(source.device());
        backend.copy_from_peer(destination.data(),
                               source.data(),
                               bytes,
                               source.storage()->backend(),
                               source_stream.handle(),
                               stream.handle());
        source.storage()->used_on(source_stream);
    }
    on_device.storage()->used_on(stream);
}

// Both are on the same device, have the same shape, and do not overlap unless they are the same elements.
void assign_same_device(const Array& destination, const Array& source) {
    if (destination.size() == 0) return;
    if (destination.dtype() == source.dtype() && destination.is_contiguous() &&
        source.is_contiguous()) {
        copy_bytes(destination, source);
    } else if (is_on_host(destination)) {
        run_on_host([=] { assign_on_host(destination, source); });
    } else {
        assign_on_device(destination, source);
    }
}

// Up to this size, copying unneeded bytes costs less than preparing a kernel that gathers.
constexpr std::int64_t small_span_bytes = 64 << 20;

// Copies all bytes that `array`, on a CUDA device, can reach. Returns a host array with the same strides.
Array span_on_host(const Array& array) {
    const ByteSpan span = byte_span(array.shape(), array.strides(), array.dtype());
    const auto bytes = static_cast<std::size_t>(span.high - span.low);
    auto storage = Storage::allocate(bytes, current_stream(Device::host()));
    const Stream stream = current_stream(array.device());
    array.storage()->backend().copy(storage->data(),
                                    static_cast<const std::byte*>(array.data()) + span.low,
                                    bytes,
                                    CopyDirection::device_to_host,
                                    stream.handle());
    array.storage()->used_on(stream);
    auto* first = static_cast<std::byte*>(storage->data()) - span.low;
    return ArrayAccess::make(
        std::move(storage), array.dtype(), array.shape(), array.strides(), first);
}

// Returns a host array with the elements of `array`, which is on a CUDA device. Strides may differ.
Array read_to_host(const Array& array) {
    const ByteSpan span = byte_span(array.shape(), array.strides(), array.dtype());
    const std::int64_t span_bytes = span.high - span.low;
    if (span_bytes > small_span_bytes && span_bytes / 4 > array.size_bytes()) {
        return span_on_host(array.copy());
    }
    return span_on_host(array);
}

// Whether `array` has the same layout in memory as `dense`.
bool has_layout_of(const Array& dense, const Array& array) {
    for (int axis = 0; axis < array.rank(); ++axis) {
        if (array.shape()[axis] > 1 && array.strides()[axis] != dense.strides()[axis]) return false;
    }
    return true;
}

Array new_array(const Array& like, const Dims& strides, DType dtype, Device device) {
    return allocate_array(like.shape(), strides, dtype, current_stream(device));
}

bool may_overlap(const Array& a, const Array& b) {
    if (a.device() != b.device() || a.size() == 0 || b.size() == 0) return false;
    const ByteSpan span_a = byte_span(a.shape(), a.strides(), a.dtype());
    const ByteSpan span_b = byte_span(b.shape(), b.strides(), b.dtype());
    const auto address_a = reinterpret_cast<std::intptr_t>(a.data());
    const auto address_b = reinterpret_cast<std::intptr_t>(b.data());
    return address_a + span_a.low < address_b + span_b.high &&
           address_b + span_b.low < address_a + span_a.high;
}

void check_destination(const Array& destination) {
    if (destination.is_read_only()) {
        refuse<ShapeError>({ErrorKind::read_only, {}, "a writable array", "a read-only array"},
                           "assign: the array is read-only; assign to a copy()");
    }
    for (int axis = 0; axis < destination.rank(); ++axis) {
        if (destination.strides()[axis] == 0 && destination.shape()[axis] > 1) {
            refuse<ShapeError>(
                {ErrorKind::layout,
                 {},
                 "elements that do not overlap",
                 "strides " + to_text(destination.strides())},
                "assign: the array overlaps itself: stride 0 along axis {} of extent "
                "{}; assign to a copy()",
                axis,
                destination.shape()[axis]);
        }
    }
}

// Drops leading axes of extent 1 beyond `rank`.
Array without_leading_ones(const Array& array, int rank) {
    int first = 0;
    while (array.rank() - first > rank && array.shape()[first] == 1) ++first;
    if (first == 0) return array;
    const std::span<const std::int64_t> shape = array.shape();
    const std::span<const std::int64_t> strides = array.strides();
    const auto dropped = static_cast<std::size_t>(first);
    return ArrayAccess::view_of(
        array, Dims(shape.subspan(dropped)), Dims(strides.subspan(dropped)), array.data());
}

void require_one_element(const Array& array, const char* operation) {
    require_value(array, operation);
    if (array.size() != 1) {
        refuse<ShapeError>({ErrorKind::shape, {}, "one element", to_text(array.shape())},
                           "{}: shape {} has {} elements, expected 1",
                           operation,
                           array.shape(),
                           array.size());
    }
}

}  // namespace

Array Array::copy(Order order) const try {
    require_value(*this, "copy");
    const Array result = new_array(*this, ordered_strides(*this, dtype_, order), dtype_, device());
    if (has_layout_of(result, *this)) {
        copy_bytes(result, *this);
    } else {
        assign_same_device(result, *this);
    }
    return result;
} catch (...) {
    rethrow_as_error();
}

Array Array::ascontiguous() const try {
    require_value(*this, "ascontiguous");
    return is_contiguous() ? *this : copy();
} catch (...) {
    rethrow_as_error();
}

Array Array::astype(DType dtype) const try {
    require_value(*this, "astype");
    const Array result = new_array(*this, ordered_strides(*this, dtype, Order::k), dtype, device());
    if (dtype == dtype_ && is_dense(shape_, strides_, dtype_)) {
        copy_bytes(result, *this);
    } else {
        assign_same_device(result, *this);
    }
    return result;
} catch (...) {
    rethrow_as_error();
}

Array Array::to(Device device) const try {
    require_value(*this, "to");
    if (device == this->device()) return *this;
    if (is_dense(shape_, strides_, dtype_)) {
        const Array result =
            new_array(*this, ordered_strides(*this, dtype_, Order::k), dtype_, device);
        copy_bytes(result, *this);
        return result;
    }
    if (traits(device).uses_host_memory) return read_to_host(*this).copy();
    return copy().to(device);
} catch (...) {
    rethrow_as_error();
}

void Array::assign(const Array& source) const try {
    require_value(*this, "assign");
    require_value(source, "assign");
    check_destination(*this);
    if (source.device() != device()) {
        // If both have the same layout, one copy of all bytes needs no memory in between.
        if (dtype_ == source.dtype_ && shape_ == source.shape_ &&
            is_dense(shape_, strides_, dtype_) && has_layout_of(*this, source)) {
            return copy_bytes(*this, source);
        }
        return assign(source.to(device()));
    }
    const Array fitted = without_leading_ones(source, rank()).broadcast_to(shape_);
    const bool in_place = fitted.data_ == data_ && fitted.strides_ == strides_;
    if (in_place && fitted.dtype_ == dtype_) return;
    assign_same_device(*this, may_overlap(*this, fitted) ? fitted.copy() : fitted);
} catch (...) {
    rethrow_as_error();
}

void Array::assign(const Scalar& value) const try {
    require_value(*this, "assign");
    check_destination(*this);
    fill_elements(*this, item_of(value, dtype_, "assign"));
} catch (...) {
    rethrow_as_error();
}

void Array::copy_to_host(void* destination) const try {
    require_value(*this, "copy_to_host");
    require_host_elements(device());
    if (size() == 0) return;
    const Array result = ArrayAccess::make(
        Storage::borrow(destination, static_cast<std::size_t>(size_bytes()), Device::host(), {}),
        dtype_,
        shape_,
        contiguous_strides(shape_, dtype_),
        destination);
    if (is_contiguous()) {
        copy_bytes(result, *this);
    } else {
        assign_on_host(result, is_on_host(*this) ? *this : read_to_host(*this));
    }
} catch (...) {
    rethrow_as_error();
}

void Array::read_item(void* value, DType dtype) const try {
    require_one_element(*this, "item");
    if (dtype != dtype_) {
        refuse<TypeError>(
            {ErrorKind::dtype, {}, std::string(to_text(dtype_)), std::string(to_text(dtype))},
            "item: the array is {}, but item() reads {}; convert it with astype({})",
            to_text(dtype_),
            to_text(dtype),
            to_text(dtype));
    }
    copy_to_host(value);
} catch (...) {
    rethrow_as_error();
}

void Array::convert_item(void* value, DType dtype) const try {
    require_one_element(*this, "as");
    alignas(16) Item own;
    copy_to_host(own.data());
    const Item item = item_of(read_scalar(dtype_, own.data()), dtype, "as");
    std::memcpy(value, item.data(), item_size(dtype));
} catch (...) {
    rethrow_as_error();
}

void Array::read_elements(void* values, DType dtype) const try {
    require_value(*this, "to_vector");
    // A bool array may be read as bytes, because vector<bool> has no contiguous memory.
    if (dtype != dtype_ && !(dtype_ == DType::bool_ && dtype == DType::uint8)) {
        refuse<TypeError>(
            {ErrorKind::dtype, {}, std::string(to_text(dtype_)), std::string(to_text(dtype))},
            "to_vector: the array is {}, but to_vector() reads {}; convert it with astype({})",
            to_text(dtype_),
            to_text(dtype),
            to_text(dtype));
    }
    copy_to_host(values);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
