// SPDX-License-Identifier: MIT
//
// kgen's own kernels for CUDA arrays: copies, conversions, fills, ranges.
#pragma once

#include <kgen/dtype.hpp>
#include <vector>

#include "signature/signature.hpp"
#include "template/template_definition.hpp"

namespace kgen::array_kernels {

// Arrays of such dtypes need kernels of their own.
bool is_complex(DType dtype) noexcept;

// "T x" to "T y". complex64 is copied as uint64, and misaligned complex numbers as their parts.
Definition copy();
Definition convert();          // "T x" to "U y"; no complex dtypes
Definition convert_complex();  // all dtypes
Definition fill();             // the number "T x" to "T y"
Definition arange();           // integers: numbers "start" and "step"
Definition arange_real();      // all other dtypes

// Returns all of them as templates for arrays of these dtypes, to be precompiled for programs that use such
// arrays.
std::vector<TemplateDefinition> templates_for(const std::vector<DType>& dtypes);

}  // namespace kgen::array_kernels
