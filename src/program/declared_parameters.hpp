// SPDX-License-Identifier: MIT
//
// find_declared_kernels: reads from a source what compiled code does not contain: the names of a kernel's
// parameters and, for an extern "C" kernel, their types.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/target.hpp"
#include "program/parameter_type.hpp"
#include "source/source.hpp"

namespace kgen {

struct DeclaredParameter {
    std::string name;  // empty if the parameter has no name
    std::string type;  // as written in the source, without the name
};

// Splits a parameter list without default values. "const float* __restrict__ x, int" gives 'x' of type
// "const float * __restrict__", and "int" without a name.
std::vector<DeclaredParameter> read_parameter_list(std::string_view text);

// A kernel that is written out in a source. Kernels that macros expand to are not found.
struct DeclaredKernel {
    std::string name;  // "ns::saxpy"
    bool is_template = false;
    std::vector<DeclaredParameter> parameters;
};

// Returns the kernels in `texts` whose unqualified name equals that of `name`. `texts` begins with the
// main source; other sources and headers follow.
std::vector<DeclaredKernel> find_declared_kernels(const std::vector<UserText>& texts,
                                                  std::string_view name,
                                                  DeviceKind device,
                                                  const std::vector<std::string>& options);

// Returns "saxpy" for "ns::saxpy<float>(float*, int)".
std::string_view unqualified_name(std::string_view name);

// Reads the type of a parameter. A name that `texts` or `options` redefine does not have its usual meaning.
ParameterType read_declared_type(const DeclaredParameter& parameter,
                                 const std::vector<UserText>& texts,
                                 const std::vector<std::string>& options);

}  // namespace kgen
