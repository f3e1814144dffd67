// SPDX-License-Identifier: MIT
//
// BoundLaunch: a kernel call with fixed arguments and a fixed stream, to be launched repeatedly.
#pragma once

#include <cstddef>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <kgen/stream.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace kgen {

class FrozenLaunch;  // src/kernel/frozen_launch.hpp: the checked and compiled call
class Pipeline;
class RawKernel;

// The arguments of cuLaunchKernel for a bound launch, for graph builders and benchmarks. The kernel
// parameters are one buffer, to be passed with CU_LAUNCH_PARAM_BUFFER_POINTER and
// CU_LAUNCH_PARAM_BUFFER_SIZE.
struct NativeLaunch {
    // CUfunction, valid as long as any copy of the BoundLaunch; nullptr if there is nothing to launch.
    void* function = nullptr;
    unsigned grid = 0;  // thread blocks along x
    unsigned grid_y = 1;
    unsigned grid_z = 1;
    unsigned block = 0;  // threads per block along x
    unsigned block_y = 1;
    unsigned block_z = 1;
    unsigned shared_bytes = 0;
    const void* parameters = nullptr;  // valid as long as any copy of the BoundLaunch
    std::size_t parameter_bytes = 0;
    CUstream_st* stream = nullptr;
};

// A copyable handle to a bound kernel call, returned by a kernel's bind(). It keeps the arrays, the stream
// and the compiled kernel alive, even after the kernel object is destroyed. launch() is thread-safe, but
// launches that may run at the same time need bound calls with outputs of their own.
class KGEN_EXPORT BoundLaunch {
public:
    // Launches the kernel on the stream that the call was bound to: on(stream), or the stream that was
    // current in bind(). Does nothing if there are no elements. Throws DeviceError.
    void launch() const;
    void operator()() const { launch(); }

    // Returns the outputs, given or allocated by bind(). Each launch writes the same memory. The list is
    // empty for a RawKernel because its outputs are not known.
    const std::vector<Array>& outputs() const noexcept;
    const Stream& stream() const noexcept;

    // Returns the arguments for cuLaunchKernel. Throws DeviceError on the host, and if cuLaunchKernel cannot
    // express the launch: with a cluster, cooperative, with a priority, or programmatic_dependent. A caller
    // that launches it on another stream must order the two streams.
    NativeLaunch native() const;

private:
    friend class Pipeline;   // src/call/pipeline.hpp: the stages of a generated kernel's call
    friend class RawKernel;  // <kgen/raw_kernel.hpp>
    explicit BoundLaunch(std::shared_ptr<const FrozenLaunch> launch) : launch_(std::move(launch)) {}
    std::shared_ptr<const FrozenLaunch> launch_;
};

}  // namespace kgen
