// SPDX-License-Identifier: MIT
//
// BaseType: what a type's name tells of its elements, their size and their alignment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dtype/dtype_set.hpp"

namespace kgen {

// What a pointer points to, or what a number is.
struct BaseType {
    std::string text;
    DTypeSet elements = DTypeSet::all();
    std::size_t bytes = 0;  // 0: not known
    std::size_t alignment = 1;
    std::optional<DType> number;
};

BaseType number_type(std::string_view text, DType dtype);

// "unsigned long long" of the words "long", "unsigned", "int", "long".
BaseType built_in_type(const std::vector<std::string_view>& words);

// "float4", "longlong2", "double4_16a": CUDA's own, whose names mean nothing else.
std::optional<BaseType> vector_type(std::string_view name);

// The types of CUDA's headers and of kgen's prelude, by the names that compilers know them by.
std::optional<BaseType> header_type(std::string_view name);

// What a word means in a source that does not say otherwise: size_t, half, float32.
std::optional<BaseType> source_type(std::string_view name);

}  // namespace kgen
