// SPDX-License-Identifier: MIT
//
// How often this thread has called operator new: the test program replaces it (allocation_count.cpp).
#pragma once

#include <cstdint>

namespace kgen::test {

std::int64_t allocation_count() noexcept;
// The same less its calls of operator delete.
std::int64_t live_allocation_count() noexcept;

// How many allocations the work makes.
template <typename Work>
std::int64_t allocations_of(Work work) {
    const std::int64_t before = allocation_count();
    work();
    return allocation_count() - before;
}

}  // namespace kgen::test
