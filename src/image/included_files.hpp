// SPDX-License-Identifier: MIT
//
// find_included_files: which files a source includes, and what they hold: the user's headers in memory,
// files below include directories, kgen's stand-ins for the standard headers that NVRTC does not ship,
// the toolkit's own headers. They enter the cache's key by content. Reads files; stage 5.
#pragma once

#include <cstdint>
#include <kgen/raw_options.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/compiler.hpp"
#include "source/source.hpp"
#include "text/source_scan.hpp"

namespace kgen {

struct IncludeRequest {
    std::vector<UserText> texts;  // what is compiled
    std::vector<Header> headers;  // the user's, in memory
    // The user's, in order; those of -I come after. A source that is a file lies in the first.
    std::vector<std::string> include_directories;
    std::vector<std::string> options;
    DeviceKind device = DeviceKind::cuda;
    // Searched last; nothing: those of the device's compiler.
    std::optional<std::vector<std::string>> toolkit_directories = {};
};

enum class HeaderOrigin : std::uint8_t { memory, directory, stand_in, toolkit };

struct IncludedFile {
    std::string
        name;  // by which a compiler knows it, as in its messages: "cub/block/block_reduce.cuh"
    std::string path;  // of the file; empty: in memory
    HeaderOrigin origin = HeaderOrigin::memory;
};

struct IncludedFiles {
    // For the compiler: everything that was reached, so that what is compiled is what the digest
    // names, and a file that changes meanwhile changes nothing. A header that includes another by a
    // name that means something else elsewhere has that name replaced.
    std::vector<Header> headers;
    // Empty, unless a name is made by a macro: then the compiler has to search too, in the user's
    // directories and the toolkit's; in the toolkit's alone if that is where the name is made. Those
    // of -I are among its options anyway.
    std::vector<std::string> include_directories;
    // Everything that was reached, in order of discovery.
    std::vector<IncludedFile> files;
    // Names that were not found; harmless where the preprocessor skips them.
    std::vector<std::string> missing;
    // All that the image may depend on: names, contents, which name means which file, and what was
    // not found; no paths. Empty if the source includes nothing, and if nothing may be stored.
    std::string digest;
};

// Follows every #include in the texts and in what they reach, whatever #if stands around it, so that
// it finds more than a preprocessor would and never less. A name made by a macro of the user's cannot
// be followed: then `digest` is empty and nothing is stored; also where a file of the user's names __DATE__ or the
// like, and for the other reasons of NamedWords. Thread safe. Never throws for a file that cannot be read: it is missing.
IncludedFiles find_included_files(const IncludeRequest& request);

// Whether text that a program gives to the assembler may name files: for g++'s it may.
AssemblerUse assembler_use(DeviceKind device) noexcept;

// The headers of the user's own among them, as compilers' messages name them.
std::vector<UserText> user_headers(const IncludedFiles& included);

// What to tell the user where a compiler's log says that a header is missing: which one, where kgen
// looked, what provides it; empty if the log says nothing of the kind.
std::string explain_missing_header(std::string_view log,
                                   const IncludeRequest& request,
                                   const IncludedFiles& files);

}  // namespace kgen
