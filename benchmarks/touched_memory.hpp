// SPDX-License-Identifier: MIT
//
// How much memory the elements of an array touch, in the units in which a device moves it.
#pragma once

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

// A GPU moves sectors of 32 bytes between its memory and its L2, and a CPU lines of 64 bytes.
std::int64_t memory_unit_bytes(DeviceKind device);

// Returns the bytes of the elements. Those that are repeated along an axis count once.
double distinct_bytes(const Array& array);

// Returns the bytes of the units that hold an element. Each unit counts once. The result is exact for every
// view of dense memory, where each axis steps over the whole span of the axes with smaller strides.
double touched_bytes(const Array& array, std::int64_t unit_bytes);

// Whether an element begins `offset` bytes behind the first byte of the array in memory. Exact for the same views.
bool is_element_at(const Array& array, std::int64_t offset);

// Returns the address of the array's first byte in memory, wherever its axes run backward.
std::uintptr_t lowest_address(const Array& array);

}  // namespace kgen::bench
