// SPDX-License-Identifier: MIT
#include "host/run/fiber_stacks.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <kgen/error.hpp>

#include "host/compile/stack_usage.hpp"

namespace kgen {

namespace {

// Larger than the distance between two probes of a frame (-fstack-clash-protection; 64 KB on AArch64), and
// larger than the frames of libm and printf, which do not probe.
constexpr std::size_t stack_guard_bytes = 65536;

// Frames up to this size fit into the smallest stack beside what the functions of libm and printf need.
constexpr unsigned long long small_frames = 16384;

// Each guard made by mprotect splits a mapping, and a process may have 65530 mappings (vm.max_map_count).
// Linux 6.13 has guards that do not split. On older systems, if many CPUs run large blocks, later threads
// have no guards.
constexpr unsigned most_cutting_guards = 16384;
std::atomic<unsigned> cutting_guards{0};
constexpr int guard_install = 102;  // MADV_GUARD_INSTALL, which older headers lack

// Stacks of this total size are released after their launch.
constexpr std::size_t large_stacks_bytes = std::size_t{256} << 20;

}  // namespace

std::size_t fiber_stack_bytes(std::size_t least_bytes, unsigned long long frame_bytes) noexcept {
    // An odd number of pages, because stacks at a distance of a power of two would share few sets of the TLB.
    static const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::size_t bytes = least_bytes + stack_guard_bytes + page_bytes;
    if (frame_bytes > small_frames) {
        // One function may need a little more than a GPU's limit (check_frames).
        constexpr unsigned long long most = most_local_bytes + stack_guard_bytes;
        bytes += (static_cast<std::size_t>(std::min(frame_bytes, most)) + 65535) / 65536 * 65536;
    }
    return bytes;
}

FiberStacks::~FiberStacks() {
    release();
}

void FiberStacks::release() noexcept {
    if (begin_ == nullptr) return;
    ::munmap(begin_, count_ * stack_bytes_);
    cutting_guards -= guards_;
    begin_ = nullptr;
    count_ = guards_ = 0;
}

void FiberStacks::trim() noexcept {
    if (count_ * stack_bytes_ >= large_stacks_bytes) release();
}

std::byte* FiberStacks::take(unsigned count, std::size_t stack_bytes) {
    if (count <= count_ && stack_bytes == stack_bytes_) return begin_;
    release();
    const std::size_t bytes = count * stack_bytes;
    void* memory = ::mmap(nullptr,
                          bytes,
                          PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                          -1,
                          0);
    if (memory == MAP_FAILED) {
        const int code = errno;
        throw DeviceError(fmt::format("the host device has no memory for the stacks of {} threads "
                                      "({} bytes): {}",
                                      count,
                                      bytes,
                                      std::strerror(code)),
                          "mmap",
                          code);
    }
    begin_ = static_cast<std::byte*>(memory);
    count_ = count;
    stack_bytes_ = stack_bytes;
    for (unsigned k = 0; k < count; ++k) {
        std::byte* const guard = begin_ + k * stack_bytes;
        if (::madvise(guard, stack_guard_bytes, guard_install) == 0) continue;
        if (cutting_guards.load() >= most_cutting_guards ||
            ::mprotect(guard, stack_guard_bytes, PROT_NONE) != 0) {
            break;
        }
        ++guards_;
        ++cutting_guards;
    }
    return begin_;
}

}  // namespace kgen
