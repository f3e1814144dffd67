// SPDX-License-Identifier: MIT
//
// ParameterType: what the C++ type of a kernel's parameter tells of the arguments that fit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dtype/dtype_set.hpp"

namespace kgen {

// What a kernel may do with the memory that it is given.
enum class MemoryUse : std::uint8_t { unknown, reads, writes };

struct ParameterType {
    enum class Form : std::uint8_t { other, number, pointer, view };

    Form form = Form::other;
    MemoryUse use = MemoryUse::unknown;  // of a pointer and a view
    std::uint8_t alignment = 1;          // of the memory, in bytes
    std::int8_t rank = 0;                // of a view, which is a kgen::array
    DTypeSet elements = DTypeSet::all();
    std::optional<DType> number;  // its own dtype
    std::string text;             // "const float*"; empty: nothing is known
};

// How a type is written: by compilers and demanglers, which know what an alias stands for, or in a
// source, where size_t is a word like others.
enum class TypeSpelling : std::uint8_t { resolved, source };

// Reads "float const*", "const float *", "long unsigned int", "kgen::array<float const, 2>". A type that
// is not known may be anything: no argument is refused for it. Of a source, `is_redefined` tells the
// words that do not mean what they usually do.
ParameterType read_parameter_type(
    std::string_view text,
    TypeSpelling spelling = TypeSpelling::resolved,
    const std::function<bool(std::string_view)>& is_redefined = nullptr);

}  // namespace kgen
