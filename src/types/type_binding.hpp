// SPDX-License-Identifier: MIT
//
// TypeBinding: the dtype of every parameter in one call. Stage 2.
#pragma once

#include <kgen/dtype.hpp>
#include <kgen/scalar.hpp>
#include <string>
#include <utility>
#include <vector>

#include "signature/signature.hpp"

namespace kgen {

// What a call says of one parameter's type: the dtype of an array, a number, or nothing (an output
// that is to be allocated).
struct ArgumentType {
    enum class Kind { array, scalar, absent };
    Kind kind = Kind::absent;
    DType dtype = DType::float32;  // of the array, or of the number's C++ type
};

struct TypeBinding {
    std::vector<DType> dtypes;                         // one a parameter
    std::vector<std::pair<char, DType>> placeholders;  // in the order of the signature

    friend bool operator==(const TypeBinding&, const TypeBinding&) = default;
};

// Resolves the placeholders: from given outputs, then from input arrays, then from numbers where
// nothing else names them. `arguments` has one element a parameter. Throws TypeError where an
// array's dtype does not fit, or a placeholder stays unknown.
TypeBinding resolve_types(const Signature& signature, const std::vector<ArgumentType>& arguments);

// "T = float32, U = int64", or "no placeholders".
std::string to_text(const TypeBinding& binding);

}  // namespace kgen
