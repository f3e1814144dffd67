// SPDX-License-Identifier: MIT
//
// Row groups: the parts of a statement that one row kernel computes, or one reduction whose accumulator is a struct. All reductions of
// a group run along the same axes. What is computed from their results is either of the shape of their operands or has one element
// for each row. Softmax, layer norm and the cosine of rows are such groups.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "expression/node.hpp"
#include "expression/statement.hpp"

namespace kgen {

struct RowGroup {
    std::vector<std::size_t> reductions;
    std::vector<std::size_t> outputs;
    std::vector<RowOutput> forms;  // of the outputs
    bool is_reduction = false;  // it has one pass and no elements, so that a reduction computes it
    std::set<std::size_t> nodes;  // all that it computes or reads
};

// Returns the groups for which one kernel takes the place of several. `rank` is the rank of the arrays that are reduced. It
// tells whether axes that are written differently, such as -1 and 1, are the same.
std::vector<RowGroup> find_row_groups(const NodeList& list, int rank);
// The same for Joining::folds: no reduction needs another one, and the outputs have one element for each row, all of one form,
// so that a reduction with a struct as its accumulator computes them.
std::vector<RowGroup> find_fold_groups(const NodeList& list, int rank);
// Whether find_row_groups() returns any for some rank.
bool may_have_row_groups(const NodeList& list);
// Returns why there is no group: "its reductions run along different axes".
std::string why_no_row_groups(const NodeList& list, int rank);

// Whether row kernels compute a statement, or why they do not.
enum class RowFit : std::uint8_t {
    fits,
    other_draws,   // random numbers are drawn for another shape than the rows
    other_shapes,  // a reduction's operand lacks extents of the kernel's loop, or an extent is 0
    many_rows,     // more rows than a kernel counts
    few_rows,      // the host, whose loops predict no time: fewer long rows than threads
};

// `arrays` are the shapes of the slots, `drawn` those of the draws, `nodes` those of the nodes. `threads` is the number of threads of the host, or 1 on
// a device whose loops predict their time.
RowFit find_row_fit(const Statement& statement,
                    std::span<const Dims> arrays,
                    std::span<const Dims> drawn,
                    const std::vector<Dims>& nodes,
                    std::int64_t threads);
// Returns the number of elements in the longest rows of the statement's row groups, whose shapes must fit.
std::int64_t longest_row(const Statement& statement,
                         std::span<const Dims> arrays,
                         std::span<const Dims> drawn,
                         const std::vector<Dims>& nodes);

}  // namespace kgen
