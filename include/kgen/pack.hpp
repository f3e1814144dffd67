// SPDX-License-Identifier: MIT
//
// Packs: compiled kernels in one file, or embedded in the program. `kgen compile --output FILE` and
// `kgen cache export` write them. A program that uses a pack does not compile the kernels in it.
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

// Thrown for bytes that are not a pack, for a damaged pack, and for a pack file that is not trusted.
class KGEN_EXPORT PackError : public Error {
public:
    using Error::Error;
};

// Adds a pack to the places where kernels are looked up; the cache's own kernels come first. The caller must
// keep the memory valid and unchanged until the process ends. `name` is for messages. May be called at any
// time. Throws PackError.
KGEN_EXPORT void use_pack(std::span<const std::byte> pack, std::string_view name = "in memory");

// Adds the pack in a file. Unless KGEN_CACHE_TRUST=any is set, the file and the directories of its path must
// belong to this user or root, and no one else may have write access. Throws PackError.
KGEN_EXPORT void use_pack_file(const std::string& path);

// A pack that is part of the program. An object of this type at namespace scope registers the pack before
// main; the pack is read when the first kernel is looked up. A damaged pack is ignored with one warning. A
// library that contains such an object must not be unloaded.
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

// Returns C++ source that defines the pack as an EmbeddedPack and includes only this header. `name` is for
// messages. Throws PackError.
KGEN_EXPORT std::string embed_pack(std::span<const std::byte> pack, std::string_view name);

// Reads the pack in a file and checks every byte. Throws PackError and IoError.
KGEN_EXPORT std::vector<std::byte> read_pack_file(const std::string& path);

// Write the pack, or the source of embed_pack() named after the file, followed by `more` (for example the result
// of embed_templates()). The write is atomic. Both throw
// IoError; write_embedded_pack also throws PackError.
KGEN_EXPORT void write_pack_file(const std::string& path, std::span<const std::byte> pack);
KGEN_EXPORT void write_embedded_pack(const std::string& path,
                                     std::span<const std::byte> pack,
                                     std::string_view more = {});

struct ExportOptions {
    std::vector<std::string> archs;  // architectures such as "sm_90"; empty: all
    std::string request;             // first hex digits of the requests' digests; empty: all
    std::string directory;           // cache directory; empty: that of this process
};

struct ExportSummary {
    std::uint64_t entries = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t unusable = 0;  // files and entries left out because they are damaged
};

// Writes the entries of a cache into one pack. The bytes depend only on the entries, not on when or by which
// process they were made. Throws Error if there are no entries, and IoError.
KGEN_EXPORT ExportSummary export_cache(const std::string& path, const ExportOptions& options = {});

struct ImportedPack {
    std::string file;  // path that was read
    std::string path;  // its copy in the cache
    std::uint64_t entries = 0;
    std::uint64_t size_bytes = 0;
};

// Checks every byte of all files, then copies them into the cache: the one in `directory`, or that of this
// process if it is empty. Throws PackError if a file is not a valid pack; nothing is copied then. Throws
// IoError if a file cannot be read, if the cache is off or read-only, or if a pack is larger than the cache's
// size bound.
KGEN_EXPORT std::vector<ImportedPack> import_packs(const std::vector<std::string>& files,
                                                   const std::string& directory = {});

}  // namespace kgen
