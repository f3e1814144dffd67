// SPDX-License-Identifier: MIT
//
// find_declared_kernels: what a source says of a kernel's parameters where compiled code does not: their
// names, and the types of those that are extern "C".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/target.hpp"
#include "program/parameter_type.hpp"
#include "source/source.hpp"

namespace kgen {

struct DeclaredParameter {
    std::string name;  // empty: it has none
    std::string type;  // as it is written, without the name
};

// "const float* __restrict__ x, int" is x of "const float * __restrict__", and "int" without a name.
// No default values.
std::vector<DeclaredParameter> read_parameter_list(std::string_view text);

// A kernel that is written out in a source; what macros make is not seen.
struct DeclaredKernel {
    std::string name;  // "ns::saxpy"
    bool is_template = false;
    std::vector<DeclaredParameter> parameters;
};

// Those whose name without namespaces is that of `name`, whose own namespaces and template arguments do
// not count.
std::vector<DeclaredKernel> find_declared_kernels(const std::vector<UserText>& texts,
                                                  std::string_view name,
                                                  DeviceKind device,
                                                  const std::vector<std::string>& options);

// "saxpy" of "ns::saxpy<float>(float*, int)".
std::string_view unqualified_name(std::string_view name);

// What the type of a parameter means where it is written.
ParameterType read_declared_type(const DeclaredParameter& parameter,
                                 const std::vector<UserText>& texts,
                                 const std::vector<std::string>& options);

}  // namespace kgen
