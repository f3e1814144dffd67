// SPDX-License-Identifier: MIT
//
// Scratch memory for launches on the host. A launch is complete when it returns, so all launches of a thread
// share one memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/backend.hpp"

namespace kgen {

class HostScratch {
public:
    // The scratch memory of the calling thread, released when the thread ends.
    static HostScratch& of_this_thread();

    // Returns scratch memory. Invalidates what was returned before. Throws DeviceError if there is not enough
    // memory.
    Scratch take(std::size_t counters, std::size_t bytes);
    // Clears the counters after a launch that did not finish, because it may have left some above zero.
    void reset_counters() noexcept;

private:
    struct Release {
        void operator()(void* memory) const noexcept;
    };
    std::vector<std::uint32_t> counters_;
    std::unique_ptr<void, Release> partials_;
    std::size_t bytes_ = 0;
};

}  // namespace kgen
