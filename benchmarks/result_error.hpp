// SPDX-License-Identifier: MIT
//
// Compares a kernel's outputs with their reference. The result is the greatest error of the compared
// elements, relative if the reference is greater than 1, and NaN if one of them was not written. The first
// and the last elements are always compared.
#pragma once

#include "benchmarks/operand_memory.hpp"

namespace kgen::bench {

// Compares at least 4096 elements, or all if there are fewer. `expected` returns the reference at an index.
double element_error(const std::function<Number(const Dims& index)>& expected,
                     const OperandMemory& output);

// Compares the same number of elements, but fewer if each folds many elements: about a second of one thread.
// `reduced` lists the reduced axes of the loop in ascending order.
double fold_error(const FoldReference& reference,
                  const std::vector<OperandMemory>& inputs,
                  const std::vector<int>& reduced,
                  const std::vector<OperandMemory>& outputs);

}  // namespace kgen::bench
