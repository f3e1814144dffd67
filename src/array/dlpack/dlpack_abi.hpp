// SPDX-License-Identifier: MIT
//
// The binary interface of DLPack 1 (https://dmlc.github.io/dlpack/latest/c_api.html). It is declared here
// because distributions ship an older header. Names, order and types are fixed by the standard.
#pragma once

#include <cstdint>

#include "dtype/dtype_table.hpp"

namespace kgen::dlpack {

enum DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

struct Device {
    std::int32_t device_type;
    std::int32_t device_id;
};

struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};

struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;  // in elements
    std::uint64_t byte_offset;
};

struct Version {
    std::uint32_t major;
    std::uint32_t minor;
};

inline constexpr std::uint64_t flag_read_only = 1;

}  // namespace kgen::dlpack

struct DLManagedTensor {
    kgen::dlpack::Tensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor* self);
};

struct DLManagedTensorVersioned {
    kgen::dlpack::Version version;
    void* manager_ctx;
    void (*deleter)(DLManagedTensorVersioned* self);
    std::uint64_t flags;
    kgen::dlpack::Tensor dl_tensor;
};
