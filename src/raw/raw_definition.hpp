// SPDX-License-Identifier: MIT
//
// RawDefinition: the checked definition of a RawKernel or a RawModule, with the contents of its file.
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

// A file of compiled code: .ptx, .cubin or .fatbin.
struct CompiledFile {
    Image image;
    cache::Digest digest;  // of the file's bytes
};

struct RawDefinition {
    std::string program;          // name used by the stages and the log: "saxpy", "module.cu"
    std::string subject;          // beginning of messages: "kernel 'saxpy'", "module 'module.cu'"
    std::string module;           // name of the module in messages: "module 'saxpy.cu'"
    std::vector<UserText> texts;  // the sources; empty for compiled code
    std::optional<CompiledFile> compiled;
    RawOptions build;
    std::vector<std::string> names;  // name expressions without duplicates
};

// Both throw CompileError if the definition has no code or more than one kind of code, contains a NUL
// character, or has an option that is refused. define_module() throws IoError if the file cannot be read
// or is damaged.
RawDefinition define_kernel(std::string_view code, const std::string& name, RawOptions options);
RawDefinition define_module(std::string_view code, RawModuleOptions options);

}  // namespace kgen
