// SPDX-License-Identifier: MIT
//
// Errors of compilers and drivers in the user's terms: where in which of their texts, and about what
// that they named.
#pragma once

#include <kgen/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "source/source.hpp"

namespace kgen {

// The same failure, with the place in the user's own text in place of the compiler's log; the log
// stays in CompileError::log().
CompileError explain_error(const CompileError& error, const std::vector<UserText>& user_texts);

// Likewise of a program of the user's own, whose kernels stand in its sources as `declared`. `missing`
// is what explain_missing_header() says.
CompileError explain_raw_error(const CompileError& error,
                               const std::vector<UserText>& user_texts,
                               const std::vector<std::string>& declared,
                               const std::string& missing);

// "kernel 'saxpy': ..." where a stage says "program 'saxpy': ..." or "kernel 'saxpy' on cuda:0: ...":
// the stages know a program by one word alone, the user knows it as a kernel or a module.
std::string with_subject(std::string_view message,
                         std::string_view program,
                         std::string_view subject);

}  // namespace kgen
