// SPDX-License-Identifier: MIT
//
// The kernels of kgen's own that work on CUDA arrays: copies, conversions, fills, ranges.
#pragma once

#include <kgen/dtype.hpp>
#include <vector>

#include "signature/signature.hpp"
#include "template/template_definition.hpp"

namespace kgen::array_kernels {

bool is_complex(DType dtype) noexcept;  // arrays of such dtypes take kernels of their own

Definition copy();     // "T x" to "T y": complex64 as uint64, and where it is misaligned by parts
Definition convert();  // "T x" to "U y", no complex dtypes
Definition convert_complex();  // any dtypes
Definition fill();             // the number "T x" to "T y"
Definition arange();           // of integers: the numbers "start" and "step"
Definition arange_real();      // of all others

// All of them as templates for arrays of these dtypes, to be compiled ahead with what uses such arrays.
std::vector<TemplateDefinition> templates_for(const std::vector<DType>& dtypes);

}  // namespace kgen::array_kernels
