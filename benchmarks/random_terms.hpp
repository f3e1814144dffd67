// SPDX-License-Identifier: MIT
//
// Random elementwise kernels as sums of terms, and their texts: C++, and JSON for other programs.
#pragma once

#include "benchmarks/random_kernels.hpp"

namespace kgen::bench {

enum class Arithmetic : std::uint8_t { integers, reals, complexes };

struct Term {
    enum Kind : std::uint8_t {
        linear,
        product,
        root,
        exponential,
        quotient,
        polynomial,
        index,
        axis,
        gather
    };
    Kind kind;
    int input = 0;
    int other = 0;        // second input of a product
    int coefficient = 1;  // an odd number from -7 to 7, in quarters unless all numbers are integers
    int degree = 0;
    int at = 0;  // axis
};

constexpr int index_period = 17;
constexpr int axis_period = 13;
constexpr double integer_scale = 1.0 / 256;                         // random integers are below 256
constexpr std::uint64_t exact_bits = (std::uint64_t{1} << 48) - 1;  // of outputs with 64 bits

struct TermKernel {
    Arithmetic arithmetic;
    bool is_wide;  // float64 instead of float32
    bool has_raw;
    std::int64_t stride;  // of gathered elements
    std::vector<DType> inputs;
    std::vector<DType> outputs;
    std::vector<std::vector<Term>> sums;  // one for each output
};

bool is_integer(DType dtype);  // or bool

std::string body_text(const TermKernel& kernel);
std::string expression_text(const TermKernel& kernel);  // JSON, see RandomCase

}  // namespace kgen::bench
