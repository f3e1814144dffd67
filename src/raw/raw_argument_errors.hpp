// SPDX-License-Identifier: MIT
//
// What is wrong with an argument of a RawKernel, told. All throw TypeError but those that say
// otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/raw_argument.hpp>
#include <span>
#include <string>

#include "raw/typed_parameters.hpp"

namespace kgen {

// One argument among all, and where it goes.
struct ArgumentPlace {
    const std::string& kernel;
    std::span<const RawArgument> arguments;
    std::size_t index;  // from 0
    const TypedParameter& parameter;

    const RawArgument& argument() const { return arguments[index]; }
};

[[noreturn]] void refuse_count(const std::string& kernel, std::size_t got, std::size_t expected);
[[noreturn]] void refuse_empty_array(const ArgumentPlace& place);
// An array where a number or a struct is taken, a number where a pointer is taken.
[[noreturn]] void refuse_kind(const ArgumentPlace& place);
[[noreturn]] void refuse_size(const ArgumentPlace& place, std::size_t bytes);
// The number does not convert to the parameter's dtype, or to either of two.
[[noreturn]] void refuse_number(const ArgumentPlace& place, DType dtype);
[[noreturn]] void refuse_number(const ArgumentPlace& place, DType either, DType other);
[[noreturn]] void refuse_dtype(const ArgumentPlace& place);
[[noreturn]] void refuse_rank(const ArgumentPlace& place);
[[noreturn]] void refuse_layout(const ArgumentPlace& place);  // ShapeError
[[noreturn]] void refuse_alignment(const ArgumentPlace& place, std::uintptr_t address);  // likewise
[[noreturn]] void refuse_read_only(const ArgumentPlace& place);                          // likewise
[[noreturn]] void refuse_device(const ArgumentPlace& place, Device device);  // ShapeError

}  // namespace kgen
