// SPDX-License-Identifier: MIT
//
// find_included_files: which files a source includes, and what they hold: the user's headers in memory,
// files below include directories, kgen's stand-ins for the standard headers that NVRTC does not ship,
// the toolkit's own headers. They enter the cache's key by content. Reads files; stage 5.
#pragma once

#include <kgen/raw_options.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "device/compiler.hpp"
#include "source/source.hpp"

namespace kgen {

struct IncludeRequest {
    std::vector<UserText> texts;                   // what is compiled
    std::vector<Header> headers;                   // the user's, in memory
    std::vector<std::string> include_directories;  // the user's, in order; those of -I come after
    std::vector<std::string> options;
    DeviceKind device = DeviceKind::cuda;
};

struct IncludedFile {
    std::string name;  // as a source includes it: "cub/block/block_reduce.cuh"
    std::string path;  // of the file; empty: in memory
    std::string text;
};

struct IncludedFiles {
    // For the compiler: the user's headers and the stand-ins that are used. On the host all files
    // that were found, so that none is read from a disk.
    std::vector<Header> headers;
    std::vector<std::string> include_directories;  // the user's, then the toolkit's if it is used
    // Everything that was reached, in order of discovery.
    std::vector<IncludedFile> files;
    // Names that were not found; harmless where the preprocessor skips them.
    std::vector<std::string> missing;
    // All that the image may depend on: names, contents, and what was not found. Empty if the source
    // includes nothing.
    std::string digest;
};

// Follows every #include in the texts and in what they reach, whatever #if stands around it, so that
// it finds more than a preprocessor would and never less; a name made by a macro cannot be followed:
// then `digest` is empty and nothing is stored.
IncludedFiles find_included_files(const IncludeRequest& request);

// What to tell the user where a compiler's log says that a header is missing: which one, where kgen
// looked, what provides it; empty if the log says nothing of the kind.
std::string explain_missing_header(std::string_view log,
                                   const IncludeRequest& request,
                                   const IncludedFiles& files);

}  // namespace kgen
