// SPDX-License-Identifier: MIT
#include "host/run/shared_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <kgen/error.hpp>

#include "host/kernel/host_launch_limits.hpp"

namespace kgen {

namespace {

constexpr auto pattern = std::byte{0xc5};
constexpr std::size_t guard_bytes = 65536;  // a multiple of every page size
constexpr std::size_t usable_bytes =
    (host_shared_bytes + guard_bytes - 1) / guard_bytes * guard_bytes;
// Every byte in near_bytes behind the memory is checked. Further on, one byte in far_step is.
constexpr std::size_t near_bytes = 2048;
constexpr std::size_t far_step = 2048;

// Whether each byte is the pattern: the first one is, and each equals the one before.
bool is_pattern(const std::byte* begin, const std::byte* end) noexcept {
    return begin == end ||
           (*begin == pattern &&
            std::memcmp(begin, begin + 1, static_cast<std::size_t>(end - begin - 1)) == 0);
}

}  // namespace

SharedMemory::~SharedMemory() {
    if (begin_ != nullptr) ::munmap(begin_, usable_bytes + guard_bytes);
}

void SharedMemory::fill(std::size_t from, std::size_t to) noexcept {
    if (from < to) std::memset(begin_ + from, static_cast<int>(pattern), to - from);
}

std::byte* SharedMemory::end() const noexcept {
    return begin_ + usable_bytes;
}

void* SharedMemory::take(std::size_t bytes) {
    if (begin_ == nullptr) {
        void* memory = ::mmap(nullptr,
                              usable_bytes + guard_bytes,
                              PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS,
                              -1,
                              0);
        if (memory == MAP_FAILED) {
            const int code = errno;
            throw DeviceError(
                fmt::format("the host device has no memory for the shared memory of a block ({} "
                            "bytes): {}",
                            usable_bytes,
                            std::strerror(code)),
                "mmap",
                code);
        }
        begin_ = static_cast<std::byte*>(memory);
        ::mprotect(end(), guard_bytes, PROT_NONE);
    }
    // If used_bytes has not checked the memory, it may still hold what an earlier launch wrote behind its
    // own.
    const bool is_known = is_looked_at_ && (bytes > 0 || taken_ == 0);
    fill(bytes,
         is_known ? std::min(std::max(taken_, bytes + near_bytes), usable_bytes) : usable_bytes);
    taken_ = bytes;
    is_looked_at_ = false;
    return begin_;
}

std::size_t SharedMemory::used_bytes() noexcept {
    is_looked_at_ = true;
    const std::size_t near_end = std::min(taken_ + near_bytes, usable_bytes);
    bool same = is_pattern(begin_ + taken_, taken_ == 0 ? end() : begin_ + near_end);
    std::size_t far = (near_end + far_step - 1) / far_step * far_step;
    for (; same && far < usable_bytes; far += far_step) same = begin_[far] == pattern;
    if (same) return taken_;
    const std::byte* last = end();
    while (last > begin_ + taken_ && last[-1] == pattern) --last;
    fill(taken_, usable_bytes);
    return static_cast<std::size_t>(last - begin_);
}

}  // namespace kgen
