// SPDX-License-Identifier: MIT
//
// find_waiting_names: which of a program's kernels may wait for other threads. Errs on the safe side: a
// "yes" makes a kernel slow on the CPU, a wrong "no" would be an error at its launch.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/host_raw_scan.hpp"

namespace kgen {

// The names by which something may be reached that waits for other threads; `waits_everywhere` where
// that cannot be told.
struct WaitingNames {
    std::set<std::string, std::less<>> names;
    bool waits_everywhere = false;
    bool any() const noexcept { return waits_everywhere || !names.empty(); }
};
WaitingNames find_waiting_names(const std::vector<const ScannedProgram*>& programs);

// Whether the kernel's text, or an expression that names a kernel, mentions one of them.
bool waits(const WaitingNames& waiting, const ScannedProgram& program, const ScannedKernel& kernel);
bool waits(const WaitingNames& waiting, std::string_view expression);

}  // namespace kgen
