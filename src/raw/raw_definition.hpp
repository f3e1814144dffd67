// SPDX-License-Identifier: MIT
//
// RawDefinition: what the user defines a RawKernel or a RawModule by, checked, its file read.
#pragma once

#include <kgen/raw_options.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/image.hpp"
#include "digest.hpp"
#include "source/source.hpp"

namespace kgen {

// Code that was compiled before: a .ptx, .cubin or .fatbin file.
struct CompiledFile {
    Image image;
    cache::Digest digest;  // of the file's bytes
};

struct RawDefinition {
    std::string program;          // one word for the stages and the log: "saxpy", "module.cu"
    std::string subject;          // how messages begin: "kernel 'saxpy'", "module 'module.cu'"
    std::string module;           // what it is called as a module: "module 'saxpy.cu'"
    std::vector<UserText> texts;  // the sources; none of compiled code
    std::optional<CompiledFile> compiled;
    RawOptions build;
    std::vector<std::string> names;  // name expressions, each once
};

// All throw CompileError for what is refused: no code or code twice, NUL characters, options; the
// last one throws IoError for a file that cannot be read or is damaged.
RawDefinition define_kernel(std::string_view code, const std::string& name, RawOptions options);
RawDefinition define_module(std::string_view code, RawModuleOptions options);

}  // namespace kgen
