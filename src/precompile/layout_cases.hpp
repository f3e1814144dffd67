// SPDX-License-Identifier: MIT
//
// layout_cases: sample calls for the layouts that a template is precompiled for (template_layouts.hpp). Each is a large
// call, which is planned as what it is and for calls of any size (Fit::any_size). So every call of the layout finds a
// kernel, and large calls with rows of whole vectors find the kernel that they would compile.
#pragma once

#include <kgen/argument.hpp>
#include <string_view>
#include <vector>

#include "call/placement.hpp"
#include "signature/signature.hpp"
#include "types/type_binding.hpp"

namespace kgen {

struct LayoutCase {
    std::vector<Argument> arguments;  // one per parameter: ArraySpecs and numbers
    std::vector<int> axes;            // reduced axes; empty if not a reduction
    Placement placement = Placement::aligned;
    bool any_size_only = false;  // it is not planned as the call that it is
};

// Returns no case if the layout does not apply to the kernel, such as "row" for a kernel with one input.
// `numbers` holds the names of the inputs that calls pass as numbers.
std::vector<LayoutCase> layout_cases(const Signature& signature,
                                     const TypeBinding& types,
                                     std::string_view layout,
                                     const std::vector<std::string>& numbers);

}  // namespace kgen
