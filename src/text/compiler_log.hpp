// SPDX-License-Identifier: MIT
//
// Parsers of the output of NVRTC, g++ and clang++. They find the errors in the user's texts, and tell errors
// in a source from failures of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/excerpt.hpp"

namespace kgen {

// A user's text, and the name that its #line directive gives it in the compiler's output.
struct LabelledText {
    std::string_view label;
    std::string_view text;
};

// An error that the compiler reported.
struct Diagnostic {
    std::size_t text = 0;  // index into the labelled texts
    TextPosition position;
    std::string message;  // "identifier \"w\" is undefined"
};

// Returns the errors that lie in one of the texts, in the order of the log and without repetitions. Reads
// "LABEL(1): error: ..." with a caret line (NVRTC) and "LABEL:1:12: error: ..." (g++, clang++).
std::vector<Diagnostic> find_errors(std::string_view log, std::span<const LabelledText> texts);

// Returns the first error, 'squared_diff (operation)(1:12): error: identifier "w" is undefined', the user's
// line with a caret, and the number of further errors. Empty if no error lies in one of the texts.
std::string describe_errors(std::string_view log, std::span<const LabelledText> texts);

// NVRTC's error for a name expression that does not name a kernel or variable. It lies in none of the user's
// texts, so find_errors cannot find it.
struct NameError {
    std::string expression;  // "axpby<void>"
    std::string message;     // "cannot determine which instance of ..."
};
std::optional<NameError> find_name_error(std::string_view log);

// Returns the outermost template instantiation that contains NVRTC's first error, which is the one that the
// user wrote: "void axpby(T *, T) [with T=U]". Empty if the error lies in no instantiation.
std::string find_instantiation(std::string_view log);

// Whether the log reports only mistakes in a source: at least one error has a line number, and no line
// reports a failure of the machine (out of memory, a full disk, a killed compiler process). Compiling the
// same source again gives the same errors.
bool blames_source(std::string_view log);

// The resource that the compiler ran out of, according to the log. `none` if an error has a line number in a
// source.
enum class ShortResource : std::uint8_t { none, memory, file_size, disk };
ShortResource find_short_resource(std::string_view log);

// Whether a line of the log reports a failure of the machine or of the compiler itself.
bool blames_machine(std::string_view log);

// Returns the first line that contains "error", else the beginning of the log; at most 500 bytes. For errors
// outside of the user's texts.
std::string first_error(std::string_view log);

}  // namespace kgen
