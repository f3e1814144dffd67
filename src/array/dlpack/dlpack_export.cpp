// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <kgen/dlpack.hpp>
#include <kgen/error.hpp>
#include <memory>

#include "array/dlpack/dlpack_abi.hpp"
#include "memory/array_access.hpp"
#include "memory/layout.hpp"
#include "memory/pinned_pool.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

constexpr const char* export_name = "to_dlpack";

// A tensor and the data that it points to.
template <typename Managed>
struct Exported {
    Managed tensor = {};
    Array array;
    std::array<std::int64_t, max_rank> shape = {};
    std::array<std::int64_t, max_rank> strides = {};

    static void destroy(Managed* tensor) { delete static_cast<Exported*>(tensor->manager_ctx); }
};

std::int64_t elements_of_stride(const Array& array, int axis) {
    const auto item = static_cast<std::int64_t>(item_size(array.dtype()));
    const std::int64_t bytes = array.strides()[axis];
    if (bytes % item == 0) return bytes / item;
    if (array.shape()[axis] <= 1) return 1;  // this stride is never used
    refuse<TypeError>(
        {ErrorKind::layout, {}, fmt::format("a multiple of {}", item), std::to_string(bytes)},
        "{}: stride {} of axis {} is not a multiple of the {} bytes of {}; pass a copy()",
        export_name,
        bytes,
        axis,
        item,
        to_text(array.dtype()));
}

// Makes the consumer's stream wait for the work so far, and the release of the memory wait for the consumer.
void hand_over(const Array& array, const DlpackOptions& options) {
    const Device device = array.device();
    if (!traits(device).is_asynchronous) return;
    const Stream current = current_stream(device);
    const Stream consumer = options.stream ? *options.stream : current;
    if (consumer.device() != device) {
        refuse<DeviceError>(
            {ErrorKind::device, "stream", to_text(device), to_text(consumer.device())},
            "{}: the array is on {} and the stream on {}",
            export_name,
            to_text(device),
            to_text(consumer.device()));
    }
    if (consumer != current) consumer.wait(current);
    array.storage()->used_on(consumer);
}

template <typename Managed>
std::unique_ptr<Exported<Managed>> export_array(const Array& array, const DlpackOptions& options) {
    require_value(array, export_name);
    auto made = std::make_unique<Exported<Managed>>();
    const int rank = array.rank();
    for (int axis = 0; axis < rank; ++axis) {
        const auto k = static_cast<std::size_t>(axis);
        made->shape[k] = array.shape()[axis];
        made->strides[k] = elements_of_stride(array, axis);
    }
    hand_over(array, options);
    const Device device = array.device();
    const bool is_pinned = is_on_host(array) && PinnedPool::get().holds(array.data());
    const DTypeRow& type = row_of(array.dtype());
    made->tensor.dl_tensor = {
        .data = array.data(),
        .device = {traits(device).dlpack_types[is_pinned ? 1 : 0], device.ordinal()},
        .ndim = rank,
        .dtype = {type.dlpack_code, static_cast<std::uint8_t>(8 * item_size(array.dtype())), 1},
        .shape = made->shape.data(),
        .strides = made->strides.data(),
        .byte_offset = 0,
    };
    made->tensor.manager_ctx = made.get();
    made->tensor.deleter = Exported<Managed>::destroy;
    made->array = array;
    return made;
}

}  // namespace

DLManagedTensorVersioned* to_dlpack(const Array& array, const DlpackOptions& options) try {
    auto made = export_array<DLManagedTensorVersioned>(array, options);
    made->tensor.version = {1, 2};
    made->tensor.flags = array.is_read_only() ? dlpack::flag_read_only : 0;
    return &made.release()->tensor;
} catch (...) {
    rethrow_as_error();
}

DLManagedTensor* to_dlpack_unversioned(const Array& array, const DlpackOptions& options) try {
    if (array.is_read_only()) {
        refuse<TypeError>({ErrorKind::read_only, {}, "a writable array", "a read-only array"},
                          "{}_unversioned: the array is read-only, but a tensor without a version "
                          "cannot be marked read-only; pass a copy(), or use to_dlpack",
                          export_name);
    }
    return &export_array<DLManagedTensor>(array, options).release()->tensor;
} catch (...) {
    rethrow_as_error();
}

std::int64_t dlpack_stream(const Stream& stream) noexcept {
    const auto handle = reinterpret_cast<std::intptr_t>(stream.handle());
    return handle == 0 ? 1 : static_cast<std::int64_t>(handle);
}

}  // namespace kgen
