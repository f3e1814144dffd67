// SPDX-License-Identifier: MIT
//
// Calls of the driver without kgen, as the reference of measurements. The library is the one that kgen uses.
// It is opened at run time, so no CUDA header is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <kgen/bound_launch.hpp>

namespace kgen::bench {

// A flag in pinned memory of the host, which the device can read. The object frees the memory.
class PinnedFlag {
public:
    PinnedFlag();
    ~PinnedFlag();
    PinnedFlag(const PinnedFlag&) = delete;
    PinnedFlag& operator=(const PinnedFlag&) = delete;

    void set(std::int32_t value) noexcept { *value_ = value; }
    void* address() const noexcept { return const_cast<std::int32_t*>(value_); }

private:
    volatile std::int32_t* value_ = nullptr;
};

// The functions and classes below use the primary context of current_device() and throw DeviceError if a call
// of the driver fails.

// Calls cuMemsetD8Async.
void bare_memset(void* destination, int byte, std::size_t count, CUstream_st* stream);

// Calls cuMemcpyAsync. Both addresses may be of the host or of the device.
void bare_copy(void* destination, const void* source, std::size_t count, CUstream_st* stream);

// Whether each of two GPUs can access memory of the other (cuDeviceCanAccessPeer).
bool are_peers(Device one, Device other);

// Calls cuMemcpyPeerAsync from one GPU to another. The stream may be of either.
class BarePeerCopy {
public:
    BarePeerCopy(Device to, Device from);
    void operator()(void* destination,
                    const void* source,
                    std::size_t count,
                    CUstream_st* stream) const;

private:
    void* to_;  // the primary contexts
    void* from_;
};

// Launches the kernel of a BoundLaunch by cuLaunchKernel, without any check. The BoundLaunch must outlive the
// object.
class BareLaunch {
public:
    explicit BareLaunch(const NativeLaunch& native);
    BareLaunch(const BareLaunch&) = delete;
    BareLaunch& operator=(const BareLaunch&) = delete;

    void operator()() const {
        launch_(native_.function,
                native_.grid,
                native_.grid_y,
                native_.grid_z,
                native_.block,
                native_.block_y,
                native_.block_z,
                native_.shared_bytes,
                native_.stream,
                nullptr,
                extra_.data());
    }

private:
    using Launch = int(void* function,
                       unsigned grid_x,
                       unsigned grid_y,
                       unsigned grid_z,
                       unsigned block_x,
                       unsigned block_y,
                       unsigned block_z,
                       unsigned shared_bytes,
                       CUstream_st* stream,
                       void** parameters,
                       void* const* extra);
    NativeLaunch native_;
    std::array<void*, 5> extra_;
    Launch* launch_;
};

// A graph that the driver captured from the work that `work` gave to the stream.
class BareGraph {
public:
    BareGraph(CUstream_st* stream, const std::function<void()>& work);
    ~BareGraph();
    BareGraph(const BareGraph&) = delete;
    BareGraph& operator=(const BareGraph&) = delete;

    void launch() const;

private:
    CUstream_st* stream_;
    void* graph_ = nullptr;
    void* executable_ = nullptr;
};

}  // namespace kgen::bench
