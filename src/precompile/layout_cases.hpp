// SPDX-License-Identifier: MIT
//
// The calls that stand for the layouts a template is worth compiling for (template_layouts.hpp). Plans
// depend on no size as such, but reductions differ for few and for many elements: a layout of theirs
// is several calls.
#pragma once

#include <kgen/argument.hpp>
#include <string_view>
#include <vector>

#include "call/placement.hpp"
#include "signature/signature.hpp"
#include "types/type_binding.hpp"

namespace kgen {

struct LayoutCase {
    std::vector<Argument> arguments;  // one a parameter: specs and numbers
    std::vector<int> axes;            // of a reduction
    Placement placement = Placement::aligned;
};

// None where the layout makes no sense for the kernel: a row of one input. `numbers` names the inputs
// that calls give as numbers.
std::vector<LayoutCase> layout_cases(const Signature& signature,
                                     const TypeBinding& types,
                                     std::string_view layout,
                                     const std::vector<std::string>& numbers);

}  // namespace kgen
