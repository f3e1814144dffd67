// SPDX-License-Identifier: MIT
//
// Reads what NVRTC, g++ and clang++ print about a source, and finds what it says of a user's text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/excerpt.hpp"

namespace kgen {

// A text as a compiler knows it: the name in its #line directive, and its content.
struct LabelledText {
    std::string_view label;
    std::string_view text;
};

struct Diagnostic {
    std::size_t text = 0;  // index into the labelled texts
    TextPosition position;
    std::string message;  // "identifier \"w\" is undefined"
};

// The errors that lie in one of the texts, in order, each once. Reads "LABEL(1): error: ..." with a
// caret line (NVRTC) and "LABEL:1:12: error: ..." (g++, clang++).
std::vector<Diagnostic> find_errors(std::string_view log, std::span<const LabelledText> texts);

// "squared_diff (operation)(1:12): error: identifier "w" is undefined", the user's line with a
// caret, and how many more errors there are; empty if no error lies in a user's text.
std::string describe_errors(std::string_view log, std::span<const LabelledText> texts);

// What NVRTC says of a name expression that names nothing: it stands in no text of the user's.
struct NameError {
    std::string expression;  // "axpby<void>"
    std::string message;     // "cannot determine which instance of ..."
};
std::optional<NameError> find_name_error(std::string_view log);

// "void axpby(T *, T) [with T=U]": the template whose instantiation, by the user, NVRTC's first error
// lies in; empty if it lies in none.
std::string find_instantiation(std::string_view log);

// Whether the log is about mistakes in a source and about nothing else: at least one error has a line
// number, and no line tells of the machine (no memory, a full disk, a part of the compiler that was
// ended). Such an error comes again if the same source is compiled again.
bool blames_source(std::string_view log);

// The resource that the log says was used up; `none` if an error has a line number in a source.
enum class ShortResource : std::uint8_t { none, memory, file_size };
ShortResource find_short_resource(std::string_view log);

// For errors outside the user's texts: the first line that says "error", else the first lines of the
// log, at most 500 bytes.
std::string first_error(std::string_view log);

}  // namespace kgen
