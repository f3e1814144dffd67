// SPDX-License-Identifier: MIT
//
// DeviceFault: the first error that made the GPU unusable for this process. After an error such as an illegal
// address, every driver call fails until the process ends. DeviceFault remembers the first error and throws
// it again for later calls, so that the user sees the cause and not a consequence. Thread-safe.
#pragma once

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <kgen/error.hpp>
#include <kgen/launch_config.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>

namespace kgen {

// LaunchExtents: the extents of a grid or a thread block in 8 bytes, which DeviceFault stores for each
// launch. All extents are 0 if they are not known.
struct alignas(8) LaunchExtents {
    std::uint32_t x = 0;
    std::uint16_t y = 0;
    std::uint16_t z = 0;
    friend bool operator==(const LaunchExtents&, const LaunchExtents&) = default;
};

// Converts extents that were checked against the limits of a GPU: fewer than 2^16 blocks along y and z.
inline LaunchExtents checked_extents(const LaunchDims& dims) noexcept {
    return {static_cast<std::uint32_t>(dims.x),
            static_cast<std::uint16_t>(dims.y),
            static_cast<std::uint16_t>(dims.z)};
}

// Returns for example "(4, 1, 1)".
template <typename Extents>
std::string extents_text(const Extents& extents) {
    return fmt::format("({}, {}, {})", extents.x, extents.y, extents.z);
}

class DeviceFault {
public:
    // Returns true if, according to cuda.h, the process must be restarted after this result to use the GPU
    // again.
    static bool is_sticky(int result) noexcept;

    // Throws the first error again if there was one. Otherwise it costs one load.
    void throw_if_lost() const {
        if (is_lost()) throw_first();
    }
    bool is_lost() const noexcept { return is_lost_.load(std::memory_order_acquire); }

    // The cause of a failure: a launch before the failed call, or the one that the failure text already
    // names.
    enum class Culprit : std::uint8_t { earlier_launch, named };

    // Remembers the failure if it is the first one, then throws the first one. `device` is for the message:
    // "cuda:0". If an earlier launch is the culprit, the message lists the last launches.
    [[noreturn]] void lose(const std::string& failure,
                           const char* call,
                           int code,
                           const std::string& device,
                           Culprit culprit = Culprit::earlier_launch);

    // Returns a copy of the name that lives as long as this object, for note_launch.
    const std::string* intern(const std::string& kernel);
    // Records a launch, because a later call reports its fault. Wait-free.
    void note_launch(const std::string* what,
                     LaunchExtents grid = {},
                     LaunchExtents block = {}) noexcept {
        // The atomic addition gives each launch an element of its own, so that two threads do not mix theirs.
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

    // Returns "'a' with grid (4, 1, 1) and block (64, 1, 1), 'b' (2 times)", the latest launch first; empty
    // if nothing was launched.
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
