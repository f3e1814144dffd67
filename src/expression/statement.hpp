// SPDX-License-Identifier: MIT
//
// Statement: the kernels that compute the roots of an expression, as definitions for stage 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "expression/node.hpp"
#include "signature/signature.hpp"

namespace kgen {

// Where a kernel's input comes from: a slot of the arrays, a number, or a result of an earlier kernel.
struct StepInput {
    // A shape stands for an array that is not read: the input of the library's kernels of random numbers.
    enum class From : std::uint8_t { array, number, result, shape };
    From from = From::array;
    std::size_t index = 0;
};

// Why a kernel ends where it does.
enum class StepEnd : std::uint8_t {
    result,         // it computes a root
    limits,         // the kernel would have too many functions or inputs
    reduction,      // what follows needs the complete reduction
    own_kernel,     // the function's text cannot stand in another kernel
    before_kernel,  // the same holds for a function that reads the output
};

// One kernel. It has several outputs if it computes a row group, or if several roots are elementwise.
struct Step {
    Definition definition;
    std::vector<StepInput> inputs;
    std::vector<std::size_t> drawn;    // the shapes of the draws of random numbers that it computes
    std::vector<std::size_t> outputs;  // nodes
    std::size_t first_result = 0;      // the results of all kernels are counted in order
    // Whose axes the kernel reduces. A row kernel (Definition::rows) may have several such reductions.
    std::size_t reduction = no_node;
    std::vector<std::size_t> reductions = {};  // of a row group, if it computes one
    StepEnd end = StepEnd::result;
};

// Limits of one kernel. More functions need more registers than they save memory accesses.
inline constexpr std::size_t most_functions = 64;
inline constexpr std::size_t most_inputs = 24;

struct Statement {
    NodeList list;
    std::vector<Step> steps;  // in the order in which they run
    std::size_t result_count = 0;
    std::vector<std::size_t> results;  // of each root
    bool has_rows =
        false;  // there are row groups; of Joining::joined: Joining::rows has them for some rank
};

// joined: as few kernels as possible. The elementwise part before a reduction is its map, and what follows it and uses
// no other array is its post-map. More than 64 functions or 24 inputs are cut into several kernels.
// separate: a kernel for each function, as the library defines it, which packs may contain.
// rows: as joined, but reductions along the same axes, with what is computed from them and their operands, are one row
// kernel. Fits only some shapes; see find_row_fit().
// drawn_apart: as joined, but each draw of random numbers is a kernel of its own.
// traced: as joined, but the inputs are the arrays in the order of their slots, whatever the order of their use.
enum class Joining : std::uint8_t { joined, separate, rows, folds, traced, drawn_apart };
// Whether the kernels depend on the rank of the arrays. The rank tells whether axes that are written differently, such as -1 and 1, are equal.
inline bool has_row_groups(Joining joining) noexcept {
    return joining == Joining::rows || joining == Joining::folds;
}
// `rank` is that of the arrays if has_row_groups(joining).
Statement compose(NodeList list, Joining joining, int rank = 0);

// Returns the last operation of the step in short, and why the kernel ends with it: "max(x0 * x1), because ...".
std::string describe_end(const NodeList& list, const Step& step);

}  // namespace kgen
