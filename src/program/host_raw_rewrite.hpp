// SPDX-License-Identifier: MIT
//
// rewrite_for_host: changes the user's text where a macro cannot adapt it to the host's compiler. It rewrites
// dynamic shared memory, removes includes of toolkit headers that are not needed, and adds a table row after
// each kernel and variable. Line numbers do not change. Columns are unchanged up to the first edit in a line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/waiting_names.hpp"

namespace kgen {

// `headers` holds the names of the included files that were found. `waiting` is nullptr for the text of a
// header: its kernels then count as waiting (see waiting_names.hpp) if anything in the program waits.
std::string rewrite_for_host(std::string_view text,
                             const ScannedProgram& program,
                             const WaitingNames* waiting,
                             const std::vector<std::string>& headers);

}  // namespace kgen
