// SPDX-License-Identifier: MIT
//
// Counts this thread's calls of operator new, which allocation_count.cpp replaces for the whole test program.
#pragma once

#include <cstdint>

namespace kgen::test {

std::int64_t allocation_count() noexcept;
// Number of calls of operator new minus number of calls of operator delete.
std::int64_t live_allocation_count() noexcept;

// Makes the allocation of this thread throw std::bad_alloc after so many others have succeeded; once. A negative
// number takes that back. Returns whether it is still to come.
bool fail_allocation_after(std::int64_t others) noexcept;

// Returns how many allocations the work makes.
template <typename Work>
std::int64_t allocations_of(Work work) {
    const std::int64_t before = allocation_count();
    work();
    return allocation_count() - before;
}

}  // namespace kgen::test
