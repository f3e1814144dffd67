// SPDX-License-Identifier: MIT
//
// What must be known of a program's text to run it on the CPU: where its kernels and variables stand,
// and what its functions mention. Finds what is written out; what macros make is named by expressions.
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
    std::string written;     // as it stands in the text
    std::string parameters;  // "float* x, int n", without defaults
    std::size_t end = 0;     // the offset behind its body
    std::size_t chunk = 0;
    bool is_overloaded = false;
};

struct ScannedVariable {
    std::string name;
    std::string written;
    std::size_t end = 0;  // the offset behind its declaration
};

// A function, class, macro or other declaration: whoever names one of `names` may use what it mentions.
struct ScannedChunk {
    std::vector<std::string> names;
    std::set<std::string, std::less<>> mentions;
};

// An #include of a file by its name.
struct ScannedInclude {
    std::string name;
    std::size_t directive = 0;  // the offset of the word "include"
    std::size_t begin = 0;      // offsets of "<name>"
    std::size_t end = 0;
};

using MacroNames = std::set<std::string, std::less<>>;

struct ScannedProgram {
    TokenList tokens;  // of the text that was scanned, which must outlive this
    std::vector<TokenUse> uses;
    std::vector<ScannedKernel> kernels;
    std::vector<ScannedKernel> kernel_templates;
    std::vector<ScannedVariable> variables;
    std::vector<ScannedChunk> chunks;
    std::vector<ScannedSharedArray> shared_arrays;
    std::vector<ScannedInclude> includes;
    MacroNames kernel_words;  // macros that make a function a kernel: `#define KERNEL __global__`
};

// The macros that are defined for a program on the host: NAME or NAME=VALUE.
const std::vector<std::string>& host_macros();

// `kernel_words` are those of other texts of the program; those of the options and of the text are found.
ScannedProgram scan_program(std::string_view text,
                            TextPlace place,
                            const std::vector<std::string>& options,
                            const std::vector<std::string>& predefined = host_macros(),
                            MacroNames kernel_words = {});

}  // namespace kgen
