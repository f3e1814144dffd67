// SPDX-License-Identifier: MIT
#include "host/fiber_stacks.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <kgen/error.hpp>

namespace kgen {

namespace {

// Each guard page cuts a mapping in two, of which a process may have 65530 (vm.max_map_count): on
// machines with many CPUs the later workers do without.
constexpr unsigned most_guards = 16384;
std::atomic<unsigned> guards_in_use{0};

}  // namespace

FiberStacks::~FiberStacks() {
    release();
}

void FiberStacks::release() noexcept {
    if (begin_ == nullptr) return;
    ::munmap(begin_, count_ * stack_bytes_);
    guards_in_use -= guards_;
    begin_ = nullptr;
    count_ = guards_ = 0;
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
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (unsigned k = 0; k < count && guards_in_use.load() < most_guards; ++k) {
        if (::mprotect(begin_ + k * stack_bytes, page, PROT_NONE) != 0) break;
        ++guards_;
        ++guards_in_use;
    }
    return begin_;
}

}  // namespace kgen
