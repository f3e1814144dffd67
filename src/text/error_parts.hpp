// SPDX-License-Identifier: MIT
//
// with_parts: an error with its parts as fields. Used where the error is thrown:
//
//     throw with_parts(TypeError(message), {ErrorKind::dtype, "x", "float32", "int8"});
#pragma once

#include <kgen/error.hpp>
#include <utility>

namespace kgen {

template <typename E>
E with_parts(E error, ErrorParts parts) {
    error.set_parts(std::move(parts));
    return error;
}

}  // namespace kgen
