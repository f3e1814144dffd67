// SPDX-License-Identifier: MIT
//
// What PTX tells of kernels and variables that machine code does not: the types of parameters, and
// the names of variables. Pure. (PTX ISA, "Kernel Function Parameters", "Variable Declarations".)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/backend.hpp"

namespace kgen {

struct PtxParameter {
    std::size_t bytes = 0;
    ParameterKind kind = ParameterKind::unknown;
    friend bool operator==(const PtxParameter&, const PtxParameter&) = default;
};

// The parameters of the entry point of that symbol, in order; empty if the text has none of it.
//
// PTX for sm_100 and newer marks pointers (.ptr); for older targets NVRTC 13.0 declares them as it
// declares integers (.u64), and they are told by what the code does: an integer that is used as an
// address is a pointer; a pointer that is only stored, compared or passed on is called an integer.
std::vector<PtxParameter> ptx_parameters(std::string_view ptx, std::string_view symbol);

// The symbols of the module's variables in global and constant memory, those of the compiler's own
// aside.
std::vector<std::string> ptx_variables(std::string_view ptx);

}  // namespace kgen
