// SPDX-License-Identifier: MIT
//
// Pack files: their names below a root, and opening them with the same checks as entry files.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>

#include "digest.hpp"
#include "file_descriptor.hpp"
#include "find_result.hpp"
#include "pack_reader.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

inline constexpr std::string_view pack_suffix = ".kgp";
inline constexpr const char* pack_folder = "v1/packs";

// Returns whether a name has the form "0123456789abcdef.kgp": the first digits of the pack's digest.
bool is_pack_file_name(std::string_view name) noexcept;

// Returns the path relative to the root: "v1/packs/0123456789abcdef.kgp".
std::string pack_file_path(const Digest& pack);

struct OpenedPackFile {
    FileDescriptor file;  // if not open, `reason` says why
    struct stat status {};
    MissReason reason = MissReason::none;
    std::string detail;
};

// Opens a pack file. It must be a regular file with a trusted owner and mode.
OpenedPackFile open_pack_file(int directory, const std::string& path, TrustMode trust);

struct OpenedPack {
    std::shared_ptr<const PackReader> reader;  // if nullptr, `reason` says why
    struct stat status {};
    MissReason reason = MissReason::none;
    std::string detail;
};

// `no`: the file is closed after opening, so only the reader's index and find_in() can be used.
enum class KeepFile : bool { no, yes };

// Opens a pack file and verifies its header and index.
OpenedPack open_pack(int directory, const std::string& path, TrustMode trust, KeepFile keep);

MissReason miss_reason_of(PackProblem problem) noexcept;

}  // namespace kgen::cache
