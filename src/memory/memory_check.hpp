// SPDX-License-Identifier: MIT
//
// Checks of foreign memory: compares what the caller says about a pointer with what the driver knows about
// it.
#pragma once

#include <cstddef>
#include <kgen/array.hpp>
#include <string_view>

namespace kgen {

// Throws DeviceError "<what> is said to be on cuda:0, but ..." unless the device can access all bytes: its
// own memory, managed memory or pinned host memory. Checks nothing if `device` is the host.
void check_memory(std::string_view what, const void* first, std::size_t bytes, Device device);

// Returns true if KGEN_CHECK_POINTERS=1, so that each launch checks its pointers. The variable is read once.
// Throws DeviceError if it is neither 0 nor 1.
bool checks_pointers();

// Calls check_memory for an array that views foreign memory. Memory that kgen allocated needs no check.
void check_foreign(std::string_view what, const Array& array);

}  // namespace kgen
