// SPDX-License-Identifier: MIT
//
// Rewrites errors of compilers and drivers in the user's terms: positions in the user's texts, and the names
// that the user gave to kernels and modules.
#pragma once

#include <kgen/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "source/source.hpp"

namespace kgen {

// Returns the error with the position in the user's text instead of the compiler's log, which stays available
// in CompileError::log().
CompileError explain_error(const CompileError& error, const std::vector<UserText>& user_texts);

// Does the same for a raw program. `declared` holds the kernels that its sources declare, `missing` the text
// of explain_missing_header().
CompileError explain_raw_error(const CompileError& error,
                               const std::vector<UserText>& user_texts,
                               const std::vector<std::string>& declared,
                               const std::string& missing);

// Replaces the subject of a stage's message, "program 'saxpy'" or "kernel 'saxpy'", by what the user defined:
// "kernel 'saxpy'" or "module 'saxpy.cu'". The stages know a program only by one word.
std::string with_subject(std::string_view message,
                         std::string_view program,
                         std::string_view subject);

}  // namespace kgen
