// SPDX-License-Identifier: MIT
//
// ReductionText: the texts of a reduction as functions that the loops of both devices call:
//
//     kgen_value        the type that the map returns and the reduce expression folds
//     kgen_accumulator  the type that a loop folds: a kgen_value, or one with the rounding error of its sum
//     kgen_map(i, J, o, elements..)     with those of i, J, o that are used
//     kgen_reduce(a, b)                 combines two accumulators
//     kgen_identity()                   if a fold starts at an identity (types/accumulator.hpp)
//     kgen_post(o, value, outputs..)    computes the outputs
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "source/kernel_parts.hpp"
#include "types/accumulator.hpp"

namespace kgen {

// The place indices of an element, as expressions. Expressions that no text uses are ignored.
struct PlaceText {
    std::string_view input;    // the C-order index in the inputs' shape
    std::string_view reduced;  // the C-order index over the reduced axes
    std::string_view output;   // the C-order index in the outputs' shape
};

class ReductionText {
public:
    // The arguments must outlive the object.
    ReductionText(const Signature& signature, const TypeBinding& types, const KernelParts& parts)
        : definition_(signature.definition()),
          signature_(signature),
          types_(types),
          parts_(parts) {}

    const KernelText& text() const noexcept { return parts_.text(); }
    const Baked& baked() const noexcept { return text().baked(); }
    bool has_identity() const { return kgen::has_identity(signature_, types_); }
    FoldOperation operation() const noexcept { return signature_.reduction->operation; }
    const PlainMap& plain_map() const noexcept { return signature_.reduction->plain_map; }
    DType dtype(std::size_t k) const { return types_.dtypes[k]; }
    bool is_logical() const noexcept {
        return operation() == FoldOperation::logical_or ||
               operation() == FoldOperation::logical_and;
    }
    // Returns the name of the operation by which narrow_fold.cuh folds integers, or "0" if the accumulator is
    // not of an integer dtype or no input can have narrow values.
    std::string narrow_operation() const;
    bool is_compensated() const;
    // Whether the accumulator is of an integer dtype rather than of a user-defined type or another dtype.
    bool has_integer_accumulator() const;
    // Host: whether an output is stored backwards beside arrays of narrower items, which g++ 12 does not vectorise. Measured for 2000 folds of 3
    // elements, float16 to float32: 9.1 us; 1.3 if outputs are stored by a loop of their own.
    bool stores_backwards() const;
    // Host: whether the map is a sum of inputs, and an int holds the sum of a chunk: of 16384 elements in reduced_rows, at most 256
    // elsewhere.
    bool has_narrow_terms() const;
    // Return the concatenation of `line` for each input that is walked, or for each output.
    std::string for_inputs(const std::function<std::string(std::size_t)>& line) const;
    std::string for_outputs(const std::function<std::string(std::size_t)>& line) const;

    // Fills the slots value_type, accumulator_type, map, reduce, identity and post_map.
    void fill(Slots& slots) const;
    // Returns the name of an entry point or constant that gives the size of the accumulator. Empty if the
    // size is known.
    std::string accumulator_symbol() const;

    // Returns a call of kgen_map, "kgen_text(..)". `argument` returns the element of each input.
    std::string element(const PlaceText& place,
                        const std::function<std::string(std::size_t)>& argument) const;
    // Returns a call of kgen_post with the accumulator `value`. `argument` returns a reference to the element of each output.
    std::string post(std::string_view output_index,
                     std::string_view value,
                     const std::function<std::string(std::size_t)>& argument) const;
    // Returns the declaration of kgen_body, which folds the one element of an output and stores the outputs, for an elementwise
    // loop.
    std::string body_of_one() const;
    // Returns the declarations of kgen_sum and kgen_narrow, accumulators, and of kgen_body, which folds an element into one of them, for
    // an elementwise loop.
    std::string body_of_all() const;
    // Returns statements that load the outputs, call the post-map with the accumulator `value`, and store the
    // outputs. `address` returns a pointer to the element of each output.
    std::string finish(std::string_view indent,
                       std::string_view output_index,
                       std::string_view value,
                       const std::function<std::string(std::size_t)>& address) const;

private:
    DType accumulator() const;  // used if the user names no accumulator type
    Slot value_type() const;
    std::string accumulator_type() const;
    // Returns the parameters of kgen_body, and a call of kgen_map with the expressions that `argument` returns.
    std::string body_parameters() const;
    std::string mapped(const std::function<std::string(std::size_t)>& argument) const;
    // Returns a parameter or variable for an index, and a line that declares one.
    std::string index(std::string_view name) const;
    std::string declared(std::string_view name, std::string_view value) const;
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
