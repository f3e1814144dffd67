// SPDX-License-Identifier: MIT
//
// refuse_for_host: what a program may hold that no CPU runs, found before it is compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/host_raw_scan.hpp"
#include "source/source.hpp"

namespace kgen {

// A header of the toolkit without which a program finds the same: <cuda_runtime.h>.
bool is_built_in_header(std::string_view name);

// Throws CompileError with the place in the user's text. `headers` are the names that the program's
// includes find beside the toolkit.
void refuse_for_host(const std::string& program,
                     const UserText& text,
                     const ScannedProgram& scanned,
                     const std::vector<std::string>& headers);

}  // namespace kgen
