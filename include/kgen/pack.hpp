// SPDX-License-Identifier: MIT
//
// Packs: compiled kernels in one file, or in the program itself. `kgen compile --output FILE` and
// `kgen cache export` make one; a program that uses it compiles none of its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/error.hpp>
#include <kgen/export.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// Bytes that are no pack, a damaged one, or one that is not to be trusted.
class KGEN_EXPORT PackError : public Error {
public:
    using Error::Error;
};

// Kernels are looked up in that pack too, after the cache's own. The memory stays as it is until the
// process ends; `name` names it in messages. Throws PackError. May be called at any time.
KGEN_EXPORT void use_pack(std::span<const std::byte> pack, std::string_view name = "in memory");

// The same of a file. It and the directories on the way must belong to this user or root and be
// writable by no one else, unless KGEN_CACHE_TRUST=any says otherwise.
KGEN_EXPORT void use_pack_file(const std::string& path);

// A pack that is part of the program: an object of this type at namespace scope announces it before
// main, and costs nothing until the first kernel is looked up. A damaged one is ignored, with one
// warning. What holds it must not be unloaded.
class KGEN_EXPORT EmbeddedPack {
public:
    EmbeddedPack(const char* name, std::span<const std::byte> pack) noexcept;
    EmbeddedPack(const EmbeddedPack&) = delete;
    EmbeddedPack& operator=(const EmbeddedPack&) = delete;

private:
    friend struct EmbeddedPackList;

    const char* name_;
    std::span<const std::byte> pack_;
    const EmbeddedPack* next_ = nullptr;
};

// C++ text that holds the pack as an EmbeddedPack; `name` names it in messages. It needs nothing but
// this header. Throws PackError.
KGEN_EXPORT std::string embed_pack(std::span<const std::byte> pack, std::string_view name);

// The pack in a file, every byte of it checked. Throws PackError, IoError.
KGEN_EXPORT std::vector<std::byte> read_pack_file(const std::string& path);

// Write the file whole or not at all: the pack itself, or embed_pack()'s text, named after the file.
// Throw IoError, the second PackError too.
KGEN_EXPORT void write_pack_file(const std::string& path, std::span<const std::byte> pack);
KGEN_EXPORT void write_embedded_pack(const std::string& path, std::span<const std::byte> pack);

struct ExportOptions {
    std::vector<std::string> archs;  // "sm_90"; none: all
    std::string request;             // the first digits of the requests; empty: all
    std::string directory;           // the cache's; empty: the one that this process uses
};

struct ExportSummary {
    std::uint64_t entries = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t unusable = 0;  // files and entries that were left out since they are damaged
};

// Packs what the cache holds into one file: the same bytes for the same entries, whenever and by whom
// they were made. Throws Error if there is nothing to pack, IoError.
KGEN_EXPORT ExportSummary export_cache(const std::string& path, const ExportOptions& options = {});

struct ImportedPack {
    std::string file;  // that was read
    std::string path;  // in the cache
    std::uint64_t entries = 0;
    std::uint64_t size_bytes = 0;
};

// Checks every byte of all files, then copies them into the cache. Throws PackError if one is no sound
// pack: then nothing was copied. Throws IoError, also if the cache is off or read-only, or a pack is larger
// than its bound.
KGEN_EXPORT std::vector<ImportedPack> import_packs(const std::vector<std::string>& files,
                                                   const std::string& directory = {});

}  // namespace kgen
