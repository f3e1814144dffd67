// SPDX-License-Identifier: MIT
//
// BoundLaunch: one call of a kernel, frozen: the same arrays, numbers and stream at each launch.
#pragma once

#include <cstddef>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <kgen/stream.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace kgen {

class FrozenLaunch;  // src/kernel/frozen_launch.hpp: what bind() found out
class Pipeline;
class RawKernel;

// What a bound launch gives to cuLaunchKernel, for graph builders and benchmarks. The parameters are
// one block, passed with CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE.
struct NativeLaunch {
    // CUfunction, which lives as long as any copy of the BoundLaunch; nullptr where there is nothing to
    // launch.
    void* function = nullptr;
    unsigned grid = 0;  // blocks along x
    unsigned grid_y = 1;
    unsigned grid_z = 1;
    unsigned block = 0;  // threads of a block along x
    unsigned block_y = 1;
    unsigned block_z = 1;
    unsigned shared_bytes = 0;
    const void* parameters = nullptr;  // lives as long as any copy of the BoundLaunch
    std::size_t parameter_bytes = 0;
    CUstream_st* stream = nullptr;
};

// Made by a kernel's bind(). It keeps its arrays, its stream and the compiled kernel alive, also
// where the kernel object goes. A copyable handle; launches from several threads are safe.
class KGEN_EXPORT BoundLaunch {
public:
    // Runs the kernel once more, in the stream that the call was bound to: on(stream), or the one
    // that was current then. Does nothing if there are no elements. Throws DeviceError.
    void launch() const;
    void operator()() const { launch(); }

    // The outputs, given or new: the same memory at each launch. None of a RawKernel, which does not
    // say what it writes.
    const std::vector<Array>& outputs() const noexcept;
    const Stream& stream() const noexcept;

    // For CUDA. Throws DeviceError on the host, whose kernels are no driver's functions, and where
    // cuLaunchKernel cannot say how to launch (clusters and their like). Who launches it on another
    // stream sees to the order himself.
    NativeLaunch native() const;

private:
    friend class Pipeline;   // src/call/pipeline.hpp: what all generated kernels run through
    friend class RawKernel;  // <kgen/raw_kernel.hpp>
    explicit BoundLaunch(std::shared_ptr<const FrozenLaunch> launch) : launch_(std::move(launch)) {}
    std::shared_ptr<const FrozenLaunch> launch_;
};

}  // namespace kgen
