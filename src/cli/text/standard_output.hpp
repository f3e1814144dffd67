// SPDX-License-Identifier: MIT
//
// Results go to stdout whole, and a stdout that does not take them is an error.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace kgen::cli {

// Call first: a closed pipe becomes a failed write, and a closed stdout or stderr is filled so that
// no file which is opened later gets its number.
void prepare_standard_output();

// A name or value of unknown origin that stands within a line: no line breaks, and nothing else that a
// terminal would obey.
std::string in_line(std::string_view value);

// Writes the text; what a terminal would obey is escaped, line breaks and tabs apart. Throws IoError.
void write_text(std::string_view text);

// Writes the object on one line, in ASCII. Text that is not UTF-8 gets replacement characters.
void write_json(const nlohmann::ordered_json& object);

}  // namespace kgen::cli
