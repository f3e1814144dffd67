// SPDX-License-Identifier: MIT
//
// How far a kernel's outputs are from their reference: the greatest error of the places that are
// compared, relative where the reference is above 1; NaN if one of them was not written. The first
// and the last elements are always among them.
#pragma once

#include "benchmarks/operand_memory.hpp"

namespace kgen::bench {

// At least 4096 places; all if there are fewer. `expected` is told the index of one.
double element_error(const std::function<Number(const Dims& index)>& expected,
                     const OperandMemory& output);

// As many places, but few where each folds much: about a second of one thread. `reduced` are the
// loop's axes that are gone from the outputs, ascending.
double fold_error(const FoldReference& reference,
                  const std::vector<OperandMemory>& inputs,
                  const std::vector<int>& reduced,
                  const std::vector<OperandMemory>& outputs);

}  // namespace kgen::bench
