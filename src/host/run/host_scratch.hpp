// SPDX-License-Identifier: MIT
//
// Scratch memory for launches on the host. A launch is complete when it returns, so that each thread
// that launches has memory of its own, which serves all its launches one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/backend.hpp"

namespace kgen {

class HostScratch {
public:
    // The calling thread's own; gone with the thread.
    static HostScratch& of_this_thread();

    // What was taken before is no longer valid. Throws DeviceError if there is not so much memory.
    Scratch take(std::size_t counters, std::size_t bytes);
    // After a launch that did not run to its end: it may have left counters behind.
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
