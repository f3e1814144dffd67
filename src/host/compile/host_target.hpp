// SPDX-License-Identifier: MIT
//
// The target of this machine's CPU: the machine and a digest of the CPU features that the compiler uses for
// -march=native. Two machines that can run each other's code have the same target.
#pragma once

#include "device/target.hpp"

namespace kgen {

// For example "x86_64-3f9a12cd". Computed once, in a few microseconds.
const Target& host_target();

}  // namespace kgen
