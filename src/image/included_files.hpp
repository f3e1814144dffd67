// SPDX-License-Identifier: MIT
//
// find_included_files: finds the files that a source includes, and their contents: the user's headers in
// memory, files in include directories, kgen's stand-ins and the toolkit's own headers. A stand-in is kgen's
// version of a standard header that NVRTC does not ship. The contents enter the cache's key. Reads files;
// stage 5.
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
    std::vector<UserText> texts;  // the texts to compile
    std::vector<Header> headers;  // the user's headers in memory
    // The user's directories in order; those of -I follow. The first one contains the source if it is a file.
    std::vector<std::string> include_directories;
    std::vector<std::string> options;
    DeviceKind device = DeviceKind::cuda;
    // Directories to search last. If not given, those of the device's compiler.
    std::optional<std::vector<std::string>> toolkit_directories = {};
};

enum class HeaderOrigin : std::uint8_t { memory, directory, stand_in, toolkit };

struct IncludedFile {
    // The compiler's name for the file, as in its messages: "cub/block/block_reduce.cuh".
    std::string name;
    std::string path;  // empty: in memory
    HeaderOrigin origin = HeaderOrigin::memory;
};

struct IncludedFiles {
    // The headers for the compiler: everything that was reached. The compiler gets exactly what the digest
    // describes, even if a file changes meanwhile. If a name in a header could mean another file, the name is
    // replaced.
    std::vector<Header> headers;
    // Directories that the compiler must search itself. Empty unless a macro makes the name of a header. If a
    // macro of the user does, they are the user's and the toolkit's directories; if only macros of the
    // toolkit do, the toolkit's. Directories of -I are among the compiler's options anyway.
    std::vector<std::string> include_directories;
    // Everything that was reached, in order of discovery.
    std::vector<IncludedFile> files;
    // Names that were not found. Harmless if the preprocessor skips their #include.
    std::vector<std::string> missing;
    // Digest of all that the image may depend on: names, contents, which name means which file, and missing
    // names. It contains no paths. Empty if the source includes nothing, or if the image must not be stored.
    std::string digest;
};

// Follows every #include in the texts and in the headers they reach, ignoring #if. So it finds at least what
// a preprocessor would. If a macro of the user makes a name, the name cannot be followed: `digest` is empty
// and nothing is stored. The same holds if a file of the user names __DATE__ or the like, and for the other
// reasons of NamedWords. Thread-safe. Does not throw if a file cannot be read: the file counts as missing.
IncludedFiles find_included_files(const IncludeRequest& request);

// Returns the directories that a request searches last.
std::vector<std::string> toolkit_directories(const IncludeRequest& request);

// Returns whether assembly in a program may read files: for g++'s assembler it may.
AssemblerUse assembler_use(DeviceKind device) noexcept;

// Returns the texts of the included headers that are the user's: those in memory and those from include
// directories. Each has the name that the compiler uses in its messages.
std::vector<UserText> user_headers(const IncludedFiles& included);

// Explains a missing header that a compiler's log reports: its name, where kgen searched, and what provides
// it. Empty if the log reports no missing header.
std::string explain_missing_header(std::string_view log,
                                   const IncludeRequest& request,
                                   const IncludedFiles& files);

}  // namespace kgen
