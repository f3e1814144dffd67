// SPDX-License-Identifier: MIT
//
// make_raw_source: the text that a compiler is given for a program of the user's own. For CUDA it is
// the user's text, behind the dtypes that it names (source/dtype_names_used.hpp); for the host it is that text between what makes it run on a CPU. Stage 4.
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
    std::vector<std::string> options;  // the user's: -D may name what the host must know
    // What the sources include, as far as it is known. The host looks in them for what waits for
    // other threads; where an include is missing here, all kernels of the program might.
    std::vector<Header> headers = {};
    // Those of them that are the user's: they may declare what kgen would.
    std::vector<UserText> own_headers = {};
};

struct RawSource {
    std::string text;                        // of the first source
    std::vector<ModuleSource> linked;        // of the others
    std::vector<UserText> user_texts;        // what compile errors may point into
    std::vector<LoweredName> lowered_names;  // host: the entry points; CUDA: empty, NVRTC tells
};

// The dtypes that one of the sources names and neither it nor a header declares.
DTypeSet named_dtypes(const RawSourceRequest& request, const UserText& text);

// Pure. Throws CompileError for what the device cannot run, with the user's line and a caret, and for
// a text that holds a NUL character.
RawSource make_raw_source(const RawSourceRequest& request);

// Host: what of a header of the user's must be rewritten like the source itself. The identity for
// CUDA. Throws as make_raw_source does.
std::string make_raw_header(const UserText& header, DeviceKind device, const std::string& program);

}  // namespace kgen
