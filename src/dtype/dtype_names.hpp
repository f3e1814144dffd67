// SPDX-License-Identifier: MIT
//
// What the dtypes are called: in device code, and in the strings of users.
#pragma once

#include <kgen/dtype.hpp>
#include <string_view>
#include <vector>

namespace kgen {

// The name of the C++ type in device code: "signed char", "long long", "float16", "complex<float>".
std::string_view cpp_name(DType dtype) noexcept;

// Every name that parse_dtype reads, NumPy's first, for "did you mean".
std::vector<std::string_view> dtype_names();

}  // namespace kgen
