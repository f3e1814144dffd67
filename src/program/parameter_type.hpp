// SPDX-License-Identifier: MIT
//
// ParameterType: the arguments that a kernel's parameter accepts, read from its C++ type.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dtype/dtype_set.hpp"

namespace kgen {

// How a kernel may access the memory of an argument.
enum class MemoryUse : std::uint8_t { unknown, reads, writes };

struct ParameterType {
    enum class Form : std::uint8_t { other, number, pointer, view };

    Form form = Form::other;
    MemoryUse use = MemoryUse::unknown;  // for pointers and views
    std::uint8_t alignment = 1;          // required of the memory, in bytes
    std::int8_t rank = 0;                // number of axes of a view (kgen::array)
    DTypeSet elements = DTypeSet::all();
    std::optional<DType> number;  // dtype of a number
    std::string text;             // "const float*"; empty if nothing is known
};

// How a type is spelled: by a compiler or demangler with all aliases resolved, or as written in a source,
// where a name such as size_t may be an alias.
enum class TypeSpelling : std::uint8_t { resolved, source };

// Reads "float const*", "const float *", "long unsigned int", "kgen::array<float const, 2>". The result for
// an unknown type accepts every argument. For a source, `is_redefined` returns true for words that do not
// have their usual meaning.
ParameterType read_parameter_type(
    std::string_view text,
    TypeSpelling spelling = TypeSpelling::resolved,
    const std::function<bool(std::string_view)>& is_redefined = nullptr);

}  // namespace kgen
