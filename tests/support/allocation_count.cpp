// SPDX-License-Identifier: MIT
//
// Replaces operator new and delete of the whole test program by versions that count.
#include "support/allocation_count.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constinit thread_local std::int64_t count = 0;
constinit thread_local std::int64_t freed = 0;
constinit thread_local std::int64_t until_failure = -1;

}  // namespace

std::int64_t kgen::test::allocation_count() noexcept {
    return count;
}
std::int64_t kgen::test::live_allocation_count() noexcept {
    return count - freed;
}

bool kgen::test::fail_allocation_after(std::int64_t others) noexcept {
    const bool is_to_come = until_failure >= 0;
    until_failure = others;
    return is_to_come;
}

void* operator new(std::size_t bytes) {
    ++count;
    if (until_failure >= 0 && until_failure-- == 0) throw std::bad_alloc();
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++count;
    return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    if (memory == nullptr) return;
    ++freed;
    std::free(memory);
}
void operator delete(void* memory) noexcept {
    if (memory == nullptr) return;
    ++freed;
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    if (memory == nullptr) return;
    ++freed;
    std::free(memory);
}
