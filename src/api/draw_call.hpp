// SPDX-License-Identifier: MIT
//
// Draws of random numbers as calls in the text of an expression.
#pragma once

#include <cstdint>
#include <kgen/expression.hpp>
#include <kgen/random.hpp>
#include <kgen/scalar.hpp>
#include <span>
#include <string_view>

namespace kgen {

struct Distribution {
    std::string_view name;
    DType dtype;              // by default
    std::size_t least, most;  // how many parameters may be given: so few, or so many
    std::string_view example;
};

// Returns the distribution of the name, or nullptr.
const Distribution* find_distribution(std::string_view name) noexcept;

// Returns draw number `draw` of a generator. `numbers` are the seed and the parameters, as many as the distribution takes.
// Throws TypeError if one is no integer where an integer is needed, and the errors of Generator.
Expression make_draw(const Distribution& distribution,
                     std::span<const Scalar> numbers,
                     const Like& like,
                     std::uint64_t draw);

}  // namespace kgen
