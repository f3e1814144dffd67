// SPDX-License-Identifier: MIT
//
// The dtypes' NumPy names as types of device code: uint8, float32, complex64. A program that names one
// gets it, unless it declares something of that name itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/target.hpp"
#include "dtype/dtype_set.hpp"

namespace kgen {

// The dtypes that are `mentioned`, or whose names stand in one of the texts or options as words of their own,
// and that are declared neither by an option nor in one of the `declaring` texts (see find_declared_names).
// Never bool.
DTypeSet find_dtype_names(const std::vector<std::string_view>& texts,
                          const std::vector<std::string_view>& declaring,
                          const std::vector<std::string>& options,
                          DTypeSet mentioned = {});

// "typedef float float32;" for each. Those of the prelude's classes stand for `prefix`float16 and
// `prefix`complex<T>; without a prefix, a class that has the dtype's name needs none.
std::string dtype_aliases(DTypeSet dtypes, std::string_view prefix);

}  // namespace kgen
