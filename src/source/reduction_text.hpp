// SPDX-License-Identifier: MIT
//
// ReductionText: the texts of a reduction as functions, which the loops of both devices call:
//
//     kgen_value        the type that the map gives and the reduce expression folds
//     kgen_accumulator  what a loop folds: a kgen_value, or one with what its sum has lost
//     kgen_map(i, J, o, elements..)     those of i, J, o that are used
//     kgen_reduce(a, b)                 of accumulators
//     kgen_identity()                   where there is one
//     kgen_post(o, value, outputs..)
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "source/kernel_parts.hpp"

namespace kgen {

// Where an element stands, as expressions; those that no text uses are not read.
struct PlaceText {
    std::string_view input;    // the C-order index in the inputs' shape
    std::string_view reduced;  // over the reduced axes
    std::string_view output;   // in the outputs' shape
};

class ReductionText {
public:
    // The arguments outlive the object.
    ReductionText(const Signature& signature, const TypeBinding& types, const KernelParts& parts)
        : definition_(signature.definition()),
          signature_(signature),
          types_(types),
          parts_(parts) {}

    const KernelText& text() const noexcept { return parts_.text(); }
    const Baked& baked() const noexcept { return text().baked(); }
    bool has_identity() const noexcept { return signature_.reduction->has_identity; }
    bool is_plain_sum() const noexcept { return signature_.reduction->is_plain_sum; }
    // The accumulator is of an integer dtype, and not the user's own.
    bool has_integer_accumulator() const;
    // Inputs that are walked, and outputs: `line` of each, one after the other.
    std::string for_inputs(const std::function<std::string(std::size_t)>& line) const;
    std::string for_outputs(const std::function<std::string(std::size_t)>& line) const;

    // The slots value_type, accumulator_type, map, reduce, identity and post_map.
    void fill(Slots& slots) const;
    // An entry point or a constant that tells the accumulator's size, empty if that is known.
    std::string accumulator_symbol() const;

    // "kgen_text(..)", a call of kgen_map; `argument` gives each input's element.
    std::string element(const PlaceText& place,
                        const std::function<std::string(std::size_t)>& argument) const;
    // Statements that load the outputs, call the post-map with `value`, an accumulator, and store them;
    // `address` gives a pointer to each output's element.
    std::string finish(std::string_view indent,
                       std::string_view output_index,
                       std::string_view value,
                       const std::function<std::string(std::size_t)>& address) const;

private:
    DType accumulator() const;  // where the user names none
    bool is_compensated() const;
    Slot value_type() const;
    std::string accumulator_type() const;
    Slot map() const;
    Slot reduce() const;
    Slot identity() const;
    Slot post_map() const;
    std::string indexers(const PlaceFacts& facts,
                         std::string_view indent,
                         std::string_view input,
                         std::string_view output) const;

    const Definition& definition_;
    const Signature& signature_;
    const TypeBinding& types_;
    const KernelParts& parts_;
};

}  // namespace kgen
