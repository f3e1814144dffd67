// SPDX-License-Identifier: MIT
//
// StepWriter: the pieces of text that the kernels of all steps share.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "expression/node.hpp"
#include "expression/step_text.hpp"

namespace kgen {

class StepWriter {
public:
    // The arguments must outlive the object. `of_row` are the nodes that have one element for each row; they are members
    // of `kgen_row`.
    StepWriter(const NodeList& list, const StepNodes& step, std::set<std::size_t> of_row = {})
        : list_(list), step_(step), of_row_(std::move(of_row)) {}

    // Names the kernel after its functions, for profilers and messages.
    std::string kernel_name() const;
    std::string inputs() const;
    std::string outputs() const;
    // The statement that sets output number k, without a semicolon.
    std::string assignment(std::size_t k) const;
    // The statements that compute the functions.
    std::string statements(const std::vector<std::size_t>& nodes);
    // The call of a reduction's map with its operands. `scope` stands before the map's text.
    std::string map_call(std::size_t reduction, const std::string& scope) const;
    // The operands of a function, separated by commas.
    std::string operands(std::size_t at) const;
    // The preambles of the functions whose statements were written, each in a namespace.
    const std::string& preamble() const noexcept { return preamble_; }
    // Returns the placeholders of the function as types, if its texts mention them.
    std::string types(const Node& node) const;
    std::string name(std::size_t at) const;

private:
    std::string scope(const Node& node, std::size_t at);
    // Whether the function divides elements of rows by a float32 that is the same for the whole row.
    bool divides_by_row(std::size_t at) const;

    const NodeList& list_;
    const StepNodes& step_;
    std::set<std::size_t> of_row_;
    std::set<std::size_t> in_preamble_;
    std::string preamble_;
};

// Returns the text on lines of its own if what follows could become a part of its last line.
std::string enclosed(const std::string& text);

}  // namespace kgen
