// SPDX-License-Identifier: MIT
//
// Pack files: their names below a root, opening with the checks of an entry, writing whole or not at
// all.
#pragma once

#include <sys/stat.h>

#include <span>
#include <string>
#include <string_view>

#include "digest.hpp"
#include "file_descriptor.hpp"
#include "find_result.hpp"
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

// Makes the file of that pack, which was verified, unless it is there. Returns 0 or errno; then
// nothing of it is left.
int write_pack_file(int root, std::span<const std::byte> pack, TrustMode trust);

}  // namespace kgen::cache
