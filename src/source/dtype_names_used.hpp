// SPDX-License-Identifier: MIT
//
// The NumPy names of dtypes as types of device code: uint8, float32, complex64. A program that uses such a
// name gets the type, unless it declares that name itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "device/target.hpp"
#include "dtype/dtype_set.hpp"

namespace kgen {

// Returns the dtypes that are `mentioned`, or whose names occur as whole words in one of the texts or
// options. Leaves out dtypes whose names are declared by an option or in one of the `declaring` texts (see
// find_declared_names). Never returns bool.
DTypeSet find_dtype_names(const std::vector<std::string_view>& texts,
                          const std::vector<std::string_view>& declaring,
                          const std::vector<std::string>& options,
                          DTypeSet mentioned = {});

// Returns a line such as "typedef float float32;" for each dtype whose type, as type_name() returns it, has
// another name.
std::string dtype_aliases(DTypeSet dtypes, const std::function<std::string(DType)>& type_name);

}  // namespace kgen
