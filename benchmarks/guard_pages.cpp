// SPDX-License-Identifier: MIT
#include "benchmarks/guard_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <kgen/memory_allocator.hpp>

namespace kgen::bench {

namespace {

constexpr std::size_t alignment = 64;

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

// Bytes of the pages that hold `bytes` bytes.
std::size_t whole_pages(std::size_t bytes) {
    return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

void* allocate(std::size_t bytes) {
    static std::atomic<unsigned> count = 0;
    const std::size_t inside = whole_pages(bytes);
    void* const mapping =
        ::mmap(nullptr, inside + 2 * page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    std::byte* const first = static_cast<std::byte*>(mapping) + page_bytes();
    if (::mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) {
        ::munmap(mapping, inside + 2 * page_bytes());
        return nullptr;
    }
    return count++ % 2 == 0 ? first : first + (inside - bytes) / alignment * alignment;
}

void free(void* pointer, std::size_t bytes) {
    auto* const memory = static_cast<std::byte*>(pointer);
    std::byte* const first = memory - reinterpret_cast<std::uintptr_t>(memory) % page_bytes();
    ::munmap(first - page_bytes(), whole_pages(bytes) + 2 * page_bytes());
}

}  // namespace

GuardPages::GuardPages() {
    set_memory_allocator(
        {.allocate = [](std::size_t bytes, CUstream_st*) { return allocate(bytes); },
         .free = [](void* pointer, std::size_t bytes, CUstream_st*) { free(pointer, bytes); }},
        Device::host());
}

GuardPages::~GuardPages() {
    set_memory_allocator({}, Device::host());
}

}  // namespace kgen::bench
