// SPDX-License-Identifier: MIT
//
// Arrays in JSON.
#pragma once

#include <kgen/array.hpp>
#include <nlohmann/json_fwd.hpp>

namespace kgen::cli {

// The elements in C order: numbers, true and false; complex ones as [real, imaginary]; what JSON has
// no number for as "nan", "inf" and "-inf". Waits for the array.
nlohmann::ordered_json elements_json(const Array& array);

nlohmann::ordered_json dims_json(const Dims& dims);

}  // namespace kgen::cli
