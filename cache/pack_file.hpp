// SPDX-License-Identifier: MIT
//
// Pack files: their names below a root, and opening them with the checks of an entry.
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

// "0123456789abcdef.kgp": the first digits of the pack's digest.
bool is_pack_file_name(std::string_view name) noexcept;

// "v1/packs/0123456789abcdef.kgp", relative to the root.
std::string pack_file_path(const Digest& pack);

struct OpenedPackFile {
    FileDescriptor file;  // open, or the reason is below
    struct stat status {};
    MissReason reason = MissReason::none;
    std::string detail;
};

// Opens a regular file that its owner and mode allow to trust.
OpenedPackFile open_pack_file(int directory, const std::string& path, TrustMode trust);

struct OpenedPack {
    std::unique_ptr<PackReader> reader;  // nullptr: the reason is below
    struct stat status {};
    MissReason reason = MissReason::none;
    std::string detail;
};

// `no`: the file is closed again, and of the reader the index alone is of use.
enum class KeepFile : bool { no, yes };

// The same file, its header and index verified.
OpenedPack open_pack(int directory, const std::string& path, TrustMode trust, KeepFile keep);

MissReason miss_reason_of(PackProblem problem) noexcept;

}  // namespace kgen::cache
