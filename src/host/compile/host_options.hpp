// SPDX-License-Identifier: MIT
//
// The options of a host compile: kgen's own, and the few of the user's that have a meaning on the host.
#pragma once

#include <string>
#include <vector>

namespace kgen {

// Returns kgen's own options, then the user's in order and in their short form (-DNAME, -UNAME, -IDIR,
// -std=c++20). They are the same for every compiler, so a kernel has one request digest.
// --fmad=true and --fmad=false become -ffp-contract=fast and -ffp-contract=off. --ftz, --prec-div,
// --prec-sqrt and --use_fast_math permit less exact results; they are accepted and have no effect.
// Throws CompileError if the host device does not take an option, and names the option.
std::vector<std::string> resolve_host_options(const std::string& kernel,
                                              const std::vector<std::string>& options);

}  // namespace kgen
