// SPDX-License-Identifier: MIT
//
// Chooses a template's form for operands of any dtypes.
#pragma once

#include <kgen/dtype.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "template/template_definition.hpp"

namespace kgen {

// The dtype of an operand. A number has the dtype of its kind: bool, int64, float64 or complex128.
struct OperandType {
    DType dtype = DType::float32;
    bool is_number = false;
};

struct FormChoice {
    const TemplateOverload* form = nullptr;
    std::vector<DType> dtypes;  // of the parameters, inputs first
    std::vector<std::pair<char, DType>> placeholders;
};

// Returns the dtype that a number gets beside arrays of the dtype `arrays`, which the arrays are converted to as well.
DType dtype_beside_number(DType arrays, DType number) noexcept;

// See make_nodes(). Returns nothing if no form takes the operands, whose number must be that of the inputs.
std::optional<FormChoice> choose_form(const TemplateDefinition& definition,
                                      std::span<const OperandType> operands);

// Returns whether NumPy's casting="same_kind" allows the conversion: to a dtype of the same or a later kind, in the
// order bool, unsigned, signed, real, complex.
bool is_same_kind_cast(DType from, DType to) noexcept;

}  // namespace kgen
