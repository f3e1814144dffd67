// SPDX-License-Identifier: MIT
//
// find_waiting_names: finds the kernels of a program that may wait: their threads wait for each other at
// barriers, shuffles or votes. Errs on the safe side: a wrong "yes" makes a kernel slow on the CPU, a wrong
// "no" makes its launch fail.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/host_raw_scan.hpp"

namespace kgen {

// Names of functions, classes and macros that may wait for other threads. `waits_everywhere` is true if code
// that waits cannot be recognized by a name, such as a lambda or an operator.
struct WaitingNames {
    std::set<std::string, std::less<>> names;
    bool waits_everywhere = false;
    bool any() const noexcept { return waits_everywhere || !names.empty(); }
};
WaitingNames find_waiting_names(const std::vector<const ScannedProgram*>& programs);

// Whether the kernel's text, or the name expression of a kernel, mentions one of the waiting names.
bool waits(const WaitingNames& waiting, const ScannedProgram& program, const ScannedKernel& kernel);
bool waits(const WaitingNames& waiting, std::string_view expression);

}  // namespace kgen
