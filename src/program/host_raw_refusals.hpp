// SPDX-License-Identifier: MIT
//
// refuse_for_host: finds code that the host device cannot run, before the program is compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/host_raw_scan.hpp"
#include "source/source.hpp"

namespace kgen {

// Whether this is a toolkit header whose declarations exist without an #include: <cuda_runtime.h>.
bool is_built_in_header(std::string_view name);

// Throws CompileError with the position in the user's text. `headers` holds the names of the included
// files that were found outside the toolkit.
void refuse_for_host(const std::string& program,
                     const UserText& text,
                     const ScannedProgram& scanned,
                     const std::vector<std::string>& headers);

}  // namespace kgen
