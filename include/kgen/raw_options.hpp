// SPDX-License-Identifier: MIT
//
// What a program of the user's own is made of, and how it is compiled.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kgen {

// A file that exists in memory alone: #include "NAME" or <NAME> reads its text.
struct Header {
    std::string name;
    std::string text;
};

// One of several sources that are linked into one module; `name` is for messages ("filters.cu").
struct ModuleSource {
    std::string name;
    std::string text;
};

// How a program is compiled.
struct RawOptions {
    std::vector<std::string> options = {};              // "-DN=4", "--use_fast_math", "-std=c++20"
    std::vector<Header> headers = {};                   // found before all files
    std::vector<std::string> include_directories = {};  // searched in this order
    // Compiles for "sm_90a" instead of "sm_90": for wgmma, setmaxnreg and their like.
    std::optional<std::string> arch = {};
};

// What a module is made of: exactly one of code, `file` and `sources`.
struct RawModuleOptions {
    std::vector<std::string> options = {};
    std::vector<Header> headers = {};
    std::vector<std::string> include_directories = {};
    std::optional<std::string> arch = {};
    // The C++ expressions by which templates are instantiated and named: "axpby<float, 4>",
    // "filters::blur<Mode::clamp>", "&scale<double>" for a variable.
    std::vector<std::string> names = {};
    // A .cu (compiled), .ptx, .cubin or .fatbin file; told apart by its content.
    std::string file = {};
    std::vector<ModuleSource> sources = {};  // compiled one by one and linked by nvJitLink
};

}  // namespace kgen
