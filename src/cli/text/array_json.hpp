// SPDX-License-Identifier: MIT
//
// Arrays as JSON.
#pragma once

#include <kgen/array.hpp>
#include <nlohmann/json_fwd.hpp>

namespace kgen::cli {

// Returns the elements in C order: numbers, true and false. Complex numbers are [real, imaginary]. Values
// that JSON cannot represent are "nan", "inf" and "-inf". Waits for the array.
nlohmann::ordered_json elements_json(const Array& array);

nlohmann::ordered_json dims_json(const Dims& dims);

}  // namespace kgen::cli
