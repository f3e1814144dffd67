// SPDX-License-Identifier: MIT
//
// The target of this machine's CPU: the machine and a digest of the CPU features that the compiler
// uses for -march=native, so that two machines that can run each other's code share it.
#pragma once

#include "device/target.hpp"

namespace kgen {

// "x86_64-3f9a12cd". Computed once, in a few microseconds.
const Target& host_target();

}  // namespace kgen
