// SPDX-License-Identifier: MIT
#include "host/run/host_scratch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <kgen/error.hpp>
#include <new>

#include "host/run/host_memory.hpp"
#include "host/run/thread_kept.hpp"

namespace kgen {
namespace {

constexpr std::size_t scratch_alignment = 64;  // a cache line, and the widest vector

[[noreturn]] void out_of_memory(std::size_t bytes, const char* call) {
    throw DeviceError(fmt::format("out of memory on the host device: cannot allocate {} bytes of "
                                  "scratch memory for a reduction; this machine has {}",
                                  bytes,
                                  HostMemory::machine_bytes()),
                      call,
                      ENOMEM);
}

}  // namespace

void HostScratch::Release::operator()(void* memory) const noexcept {
    std::free(memory);
}

HostScratch& HostScratch::of_this_thread() {
    return thread_kept<HostScratch>();
}

Scratch HostScratch::take(std::size_t counters, std::size_t bytes) {
    if (counters_.size() < counters) {
        try {
            counters_.resize(std::max(counters, 2 * counters_.size()), 0);
        } catch (const std::bad_alloc&) {
            out_of_memory(counters * sizeof(std::uint32_t), "operator new");
        }
    }
    if (bytes_ < bytes) {
        partials_.reset();  // before allocating, so that old and new memory are not both held
        bytes_ = 0;
        // Impossible sizes are refused here, because the system might grant them and end the process later.
        void* memory = nullptr;
        if (bytes > static_cast<std::size_t>(HostMemory::machine_bytes()) ||
            ::posix_memalign(&memory, scratch_alignment, bytes) != 0) {
            out_of_memory(bytes, "posix_memalign");
        }
        partials_.reset(memory);
        bytes_ = bytes;
    }
    return {counters_.data(), partials_.get()};
}

void HostScratch::reset_counters() noexcept {
    std::fill(counters_.begin(), counters_.end(), 0U);
}

}  // namespace kgen
