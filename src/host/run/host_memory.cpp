// SPDX-License-Identifier: MIT
#include "host/run/host_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <kgen/error.hpp>
#include <limits>
#include <new>

namespace kgen {
namespace {

constexpr std::size_t alignment = 64;  // a cache line, and the widest vector
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
constexpr std::size_t large_bytes = 2 * huge_page_bytes;

// Rounds large blocks up to eighths of a power of two, so that a freed block serves many requests.
std::size_t size_class(std::size_t bytes) noexcept {
    if (bytes < large_bytes || bytes > std::numeric_limits<std::size_t>::max() / 4) return bytes;
    std::size_t step = huge_page_bytes;
    while (step * 16 <= bytes) step *= 2;
    return (bytes + step - 1) / step * step;
}

void* fresh(std::size_t bytes) noexcept {
    void* pointer = nullptr;
    const bool is_large = bytes >= large_bytes;
    if (::posix_memalign(&pointer, is_large ? huge_page_bytes : alignment, bytes) != 0) {
        return nullptr;
    }
    // One page fault per 2 MiB instead of 512. It is only advice and may fail.
    if (is_large) ::madvise(pointer, bytes, MADV_HUGEPAGE);
    return pointer;
}

std::size_t machine_and_swap_bytes() noexcept {
    struct sysinfo info {};
    if (::sysinfo(&info) != 0) return std::numeric_limits<std::size_t>::max() / 4;
    return (std::size_t{info.totalram} + info.totalswap) * info.mem_unit;
}

}  // namespace

HostMemory::~HostMemory() {
    release_kept();
}

void* HostMemory::allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    // Impossible sizes are refused here, because the system might grant them and end the process later.
    if (bytes <= machine_and_swap_bytes()) {
        const std::size_t size = size_class(bytes);
        if (void* kept = take_kept(size)) return kept;
        if (void* pointer = fresh(size)) return pointer;
        release_kept();
        if (void* pointer = fresh(size)) return pointer;
    }
    throw DeviceError(
        fmt::format(
            "out of memory on the host device: cannot allocate {} bytes; this machine has {}",
            bytes,
            machine_bytes()),
        "posix_memalign",
        ENOMEM);
}

void HostMemory::free(void* pointer, std::size_t bytes) noexcept {
    const std::size_t size = size_class(bytes);
    if (pointer == nullptr || size < large_bytes || size > kept_limit_bytes_) {
        std::free(pointer);
        return;
    }
    const std::lock_guard lock(mutex_);
    try {
        kept_.push_back({pointer, size});
    } catch (const std::bad_alloc&) {
        std::free(pointer);
        return;
    }
    kept_bytes_ += size;
    while (kept_bytes_ > kept_limit_bytes_) {
        std::free(kept_.front().pointer);
        kept_bytes_ -= kept_.front().bytes;
        kept_.erase(kept_.begin());
    }
}

std::size_t HostMemory::kept_bytes() const noexcept {
    const std::lock_guard lock(mutex_);
    return kept_bytes_;
}

void* HostMemory::take_kept(std::size_t bytes) noexcept {
    if (bytes < large_bytes) return nullptr;
    const std::lock_guard lock(mutex_);
    // The block freed last is the most likely to be in the CPU's caches.
    const auto found = std::find_if(
        kept_.rbegin(), kept_.rend(), [&](const Block& block) { return block.bytes == bytes; });
    if (found == kept_.rend()) return nullptr;
    void* pointer = found->pointer;
    kept_bytes_ -= found->bytes;
    kept_.erase(std::next(found).base());
    return pointer;
}

void HostMemory::release_kept() noexcept {
    const std::lock_guard lock(mutex_);
    for (const Block& block : kept_) std::free(block.pointer);
    kept_.clear();
    kept_bytes_ = 0;
}

std::int64_t HostMemory::machine_bytes() noexcept {
    return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t HostMemory::default_kept_limit_bytes() noexcept {
    return std::min(static_cast<std::size_t>(machine_bytes()) / 8, std::size_t{1} << 30);
}

}  // namespace kgen
