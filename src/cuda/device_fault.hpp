// SPDX-License-Identifier: MIT
//
// The first error that cost a process its GPU. After an illegal address and its like every call of
// the driver fails until the process ends: the first error is remembered and thrown again at once,
// so that the user reads the cause and not its echoes. Thread safe.
#pragma once

#include <array>
#include <atomic>
#include <kgen/error.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>

namespace kgen {

class DeviceFault {
public:
    // Whether cuda.h says of a result that the process must be restarted to use the GPU again.
    static bool is_sticky(int result) noexcept;

    // Throws the first error again, if there was one. Costs one load if not.
    void throw_if_lost() const {
        if (is_lost()) throw_first();
    }
    bool is_lost() const noexcept { return is_lost_.load(std::memory_order_acquire); }

    // Remembers the failure if it is the first, with what was launched before it, and throws the
    // first. `device` is for the message: "cuda:0".
    [[noreturn]] void lose(const std::string& failure,
                           const char* call,
                           int code,
                           const std::string& device);

    // A name that lives as long as this object, for note_launch.
    const std::string* intern(const std::string& kernel);
    // Keeps the names of the last launches: a fault is reported by a later call.
    void note_launch(const std::string* kernel) noexcept {
        const unsigned at = next_.load(std::memory_order_relaxed);
        recent_[at % recent_.size()].store(kernel, std::memory_order_relaxed);
        next_.store(at + 1, std::memory_order_relaxed);
    }

private:
    // "'a', 'b'", the latest last, each once; empty if nothing was launched.
    std::string recent_launches() const;
    [[noreturn]] void throw_first() const;

    std::atomic<bool> is_lost_ = false;
    mutable std::mutex mutex_;
    std::optional<DeviceError> first_;
    std::unordered_set<std::string> names_;
    std::array<std::atomic<const std::string*>, 4> recent_ = {};
    std::atomic<unsigned> next_ = 0;
};

}  // namespace kgen
