// SPDX-License-Identifier: MIT
//
// Reads facts from PTX that machine code does not contain: the types of kernel parameters and the names of
// variables. All functions are pure. (PTX ISA, "Kernel Function Parameters", "Variable Declarations".)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/backend.hpp"

namespace kgen {

struct PtxParameter {
    std::size_t bytes = 0;
    ParameterKind kind = ParameterKind::unknown;
    std::size_t alignment = 0;  // as declared (.align); 0 if the declaration leaves it to the type
    friend bool operator==(const PtxParameter&, const PtxParameter&) = default;
};

// Returns the parameters of the entry point with this symbol, in order; empty if the PTX does not contain it.
//
// PTX for sm_100 and newer marks pointers (.ptr). For older targets NVRTC 13.0 declares pointers like
// integers (.u64). Then an integer that the code uses as an address is reported as a pointer. A pointer that
// the code only stores, compares or passes on is reported as an integer.
std::vector<PtxParameter> ptx_parameters(std::string_view ptx, std::string_view symbol);

// Returns the symbols of the module's variables in global and constant memory, except those that the compiler
// itself added.
std::vector<std::string> ptx_variables(std::string_view ptx);

}  // namespace kgen
