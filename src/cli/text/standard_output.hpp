// SPDX-License-Identifier: MIT
//
// Writes results to stdout completely, and fails if stdout does not accept them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace kgen::cli {

// Must be called first. Makes writing to a closed pipe, or beyond the limit of file sizes (ulimit -f), fail
// instead of ending the process. Opens a closed
// stdin, stdout or stderr, so that no file opened later gets its number.
void prepare_standard_output();

// Returns a name or value of unknown origin for use within a line, with line breaks and all that a terminal
// would obey escaped.
std::string in_line(std::string_view value);

// Returns "; did you mean 'axis'?" for the valid name that is nearest; empty if none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& valid);

// Returns the label, padded to `width`, and the text, whose further lines are aligned below its first.
std::string labelled(std::string_view label, std::size_t width, std::string_view text);

// Writes the text. Escapes all that a terminal would obey except line breaks and tabs. Throws IoError, or
// ClosedPipe if the reader of stdout has gone.
void write_text(std::string_view text);

// Whether stdout is a pipe whose reader has gone.
bool is_stdout_closed() noexcept;

// Writes the object on one line in ASCII. Replaces text that is not UTF-8 by replacement characters.
void write_json(const nlohmann::ordered_json& object);

// Writes the object for --json, else the text.
void write_result(bool json, const nlohmann::ordered_json& object, std::string_view text);

}  // namespace kgen::cli
