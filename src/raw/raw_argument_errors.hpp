// SPDX-License-Identifier: MIT
//
// Errors for the arguments of a RawKernel. The functions throw TypeError, the last four ShapeError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/raw_argument.hpp>
#include <span>
#include <string>

#include "raw/typed_parameters.hpp"

namespace kgen {

// One argument of a launch and the parameter that it is passed to.
struct ArgumentPlace {
    const std::string& kernel;
    std::span<const RawArgument> arguments;
    std::size_t index;  // 0-based
    const TypedParameter& parameter;

    const RawArgument& argument() const { return arguments[index]; }
};

[[noreturn]] void refuse_count(const std::string& kernel, std::size_t got, std::size_t expected);
[[noreturn]] void refuse_empty_array(const ArgumentPlace& place);
// An array was given for a number or a struct, or a number for a pointer.
[[noreturn]] void refuse_kind(const ArgumentPlace& place);
[[noreturn]] void refuse_size(const ArgumentPlace& place, std::size_t bytes);
// The bytes of a struct were given with the alignment of another type.
[[noreturn]] void refuse_type_alignment(const ArgumentPlace& place);
// The number does not convert to the parameter's dtype, or to either of two possible dtypes.
[[noreturn]] void refuse_number(const ArgumentPlace& place, DType dtype);
[[noreturn]] void refuse_number(const ArgumentPlace& place, DType either, DType other);
[[noreturn]] void refuse_dtype(const ArgumentPlace& place);
[[noreturn]] void refuse_rank(const ArgumentPlace& place);
[[noreturn]] void refuse_layout(const ArgumentPlace& place);
[[noreturn]] void refuse_alignment(const ArgumentPlace& place, std::uintptr_t address);
[[noreturn]] void refuse_read_only(const ArgumentPlace& place);
[[noreturn]] void refuse_device(const ArgumentPlace& place, Device device);

}  // namespace kgen
