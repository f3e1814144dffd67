// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdint>
#include <kgen/array.hpp>
#include <limits>
#include <utility>

#include "memory/array_access.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Returns the alignment in bytes of the address and the strides of an array.
std::int64_t alignment_of(DType dtype) {
    const auto size = static_cast<std::int64_t>(item_size(dtype));
    return kind_of(dtype) == DTypeKind::complex ? size / 2 : size;
}

void check_alignment(const void* pointer, DType dtype, const Dims& shape, const Dims& strides) {
    const std::int64_t alignment = alignment_of(dtype);
    if (reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(alignment) != 0) {
        refuse<TypeError>({ErrorKind::layout,
                           {},
                           fmt::format("a multiple of {} bytes", alignment),
                           fmt::format("{}", pointer)},
                          "address {} is not aligned for {}: it must be a multiple of {}",
                          pointer,
                          to_text(dtype),
                          alignment);
    }
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] > 1 && strides[axis] % alignment != 0) {
            refuse<TypeError>(
                {ErrorKind::layout,
                 {},
                 fmt::format("a multiple of {} bytes", alignment),
                 std::to_string(strides[axis])},
                "stride {} of axis {} is not aligned for {}: it must be a multiple of {}",
                strides[axis],
                axis,
                to_text(dtype),
                alignment);
        }
    }
}

void check_address_range(const void* pointer, const Dims& shape, ByteSpan span) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const auto below = std::uintptr_t{0} - static_cast<std::uintptr_t>(span.low);
    if (span.high == 0) return;
    if (pointer == nullptr) {
        refuse<ShapeError>({ErrorKind::argument_type, {}, "an address", "nullptr"},
                           "a view of shape {} needs memory, but its address is null",
                           to_text(shape));
    }
    if (address < below || std::numeric_limits<std::uintptr_t>::max() - address <
                               static_cast<std::uintptr_t>(span.high)) {
        refuse<ShapeError>(
            {ErrorKind::layout, {}, {}, to_text(shape)},
            "a view of shape {} at address {} reaches from {} to {} bytes from there, "
            "beyond the address space",
            to_text(shape),
            pointer,
            span.low,
            span.high);
    }
}

}  // namespace

void require_value(const Array& array, const char* operation) {
    if (!array.has_value()) {
        refuse<ShapeError>(
            {ErrorKind::argument_type, {}, "an Array that has memory", "an empty Array"},
            "{}: the array has no memory, because it was default-constructed",
            operation);
    }
}

Array Array::view(void* pointer, DType dtype, const Dims& shape, const ViewOptions& options) try {
    checked_size_bytes(shape, dtype);
    const Dims strides = options.strides.value_or(contiguous_strides(shape, dtype));
    if (strides.rank() != shape.rank()) {
        refuse<ShapeError>(
            {ErrorKind::layout, {}, std::to_string(shape.rank()), std::to_string(strides.rank())},
            "strides {} do not fit shape {}: got {} strides for {} axes",
            to_text(strides),
            to_text(shape),
            strides.rank(),
            shape.rank());
    }
    const ByteSpan span = byte_span(shape, strides, dtype);
    check_address_range(pointer, shape, span);
    check_alignment(pointer, dtype, shape, strides);
    auto* first = span.high == 0 ? static_cast<std::byte*>(pointer)
                                 : static_cast<std::byte*>(pointer) + span.low;
    const Device device = options.device   ? *options.device
                          : options.stream ? options.stream->device()
                                           : current_device();
    if (options.stream && options.stream->device() != device) {
        refuse<DeviceError>(
            {ErrorKind::device, "stream", to_text(device), to_text(options.stream->device())},
            "a view on {} cannot have a stream of {}",
            to_text(device),
            to_text(options.stream->device()));
    }
    auto storage = Storage::borrow(first,
                                   static_cast<std::size_t>(span.high - span.low),
                                   device,
                                   options.owner,
                                   options.stream);
    return ArrayAccess::make(
        std::move(storage), dtype, shape, strides, pointer, options.mutability);
} catch (...) {
    rethrow_as_error();
}

Array Array::view(const void* pointer, DType dtype, const Dims& shape, ViewOptions options) try {
    options.mutability = Mutability::read_only;
    return view(const_cast<void*>(pointer), dtype, shape, options);
} catch (...) {
    rethrow_as_error();
}

std::int64_t Array::size() const noexcept {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape_) {
        if (extent == 0) return 0;
    }
    for (const std::int64_t extent : shape_) count *= extent;
    return count;
}

Device Array::device() const noexcept {
    return storage_ ? storage_->device() : Device::host();
}

bool Array::is_contiguous(Order order) const noexcept {
    if (order == Order::a) return is_contiguous(Order::c) || is_contiguous(Order::f);
    if (order == Order::k) return is_dense(shape_, strides_, dtype_);
    if (order == Order::c) return is_c_contiguous(shape_, strides_, item_size(dtype_));
    return is_c_contiguous(reversed(shape_), reversed(strides_), item_size(dtype_));
}

Array Array::as_read_only() const try {
    require_value(*this, "as_read_only");
    return ArrayAccess::make(storage_, dtype_, shape_, strides_, data_, Mutability::read_only);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
