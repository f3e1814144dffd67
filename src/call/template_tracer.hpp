// SPDX-License-Identifier: MIT
//
// TemplateTracer: makes the forms of a template from a C++ function, when a call needs them.
#pragma once

#include <kgen/dtype.hpp>
#include <span>
#include <vector>

#include "template/template_definition.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// Its functions are called while a lock is held, so they run once for each combination of dtypes.
class TemplateTracer {
public:
    virtual ~TemplateTracer() = default;
    // Returns the dtypes of the inputs for a call with these arguments: those of the arrays, and for numbers the dtype
    // that the arrays give them.
    virtual std::vector<DType> dtypes(std::span<const ArgumentType> inputs) const = 0;
    // Returns the form for inputs of these dtypes. Throws TypeError.
    virtual TemplateOverload form(std::span<const DType> inputs) const = 0;
};

}  // namespace kgen
