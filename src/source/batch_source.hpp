// SPDX-License-Identifier: MIT
//
// Several generated CUDA sources as one, so that a compiler reads what they share once. NVRTC 13.0 needs
// about half the time a kernel when sixteen are compiled at once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "source/source.hpp"

namespace kgen {

// What stands before a kernel in its source. Sources with equal ones may be compiled together: theirs is
// written once, each kernel in a namespace of its own, so that it sees the same names as alone. Empty:
// the source must be compiled alone.
std::string batch_prefix(const Source& source);

struct BatchSource {
    std::string text;
    // The entry points, one a member: their own names, and a number.
    std::vector<std::string> symbols;
    std::vector<std::string> accumulator_symbols;  // likewise; empty where a member has none
};

// Of one member or more with equal prefixes. Pure.
BatchSource make_batch_source(std::span<const Source* const> members);

}  // namespace kgen
