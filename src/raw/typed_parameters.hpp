// SPDX-License-Identifier: MIT
//
// TypedParameter: a parameter of a raw kernel, with its type if the image, the kernel's symbol or the source
// contains it.
#pragma once

#include <cstddef>
#include <kgen/raw_kernel.hpp>
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
    // Checked for each array of a launch, so placed in the first cache line. The dtype must be in `dtypes`,
    // or in `read_only_dtypes` if the array is read-only. The address must have none of `misaligned_bits`.
    DTypeSet dtypes = DTypeSet::all();
    DTypeSet read_only_dtypes;
    std::uint32_t misaligned_bits = 0;
    ParameterType type;
    std::size_t alignment = 0;  // of the parameter itself; 0 if unknown
};

// Combines the parameters with their C++ types. `types` has one element per parameter, or is empty if the
// types are not known. A type that does not fit the size of its parameter is ignored.
std::vector<TypedParameter> type_parameters(std::span<const KernelParameter> parameters,
                                            const std::vector<ParameterType>& types);

// Returns what RawKernel::parameters() tells of a parameter, without its name.
RawParameter describe_parameter(const TypedParameter& parameter);

// Returns the types in the compiled code: from its table of parameters, else from the mangled symbol. Empty
// if neither contains them.
std::vector<ParameterType> types_in_code(std::span<const KernelParameter> parameters,
                                         const std::string& symbol);

}  // namespace kgen
