// SPDX-License-Identifier: MIT
//
// make_raw_source: stage 4 for a raw program, the CUDA C++ source of a RawKernel or RawModule. For CUDA, the
// declarations of the dtypes that the source names (source/dtype_names_used.hpp) are put before it. For the
// host, it is surrounded by code that runs it on a CPU.
#pragma once

#include <string>
#include <vector>

#include "device/compiler.hpp"
#include "dtype/dtype_set.hpp"
#include "source/source.hpp"

namespace kgen {

struct RawSourceRequest {
    std::string program;             // for messages: "saxpy"
    std::vector<UserText> texts;     // the sources, each with the label of its #line directives
    std::vector<std::string> names;  // name expressions
    DeviceKind device = DeviceKind::cuda;
    std::vector<std::string> options;  // the user's compiler options; -D and -U matter here
    // The included files that were found. The host searches them for code that waits for other threads. If
    // a file other than a standard header is missing here, all kernels are assumed to wait.
    std::vector<Header> headers = {};
    // The user's own included files. A dtype name that they declare is not declared by kgen.
    std::vector<UserText> own_headers = {};
};

struct RawSource {
    std::string text;                        // from the first source
    std::vector<ModuleSource> linked;        // from the other sources
    std::vector<UserText> user_texts;        // texts that compile errors may point into
    std::vector<LoweredName> lowered_names;  // host: entry points; CUDA: empty, NVRTC reports them
};

// Returns the dtypes that a source or a name expression names and neither the source nor a header declares.
DTypeSet named_dtypes(const RawSourceRequest& request, const UserText& text);

// Pure. Throws CompileError if the device cannot run the program, with the user's line and a caret, or if a
// text contains a NUL character.
RawSource make_raw_source(const RawSourceRequest& request);

// Returns the user's header rewritten for the host, like the source; unchanged for CUDA. Throws as
// make_raw_source does.
std::string make_raw_header(const UserText& header, DeviceKind device, const std::string& program);

}  // namespace kgen
