// SPDX-License-Identifier: MIT
//
// DeviceTraits: the constants in which the kinds of devices differ. Code outside src/cuda and src/host asks
// for them, and not for the kind, so a new kind is a new row of device_table.
#pragma once

#include <array>
#include <cstdint>
#include <kgen/device.hpp>
#include <string_view>

#include "device/image.hpp"

namespace kgen {

// The language of the sources that a device's compiler takes. Raw programs are written in CUDA C++ and are
// translated to the others.
enum class SourceLanguage : std::uint8_t { cuda, cpp };

struct DeviceTraits {
    std::string_view name;   // "cuda", whose devices are "cuda:0", "cuda:1"
    std::string_view title;  // in messages: "CUDA"
    Device (*device)(int ordinal);
    // Whether there is exactly one device, this machine, whose name has no number. Its code is compiled for
    // this machine alone.
    bool is_single = false;
    bool uses_host_memory = false;  // whether the CPU reads and writes the elements of its arrays
    bool is_asynchronous = false;   // whether calls return before the work in their stream is done
    SourceLanguage language;
    // Whether the compiler is a program that reads files by itself: headers beside the file that includes
    // them, and what assembly names.
    bool compiler_reads_files = false;
    ImageKind image;                     // what it loads
    std::string_view default_arch = {};  // what code is compiled for if no device is present
    // The handle that means a different stream on each thread; 0 if there is none.
    std::uintptr_t per_thread_stream = 0;
    // DLPack's device types of its own memory, and of its memory that other devices can access.
    std::array<std::int32_t, 2> dlpack_types;
    std::int64_t uncached_bytes;  // larger than any of its caches
};

// In the order of DeviceKind.
inline constexpr std::array<DeviceTraits, 2> device_table = {
    {{.name = "host",
      .title = "the host",
      .device = [](int) { return Device::host(); },
      .is_single = true,
      .uses_host_memory = true,
      .language = SourceLanguage::cpp,
      .compiler_reads_files = true,
      .image = ImageKind::host_object,
      .dlpack_types = {1, 3},  // kDLCPU, kDLCUDAHost
      .uncached_bytes = std::int64_t{256} << 20},
     {.name = "cuda",
      .title = "CUDA",
      .device = Device::cuda,
      .is_asynchronous = true,
      .language = SourceLanguage::cuda,
      .image = ImageKind::cubin,
      .default_arch = "sm_90",
      .per_thread_stream = 2,   // CU_STREAM_PER_THREAD
      .dlpack_types = {2, 13},  // kDLCUDA, kDLCUDAManaged
      .uncached_bytes = std::int64_t{1024} << 20}}};

constexpr const DeviceTraits& traits(DeviceKind kind) noexcept {
    return device_table[static_cast<std::size_t>(kind)];
}
constexpr const DeviceTraits& traits(Device device) noexcept {
    return traits(device.kind());
}

// The GPU that is used where none is named: arrays are created on it, its driver pins memory, and its
// compiler checks raw programs.
inline constexpr Device default_gpu = Device::cuda(0);

}  // namespace kgen
