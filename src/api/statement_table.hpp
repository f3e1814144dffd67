// SPDX-License-Identifier: MIT
//
// The statements that were computed before, by the code of their tapes and the dtypes of their arrays. Neither shapes
// nor numbers are a part of the key, so a program has as many entries as statements in its text, times their dtypes. Row
// kernels also have the rank of the arrays, which tells whether axes that are written differently are the same.
#pragma once

#include <kgen/call_options.hpp>
#include <kgen/generated_kernel.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "expression/statement.hpp"
#include "expression/tape.hpp"

namespace kgen {

// A statement with its kernels, one for each step. Immutable, never destroyed, and thread-safe.
struct KnownStatement {
    Statement statement;
    std::vector<GeneratedKernel> kernels;
    std::vector<std::optional<AxesArgument>> axes;  // of each step
};

// Returns the statement of the tape. Changes comparisons in the tape whose number does not fit; see
// compare_with_limits(). Throws TypeError; see make_nodes().
const KnownStatement& find_statement(detail::Tape& tape, Joining joining);

}  // namespace kgen
