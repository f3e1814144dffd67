// SPDX-License-Identifier: MIT
//
// rewrite_for_host: the user's text as the host's compiler is given it. It differs where a macro cannot
// do it: shared memory whose size the launch names, a row of the program's table behind each kernel and
// variable, and headers of the toolkit that are not needed. Lines stay the same; columns do before the first difference in a line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/waiting_names.hpp"

namespace kgen {

// `headers` are the names that the program's includes find. Without `waiting` the kernels wait if
// anything in the program does, as for a header.
std::string rewrite_for_host(std::string_view text,
                             const ScannedProgram& program,
                             const WaitingNames* waiting,
                             const std::vector<std::string>& headers);

}  // namespace kgen
