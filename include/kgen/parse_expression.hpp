// SPDX-License-Identifier: MIT
//
// parse_expression(): an expression from text, for commands and bindings.
#pragma once

#include <kgen/argument.hpp>
#include <kgen/export.hpp>
#include <kgen/expression.hpp>
#include <kgen/sharded_array.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kgen {

namespace detail {

using NamedOperand = std::pair<std::string_view, OperandView>;
KGEN_EXPORT Expression parse_operands(std::string_view text,
                                      std::span<const NamedOperand> variables);

}  // namespace detail

// Reads an expression in Python's notation, as NumPy's users write it:
//
//     sqrt(x * x + y).sum(axis=1)
//     where(x > 0, x, 0.1 * x) ** 2
//
// Operators have Python's precedence: ** // % @-free arithmetic, shifts, & ^ |, comparisons. Functions are templates by
// name, also as methods; reductions take axis=1, axis=(0, 1) and keepdims=True; x.astype(float32) and astype(x, float32)
// convert. Names are the variables, or pi, e, inf, nan, True and False. An ArraySpec stands for an array in an expression
// that is only explained. uniform(42, (1000, 3)) is uniform({1000, 3}) of a Generator with the seed 42, and normal,
// exponential, integers and bernoulli likewise: the seed, the parameters, then the shape and perhaps a dtype, or an array to
// be like. The k-th of them in a text is the generator's draw k, from 0.
//
// Throws SignatureError that shows the place of a mistake in the text, and TypeError if a function has another number
// of operands or no operand is an array.
[[nodiscard]] KGEN_EXPORT Expression parse_expression(
    std::string_view text, std::span<const std::pair<std::string, Argument>> variables);

// A variable of an expression of sharded arrays: an array, or a number if the array has no value.
struct ShardedVariable {
    std::string name;
    Scalar number = 0;
    ShardedArray array = {};
};

// Does the same for an expression of sharded arrays, whose result is a ShardedArray.
[[nodiscard]] KGEN_EXPORT Expression parse_expression(std::string_view text,
                                                      std::span<const ShardedVariable> variables);

}  // namespace kgen
