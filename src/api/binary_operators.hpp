// SPDX-License-Identifier: MIT
//
// The operators in the text of an expression, with Python's precedence.
#pragma once

#include <array>
#include <string_view>

namespace kgen {

// An operator of two operands. A larger precedence binds more tightly.
struct Binary {
    std::string_view text;
    std::string_view function;
    int precedence;
};
// Longer texts stand before those that they begin with.
inline constexpr auto binaries = std::to_array<Binary>({{"**", "power", 9},
                                                        {"//", "floor_divide", 7},
                                                        {"<<", "left_shift", 5},
                                                        {">>", "right_shift", 5},
                                                        {"<=", "less_equal", 1},
                                                        {">=", "greater_equal", 1},
                                                        {"==", "equal", 1},
                                                        {"!=", "not_equal", 1},
                                                        {"*", "multiply", 7},
                                                        {"/", "divide", 7},
                                                        {"%", "remainder", 7},
                                                        {"+", "add", 6},
                                                        {"-", "subtract", 6},
                                                        {"&", "bitwise_and", 4},
                                                        {"^", "bitwise_xor", 3},
                                                        {"|", "bitwise_or", 2},
                                                        {"<", "less", 1},
                                                        {">", "greater", 1}});
inline constexpr int unary_precedence = 8;
inline constexpr int comparison_precedence = 1;

}  // namespace kgen
