// SPDX-License-Identifier: MIT
//
// RawOptions and RawModuleOptions: the sources and the compiler options of a RawKernel or a RawModule.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kgen {

// A header in memory. #include "NAME" and #include <NAME> read its text.
struct Header {
    std::string name;
    std::string text;
};

// One of several sources that are linked into one module. `name` is for messages, such as "filters.cu".
struct ModuleSource {
    std::string name;
    std::string text;
};

// Compiler options of a RawKernel.
struct RawOptions {
    std::vector<std::string> options = {};              // "-DN=4", "--use_fast_math", "-std=c++20"
    std::vector<Header> headers = {};                   // take precedence over files
    std::vector<std::string> include_directories = {};  // searched in this order
    // Target architecture instead of the GPU's own, such as "sm_90a" instead of "sm_90" for wgmma and
    // setmaxnreg.
    std::optional<std::string> arch = {};
};

// Contents and compiler options of a RawModule. Exactly one of the constructor's `code`, `file` and `sources`
// must be given. The first four fields are those of RawOptions.
struct RawModuleOptions {
    std::vector<std::string> options = {};
    std::vector<Header> headers = {};
    std::vector<std::string> include_directories = {};
    std::optional<std::string> arch = {};
    // C++ expressions that instantiate templates and serve as their names: "axpby<float, 4>",
    // "filters::blur<Mode::clamp>", or "&scale<double>" for a variable.
    std::vector<std::string> names = {};
    // Path of a .cu, .ptx, .cubin or .fatbin file. The content decides which it is; a .cu file is compiled.
    std::string file = {};
    std::vector<ModuleSource> sources = {};  // compiled separately and linked by nvJitLink
};

}  // namespace kgen
