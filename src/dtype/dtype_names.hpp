// SPDX-License-Identifier: MIT
//
// Names of the dtypes in device code and in the user's strings.
#pragma once

#include <kgen/dtype.hpp>
#include <string_view>
#include <vector>

namespace kgen {

// Returns the name of the C++ type in device code: "signed char", "long long", "float16", "complex<float>".
std::string_view cpp_name(DType dtype) noexcept;

// Returns every name that parse_dtype accepts, NumPy's names first. Messages suggest the nearest of them.
std::vector<std::string_view> dtype_names();

}  // namespace kgen
