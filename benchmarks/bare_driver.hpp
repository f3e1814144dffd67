// SPDX-License-Identifier: MIT
//
// The driver's own calls, for what must be measured bare. The library is opened at run time, the
// same that kgen uses; no CUDA header is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <kgen/bound_launch.hpp>

namespace kgen::bench {

// Memory of the host that the device reads too; freed with its object.
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

// All throw DeviceError if the driver refuses. The context is the primary one of current_device().
void bare_memset(void* destination, int byte, std::size_t count, CUstream_st* stream);

// cuMemcpyAsync: between any two of the host's and the device's addresses.
void bare_copy(void* destination, const void* source, std::size_t count, CUstream_st* stream);

// cuLaunchKernel of what a BoundLaunch launches, which must live as long; nothing is checked.
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

// What `work` gives to the stream through the driver, captured and replayed by it.
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
