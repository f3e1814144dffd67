// SPDX-License-Identifier: MIT
//
// TypedParameter: a parameter of a kernel of the user's own with all that is known of its type, from
// the image, from the kernel's symbol or from the source.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "program/parameter_type.hpp"

namespace kgen {

struct TypedParameter {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    ParameterKind kind = ParameterKind::unknown;
    // What a launch asks of an array, in the first cache line: its dtype is among the first of these, or
    // among the second if it is read-only, and its address has none of the bits.
    DTypeSet dtypes = DTypeSet::all();
    DTypeSet read_only_dtypes;
    std::uint32_t misaligned_bits = 0;
    ParameterType type;
};

// `types` are those in C++, one a parameter, or none at all where nothing tells them. One that does not
// fit the parameter's size is not believed.
std::vector<TypedParameter> type_parameters(std::span<const KernelParameter> parameters,
                                            const std::vector<ParameterType>& types);

// What the code itself tells: the parameters' own types, else those in the mangled symbol; empty where
// neither does.
std::vector<ParameterType> types_in_code(std::span<const KernelParameter> parameters,
                                         const std::string& symbol);

}  // namespace kgen
