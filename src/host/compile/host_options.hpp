// SPDX-License-Identifier: MIT
//
// The options of a host compile: the user's, of which few have a meaning on the host, and kgen's
// own.
#pragma once

#include <string>
#include <vector>

namespace kgen {

// kgen's own options, then the user's in their short form (-DNAME, -UNAME, -IDIR, -std=c++20), in
// order. They are the same for every compiler, so that a kernel has one request digest.
// --fmad=true and false become -ffp-contract=fast and off. --ftz, --prec-div, --prec-sqrt and --use_fast_math
// allow less exact results, and change nothing.
// Throws CompileError for an option that the host device does not take, by name.
std::vector<std::string> resolve_host_options(const std::string& kernel,
                                              const std::vector<std::string>& options);

}  // namespace kgen
