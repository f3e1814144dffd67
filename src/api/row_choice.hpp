// SPDX-License-Identifier: MIT
//
// RowChoice: whether row kernels compute the reductions of a statement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/statement_table.hpp"
#include "api/step_parts.hpp"
#include "device/target.hpp"
#include "expression/row_groups.hpp"
#include "plan/plan.hpp"

namespace kgen {

struct RowChoice {
    const KnownStatement* chosen = nullptr;
    const KnownStatement* joined = nullptr;
    const KnownStatement* rows = nullptr;   // if the shapes permit row kernels
    const KnownStatement* folds = nullptr;  // if it was compared with the others
    RowFit fit = RowFit::fits;
    // Of all kernels of each way, where loops predict their times.
    std::optional<Forecast> of_joined = {};
    std::optional<Forecast> of_rows = {};
    std::optional<Forecast> of_folds = {};

    // The ways that were not chosen: row kernels, folds, a kernel for each reduction.
    std::vector<const KnownStatement*> others() const;
};

// Which ways have their times predicted: all, or those between which times decide.
enum class Predictions : std::uint8_t { all, needed };

// Chooses for a target. `joined` is the tape's statement. If the shapes permit row kernels, the ways of at most two kernels are
// compared: Joining::joined, rows and folds. The one with the least predicted time is chosen, but a kernel for each reduction only
// if it saves a tenth, and folds only if they save 3 % and rows have more than 4096 elements or narrower ones than 4 bytes.
// The host's loops predict none: there, row kernels are chosen unless they would leave threads idle.
RowChoice choose_rows(detail::Tape& tape,
                      StepParts& parts,
                      const KnownStatement& joined,
                      const Target& target,
                      Predictions predictions);

// The same for the device of the statement. Each thread remembers what it chose for the last layouts of its
// statements, because finding shapes takes longer than a statement.
RowChoice remembered_choice(detail::Tape& tape, StepParts& parts, const KnownStatement& joined);

// Returns Explanation::statement.
std::string explain_choice(const detail::Tape& tape, const RowChoice& choice);

// Returns "1 kernel" or "3 kernels".
std::string count_kernels(const KnownStatement& known);

}  // namespace kgen
