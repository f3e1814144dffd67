// SPDX-License-Identifier: MIT
//
// TypeBinding: the dtype of every parameter in one call. Stage 2 of the pipeline (src/README.md).
#pragma once

#include <kgen/dtype.hpp>
#include <kgen/scalar.hpp>
#include <span>
#include <string>

#include "dtype/inline_vector.hpp"
#include "signature/signature.hpp"

namespace kgen {

// The type of one argument of a call: an array of a dtype, a number, or absent (an output that kgen
// allocates).
struct ArgumentType {
    enum class Kind { array, scalar, absent };
    Kind kind = Kind::absent;
    DType dtype = DType::float32;  // of the array, or of the number's C++ type
};

// The dtype of each parameter, and of each placeholder.
struct TypeBinding {
    // The dtype that a placeholder stands for.
    struct Placeholder {
        char letter;
        DType dtype;
        friend bool operator==(const Placeholder&, const Placeholder&) = default;
    };
    PerParameter<DType> dtypes;
    InlineVector<Placeholder, 4> placeholders;  // in the order of the signature

    friend bool operator==(const TypeBinding&, const TypeBinding&) = default;
};

// Resolves the placeholders from the given outputs, then from input arrays, then from numbers if no array
// uses the placeholder. `arguments` has one element for each parameter. Throws TypeError if an array's dtype
// does not match, if a number is given for a parameter that needs an array, if only numbers use a placeholder
// and their types differ, or if a placeholder stays unknown.
TypeBinding resolve_types(const Signature& signature, std::span<const ArgumentType> arguments);

// Returns "T = float32, U = int64", or "no placeholders".
std::string to_text(const TypeBinding& binding);

// Returns the dtype of each parameter: "float32, int64 -> float32".
std::string describe_dtypes(const Signature& signature, const TypeBinding& binding);

}  // namespace kgen
