// SPDX-License-Identifier: MIT
//
// BaseType: the element dtypes, size and alignment of a C++ type, found by its name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dtype/dtype_set.hpp"

namespace kgen {

// The type that a pointer points to, or the type of a number.
struct BaseType {
    std::string text;
    DTypeSet elements = DTypeSet::all();
    std::size_t bytes = 0;  // 0 if not known
    std::size_t alignment = 1;
    std::optional<DType> number;  // nothing if the type is not a single number
};

BaseType number_type(std::string_view text, DType dtype);

// Returns "unsigned long long" for the words "long", "unsigned", "int", "long".
BaseType built_in_type(const std::vector<std::string_view>& words);

// Returns a vector type of CUDA: "float4", "longlong2", "double4_16a". Nothing for other names.
std::optional<BaseType> vector_type(std::string_view name);

// Returns a type of CUDA's headers or kgen's prelude by the name that compilers report: "__half".
std::optional<BaseType> header_type(std::string_view name);

// Returns the type that a name has in a source that does not redefine it: "size_t", "half", "float32".
std::optional<BaseType> source_type(std::string_view name);

}  // namespace kgen
