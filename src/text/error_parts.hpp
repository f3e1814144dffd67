// SPDX-License-Identifier: MIT
//
// Errors that have their parts as fields beside the message. refuse() throws one:
//
//     refuse<TypeError>({ErrorKind::dtype, "x", "float32", "int8"}, "x is {}, not {}", got, expected);
//
// with_parts() gives parts to an error that is there already.
#pragma once

#include <fmt/format.h>

#include <kgen/error.hpp>
#include <utility>

namespace kgen {

template <typename E>
E with_parts(E error, ErrorParts parts) {
    error.set_parts(std::move(parts));
    return error;
}

// Throws E with the formatted text as message.
template <typename E, typename... Values>
[[noreturn]] void refuse(ErrorParts parts, fmt::format_string<Values...> text, Values&&... values) {
    throw with_parts(E(fmt::format(text, std::forward<Values>(values)...)), std::move(parts));
}

}  // namespace kgen
