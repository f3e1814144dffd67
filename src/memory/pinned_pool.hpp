// SPDX-License-Identifier: MIT
//
// PinnedPool: the pool of pinned host memory. If a block is freed while streams still copy from or to it, the
// pool hands it out again only after these copies. One event for each stream marks their end. Thread-safe.
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
    // Returns the pool of the process. It is never destroyed, because arrays may outlive static objects.
    static PinnedPool& get();

    // Returns a block of at least `bytes` bytes. It returns to the pool when its last owner is destroyed.
    // Throws DeviceError.
    std::shared_ptr<void> allocate(std::size_t bytes);
    // If the address is in a block in use, records that `stream` uses the block and returns true. The block
    // is then not handed out again before the work given to `stream` so far has finished. Otherwise returns
    // false.
    bool used_on(const void* address, const Stream& stream);
    // Returns true if the address is in a block in use.
    bool holds(const void* address);

    MemoryPoolStatistics statistics() const;
    void set_limit(std::uint64_t bytes);
    // Frees kept blocks that no stream uses any more, the largest first, until at most `keep_bytes` are kept.
    void trim(std::uint64_t keep_bytes);

private:
    // The last use of a block by a stream. The stream may have been destroyed since, so its handle serves
    // only to recognise it.
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
    std::vector<Block> take_kept(std::uint64_t keep_bytes);  // the caller holds mutex_
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
