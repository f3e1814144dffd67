// SPDX-License-Identifier: MIT
//
// scan_program: finds the kernels and variables of a program's text and the words that its functions mention,
// so that the program can run on the CPU. Code that macros expand to is not found; such a kernel is reached
// by a name expression.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/shared_array_scan.hpp"
#include "signature/active_code.hpp"

namespace kgen {

struct ScannedKernel {
    std::string name;        // "ns::saxpy"
    std::string written;     // as written in the text
    std::string parameters;  // "float* x, int n", without defaults
    std::size_t end = 0;     // offset after its body
    std::size_t chunk = 0;   // index in ScannedProgram::chunks
    bool is_overloaded = false;
};

struct ScannedVariable {
    std::string name;
    std::string written;
    std::size_t end = 0;  // offset after its declaration
};

// A function, class, macro or other declaration, its names, and all words in it. Code that mentions one of
// `names` may reach all of `mentions`.
struct ScannedChunk {
    std::vector<std::string> names;
    std::set<std::string, std::less<>> mentions;
};

// An #include directive.
struct ScannedInclude {
    std::string name;
    std::size_t directive = 0;  // offset of the word "include"
    std::size_t begin = 0;      // offsets of "<name>"
    std::size_t end = 0;
};

using MacroNames = std::set<std::string, std::less<>>;

struct ScannedProgram {
    TokenList tokens;  // views of the scanned text, which must outlive this
    std::vector<TokenUse> uses;
    std::vector<ScannedKernel> kernels;
    std::vector<ScannedKernel> kernel_templates;
    std::vector<ScannedVariable> variables;
    std::vector<ScannedChunk> chunks;
    std::vector<ScannedSharedArray> shared_arrays;
    std::vector<ScannedInclude> includes;
    MacroNames kernel_words;  // macros such as `#define KERNEL __global__`
};

// Returns the macros that the host predefines: NAME or NAME=VALUE.
const std::vector<std::string>& host_macros();

// `kernel_words` holds the words found in the program's other texts. The words of `options` and `text` are
// added.
ScannedProgram scan_program(std::string_view text,
                            TextPlace place,
                            const std::vector<std::string>& options,
                            const std::vector<std::string>& predefined = host_macros(),
                            MacroNames kernel_words = {});

}  // namespace kgen
