// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/dlpack.hpp>
#include <kgen/error.hpp>
#include <limits>
#include <memory>
#include <string>

#include "array/dlpack/dlpack_abi.hpp"
#include "device/device_traits.hpp"
#include "memory/layout.hpp"
#include "memory/memory_check.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

constexpr const char* import_name = "from_dlpack";

DType dtype_of_tensor(const dlpack::DataType& type) {
    for (const DType dtype : all_dtypes) {
        if (type.code == row_of(dtype).dlpack_code && type.bits == 8 * item_size(dtype) &&
            type.lanes == 1)
            return dtype;
    }
    refuse<TypeError>(
        {ErrorKind::dtype,
         {},
         "bool, int8 to complex128",
         fmt::format("type code {}, {} bits, {} lanes", type.code, type.bits, type.lanes)},
        "{}: the tensor has type code {}, {} bits, {} lanes; expected a dtype of kgen "
        "(bool, int8 to complex128)",
        import_name,
        type.code,
        type.bits,
        type.lanes);
}

Device device_of_tensor(const dlpack::Device& device) {
    for (const DeviceTraits& row : device_table) {
        const auto& [own, shared] = row.dlpack_types;
        if ((device.device_type == own || device.device_type == shared) &&
            (device.device_id >= 0 || row.is_single)) {
            return row.device(device.device_id);
        }
    }
    std::string expected;
    for (const DeviceTraits& row : device_table) {
        expected += fmt::format("{}{} (type {} or {})",
                                expected.empty() ? "" : " or ",
                                row.title,
                                row.dlpack_types[0],
                                row.dlpack_types[1]);
    }
    refuse<DeviceError>(
        {ErrorKind::device,
         {},
         expected,
         fmt::format("device type {}, number {}", device.device_type, device.device_id)},
        "{}: the tensor is on device type {}, number {}; expected {}",
        import_name,
        device.device_type,
        device.device_id,
        expected);
}

Dims shape_of_tensor(const dlpack::Tensor& tensor) {
    if (tensor.ndim < 0 || tensor.ndim > max_rank) {
        refuse<ShapeError>({ErrorKind::shape,
                            {},
                            fmt::format("0 to {} axes", max_rank),
                            fmt::format("{} axes", tensor.ndim)},
                           "{}: the tensor has {} axes; an Array has 0 to {}",
                           import_name,
                           tensor.ndim,
                           max_rank);
    }
    if (tensor.ndim > 0 && tensor.shape == nullptr)
        refuse<ShapeError>({ErrorKind::shape, {}, "a shape", "null"},
                           "{}: the tensor has {} axes, but its shape is null",
                           import_name,
                           tensor.ndim);
    Dims shape;
    for (int axis = 0; axis < tensor.ndim; ++axis) shape.push_back(tensor.shape[axis]);
    return shape;
}

// Strides in bytes. C order if not given.
std::optional<Dims> strides_of_tensor(const dlpack::Tensor& tensor, DType dtype) {
    if (tensor.strides == nullptr) return {};
    const auto item = static_cast<std::int64_t>(item_size(dtype));
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / item;
    Dims strides;
    for (int axis = 0; axis < tensor.ndim; ++axis) {
        const std::int64_t stride = tensor.strides[axis];
        if (stride > most || stride < -most) {
            refuse<ShapeError>({ErrorKind::layout, {}, {}, std::to_string(stride)},
                               "{}: stride {} of axis {} exceeds the address space",
                               import_name,
                               stride,
                               axis);
        }
        strides.push_back(stride * item);
    }
    return strides;
}

void* address_of_tensor(const dlpack::Tensor& tensor, std::int64_t bytes) {
    const auto data = reinterpret_cast<std::uintptr_t>(tensor.data);
    if (bytes == 0) return tensor.data;
    if (tensor.data == nullptr)
        refuse<ShapeError>({ErrorKind::value, {}, "an address", "null"},
                           "{}: the tensor has elements, but its data pointer is null",
                           import_name);
    if (tensor.byte_offset > std::numeric_limits<std::uintptr_t>::max() - data) {
        refuse<ShapeError>({ErrorKind::value, {}, {}, std::to_string(tensor.byte_offset)},
                           "{}: byte offset {} from {} is beyond the address space",
                           import_name,
                           tensor.byte_offset,
                           tensor.data);
    }
    return reinterpret_cast<void*>(data + tensor.byte_offset);
}

template <typename Managed>
std::shared_ptr<void> take(Managed* tensor) {
    if (tensor == nullptr)
        refuse<TypeError>({ErrorKind::argument_type, {}, "a tensor", "null"},
                          "{}: the tensor is null",
                          import_name);
    // shared_ptr also calls the deleter if it cannot allocate its own memory.
    return {tensor, [](Managed* taken) {
                if (taken->deleter != nullptr) taken->deleter(taken);
            }};
}

Array array_of(const dlpack::Tensor& tensor,
               std::shared_ptr<void> owner,
               Mutability mutability,
               const DlpackOptions& options) {
    const Device device = device_of_tensor(tensor.device);
    const DType dtype = dtype_of_tensor(tensor.dtype);
    const Dims shape = shape_of_tensor(tensor);
    const std::int64_t bytes = checked_size_bytes(shape, dtype);
    void* const address = address_of_tensor(tensor, bytes);
    ViewOptions view{.device = device,
                     .strides = strides_of_tensor(tensor, dtype),
                     .owner = std::move(owner),
                     .mutability = mutability};
    if (traits(device).is_asynchronous)
        view.stream = options.stream ? *options.stream : current_stream(device);
    const Array array = Array::view(address, dtype, shape, view);
    check_foreign(fmt::format("{}: the tensor", import_name), array);
    return array;
}

}  // namespace

Array from_dlpack(DLManagedTensorVersioned* tensor, const DlpackOptions& options) try {
    std::shared_ptr<void> owner = take(tensor);
    // If the version is another one, only the deleter may be accessed.
    if (tensor->version.major != 1) {
        refuse<TypeError>(
            {ErrorKind::argument_type,
             {},
             "DLPack version 1",
             fmt::format("DLPack version {}.{}", tensor->version.major, tensor->version.minor)},
            "{}: the tensor has DLPack version {}.{}, expected 1",
            import_name,
            tensor->version.major,
            tensor->version.minor);
    }
    if (tensor->version.minor >= 2 && tensor->dl_tensor.ndim > 0 &&
        tensor->dl_tensor.strides == nullptr) {
        refuse<ShapeError>(
            {ErrorKind::layout, {}, "strides", "no strides"},
            "{}: the tensor has no strides, but DLPack requires them since version 1.2",
            import_name);
    }
    const bool is_read_only = (tensor->flags & dlpack::flag_read_only) != 0;
    return array_of(tensor->dl_tensor,
                    std::move(owner),
                    is_read_only ? Mutability::read_only : Mutability::writable,
                    options);
} catch (...) {
    rethrow_as_error();
}

Array from_dlpack(DLManagedTensor* tensor, const DlpackOptions& options) try {
    std::shared_ptr<void> owner = take(tensor);
    return array_of(tensor->dl_tensor, std::move(owner), Mutability::writable, options);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
