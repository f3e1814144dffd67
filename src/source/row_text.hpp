// SPDX-License-Identifier: MIT
//
// RowText: the texts of a row kernel as functions that the loops of both devices call:
//
//     kgen_row_results   what the passes leave for a row
//     kgen_pass_0, ..    the passes: kgen_map(results, _J, draws.., elements..), kgen_reduce(a, b), kgen_identity(), kgen_post(results, a)
//     kgen_body(results, draws.., elements.., outputs..)   computes the outputs that have the elements of the rows
//     kgen_finish(results, outputs..)                      computes the others
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "source/kernel_parts.hpp"

namespace kgen {

class RowText {
public:
    // The arguments must outlive the object.
    RowText(const Signature& signature, const KernelParts& parts)
        : rows_(*signature.definition().rows),
          definition_(signature.definition()),
          signature_(signature),
          parts_(parts) {}

    const KernelText& text() const noexcept { return parts_.text(); }
    bool is_input(std::size_t k) const { return !text().is_written(k); }
    // Whether the output has the elements of the rows.
    bool has_elements(std::size_t k) const {
        return !is_input(k) &&
               rows_.outputs[k - static_cast<std::size_t>(signature_.input_count)] ==
                   RowOutput::elements;
    }
    bool calls_functions() const { return signature_.facts.calls_functions; }
    bool is_of_row(std::size_t k) const { return !is_input(k) && !has_elements(k); }

    // Return a call of a text, "kgen_text(results, ..)". `reduced` is the index in the row, for maps that use it. The functions
    // return the element of an input, a random number, and a reference to the element of an output.
    using Argument = std::function<std::string(std::size_t)>;
    using Drawn = std::function<std::string(const RowDraw&)>;
    std::string map(std::string_view results,
                    std::string_view reduced,
                    const Argument& input,
                    const Drawn& drawn) const;
    std::string body(std::string_view results,
                     const Argument& input,
                     const Drawn& drawn,
                     const Argument& output) const;
    std::string finish(std::string_view results, const Argument& output) const;

    const std::vector<RowDraw>& draws() const noexcept { return rows_.draws; }
    // Returns the statements that declare and set the draws of the element with this C-order index; empty if there are none.
    std::string draw(std::string_view index) const;

    // Returns the kernel that tells the size of an accumulator of any pass (see Image::accumulator_symbol); empty if `symbol`
    // is empty.
    std::string accumulators(const std::string& symbol) const;

    // Fills the slots results, passes, pass_list, body and finish.
    void fill(Slots& slots) const;

private:
    std::string results() const;
    std::string draw_parameters() const;
    std::string parameters(bool inputs, const std::function<bool(std::size_t)>& outputs) const;
    void add_pass(std::size_t k, std::string& text) const;

    const RowTexts& rows_;
    const Definition& definition_;
    const Signature& signature_;
    const KernelParts& parts_;
};

}  // namespace kgen
