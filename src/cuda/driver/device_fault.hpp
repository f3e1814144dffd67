// SPDX-License-Identifier: MIT
//
// The first error that cost a process its GPU. After an illegal address and its like every call of
// the driver fails until the process ends: the first error is remembered and thrown again at once,
// so that the user reads the cause and not its echoes. Thread safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <kgen/error.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>

#include "cuda/kernel/launch_extents.hpp"

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

    // Whose work failed: that of a launch before the call, or of the one that the failure names.
    enum class Culprit : std::uint8_t { earlier_launch, named };

    // Remembers the failure if it is the first, and throws the first. `device` is for the message:
    // "cuda:0". The last launches are named where one of them is the culprit.
    [[noreturn]] void lose(const std::string& failure,
                           const char* call,
                           int code,
                           const std::string& device,
                           Culprit culprit = Culprit::earlier_launch);

    // A name that lives as long as this object, for note_launch.
    const std::string* intern(const std::string& kernel);
    // Keeps what was launched last: a fault is reported by a later call. Wait-free.
    void note_launch(const std::string* what,
                     LaunchExtents grid = {},
                     LaunchExtents block = {}) noexcept {
        // One atomic addition, so that launches of two threads do not mix in one place.
        Note& note = recent_[next_.fetch_add(1, std::memory_order_relaxed) % recent_.size()];
        note.what.store(what, std::memory_order_relaxed);
        note.grid.store(grid, std::memory_order_relaxed);
        note.block.store(block, std::memory_order_relaxed);
    }

private:
    struct Note {
        std::atomic<const std::string*> what = nullptr;
        std::atomic<LaunchExtents> grid = {};
        std::atomic<LaunchExtents> block = {};
    };
    static_assert(std::atomic<LaunchExtents>::is_always_lock_free);

    // "'a' with grid (4, 1, 1) and block (64, 1, 1), 'b' (2 times)", the latest first; empty if
    // nothing was launched.
    std::string recent_launches() const;
    [[noreturn]] void throw_first() const;

    std::atomic<bool> is_lost_ = false;
    mutable std::mutex mutex_;
    std::optional<DeviceError> first_;
    std::unordered_set<std::string> names_;
    std::array<Note, 8> recent_ = {};
    std::atomic<unsigned> next_ = 0;
};

}  // namespace kgen
