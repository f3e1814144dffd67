// SPDX-License-Identifier: MIT
//
// What a driver knows of memory that is not kgen's, held against what is said of it.
#pragma once

#include <cstddef>
#include <kgen/array.hpp>
#include <string_view>

namespace kgen {

// Throws DeviceError "<what> is said to be on cuda:0, but ..." unless all bytes are memory that the
// device reaches: its own, managed, or pinned memory of the host. Nothing is checked on the host.
void check_memory(std::string_view what, const void* first, std::size_t bytes, Device device);

// Whether KGEN_CHECK_POINTERS=1 asks for it before each launch. Read once; throws DeviceError unless it is
// 0 or 1.
bool checks_pointers();

// Of a view of foreign memory; of kgen's own it knows better.
void check_foreign(std::string_view what, const Array& array);

}  // namespace kgen
