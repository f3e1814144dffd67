// SPDX-License-Identifier: MIT
//
// PinnedPool: the pinned memory of the host. A block that is freed while streams still copy from or to it
// waits, with an event for each of them, until it may be handed out again. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/memory_pool.hpp>
#include <kgen/stream.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace kgen {

class PinnedPool {
public:
    // The process's; never destroyed, as arrays may outlive static objects.
    static PinnedPool& get();

    // At least so many bytes; the block comes back when the last owner goes. Throws DeviceError.
    std::shared_ptr<void> allocate(std::size_t bytes);
    // True if the address is in a block that is in use; that is then not handed out again before what
    // `stream` was given so far is done.
    bool used_on(const void* address, const Stream& stream);
    bool holds(const void* address);

    MemoryPoolStatistics statistics() const;
    void set_limit(std::uint64_t bytes);
    // Frees kept blocks that nothing uses, the largest first, until `keep_bytes` are kept.
    void trim(std::uint64_t keep_bytes);

private:
    // The last copy that a stream was given. The stream may be gone since: its handle only tells it
    // from others.
    struct Use {
        Device device;
        const void* stream = nullptr;
        Event done;
    };
    struct Block {
        std::byte* memory = nullptr;
        std::size_t bytes = 0;
        std::vector<Use> uses;
        bool is_idle();
    };

    static std::size_t rounded(std::size_t bytes);
    void give_back(std::byte* memory) noexcept;
    std::vector<Block> take_kept(std::uint64_t keep_bytes);  // mutex_ is held
    std::map<const std::byte*, Block>::iterator find(const void* address);

    mutable std::mutex mutex_;
    std::map<const std::byte*, Block> used_;
    std::multimap<std::size_t, Block> kept_;
    std::uint64_t used_bytes_ = 0;
    std::uint64_t kept_bytes_ = 0;
    std::uint64_t most_bytes_ = 0;
    std::uint64_t limit_bytes_ = 0;
};

}  // namespace kgen
