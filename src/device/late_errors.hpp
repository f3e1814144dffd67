// SPDX-License-Identifier: MIT
//
// Late errors: errors of work that a device has queued, which another thread than the one that queued it has found. The
// next function that waits for the device throws them.
#pragma once

#include <atomic>
#include <exception>
#include <kgen/device.hpp>

namespace kgen {

class LateErrors {
public:
    static void add(Device device, std::exception_ptr error);
    // Throws an error of the device, once.
    static void rethrow(Device device) {
        if (count_.load(std::memory_order_acquire) != 0) [[unlikely]]
            rethrow_first(device);
    }

private:
    static void rethrow_first(Device device);
    static std::atomic<int> count_;
};

}  // namespace kgen
