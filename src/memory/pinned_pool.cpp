// SPDX-License-Identifier: MIT
#include "memory/pinned_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <kgen/error.hpp>
#include <utility>

#include "device/memory_backend.hpp"
#include "device/registry.hpp"
#include "text/log.hpp"

namespace kgen {

namespace {

// Returns the device that allocates pinned memory. Any GPU will do, because the memory is pinned for all.
const MemoryBackend& pinning_device() {
    return *backend(default_gpu).memory();
}

}  // namespace

PinnedPool& PinnedPool::get() {
    static auto* pool = new PinnedPool;
    return *pool;
}

bool PinnedPool::Block::is_idle() {
    std::erase_if(uses, [](const Use& use) { return use.done.is_done(); });
    return uses.empty();
}

// Rounds up to one of eight sizes per power of two. At most 1/8 is wasted, and blocks are often reused.
std::size_t PinnedPool::rounded(std::size_t bytes) {
    const std::size_t step = std::max(std::bit_ceil(bytes) / 16, std::size_t{4096});
    return (std::max(bytes, std::size_t{1}) + step - 1) / step * step;
}

std::shared_ptr<void> PinnedPool::allocate(std::size_t bytes) {
    const std::size_t wanted = rounded(bytes);
    const MemoryBackend& device = pinning_device();
    Block block;
    std::vector<Block> unneeded;
    {
        const std::lock_guard lock(mutex_);
        const auto [first, last] = kept_.equal_range(wanted);
        const auto idle =
            std::find_if(first, last, [](auto& kept) { return kept.second.is_idle(); });
        if (idle != last) {
            block = std::move(idle->second);
            kept_.erase(idle);
            kept_bytes_ -= wanted;
        } else if (limit_bytes_ != 0 && used_bytes_ + kept_bytes_ + wanted > limit_bytes_) {
            unneeded = take_kept(0);
            if (used_bytes_ + kept_bytes_ + wanted > limit_bytes_) {
                for (Block& kept : unneeded) {
                    kept_bytes_ += kept.bytes;
                    kept_.emplace(kept.bytes, std::move(kept));
                }
                throw DeviceError(
                    fmt::format("host: cannot pin {} bytes: {} are in use, and "
                                "set_memory_pool_limit allows {}",
                                bytes,
                                used_bytes_,
                                limit_bytes_));
            }
        }
    }
    for (const Block& kept : unneeded) device.free_pinned(kept.memory);
    if (block.memory == nullptr) {
        block.memory = static_cast<std::byte*>(device.allocate_pinned(wanted));
        block.bytes = wanted;
    }
    std::byte* const memory = block.memory;
    try {
        const std::lock_guard lock(mutex_);
        used_.emplace(memory, std::move(block));
        used_bytes_ += wanted;
        most_bytes_ = std::max(most_bytes_, used_bytes_ + kept_bytes_);
    } catch (...) {
        device.free_pinned(memory);
        throw;
    }
    return {memory, [](std::byte* gone) { get().give_back(gone); }};
}

void PinnedPool::give_back(std::byte* memory) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        const auto found = used_.find(memory);
        kept_.emplace(found->second.bytes, found->second);
        used_bytes_ -= found->second.bytes;
        kept_bytes_ += found->second.bytes;
        used_.erase(found);
    } catch (const std::exception& error) {
        // The block is counted as used from now on.
        log().error("pinned host memory leaks: {}", error.what());
    }
}

std::map<const std::byte*, PinnedPool::Block>::iterator PinnedPool::find(const void* address) {
    const auto* at = static_cast<const std::byte*>(address);
    auto found = used_.upper_bound(at);
    if (found == used_.begin()) return used_.end();
    --found;
    return at < found->first + found->second.bytes ? found : used_.end();
}

bool PinnedPool::used_on(const void* address, const Stream& stream) {
    const std::lock_guard lock(mutex_);
    const auto found = find(address);
    if (found == used_.end()) return false;
    std::vector<Use>& uses = found->second.uses;
    auto known = std::find_if(uses.begin(), uses.end(), [&](const Use& use) {
        return use.device == stream.device() && use.stream == stream.handle();
    });
    if (known == uses.end())
        known = uses.insert(uses.end(), {stream.device(), stream.handle(), Event(stream.device())});
    known->done.record(stream);
    return true;
}

bool PinnedPool::holds(const void* address) {
    const std::lock_guard lock(mutex_);
    return find(address) != used_.end();
}

MemoryPoolStatistics PinnedPool::statistics() const {
    const std::lock_guard lock(mutex_);
    return {.used_bytes = used_bytes_,
            .kept_bytes = kept_bytes_,
            .reserved_bytes = used_bytes_ + kept_bytes_,
            .peak_reserved_bytes = most_bytes_,
            .limit_bytes = limit_bytes_};
}

void PinnedPool::set_limit(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_bytes_ = bytes;
}

std::vector<PinnedPool::Block> PinnedPool::take_kept(std::uint64_t keep_bytes) {
    std::vector<Block> taken;
    for (auto kept = kept_.end(); kept != kept_.begin() && kept_bytes_ > keep_bytes;) {
        --kept;
        if (!kept->second.is_idle()) continue;
        kept_bytes_ -= kept->first;
        taken.push_back(std::move(kept->second));
        kept = kept_.erase(kept);
    }
    return taken;
}

void PinnedPool::trim(std::uint64_t keep_bytes) {
    std::vector<Block> taken;
    {
        const std::lock_guard lock(mutex_);
        taken = take_kept(keep_bytes);
    }
    for (const Block& block : taken) pinning_device().free_pinned(block.memory);
}

}  // namespace kgen
