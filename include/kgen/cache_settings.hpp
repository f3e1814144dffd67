// SPDX-License-Identifier: MIT
//
// CacheSettings: settings of the disk cache that a program makes in code. They override the environment
// variables.
#pragma once

#include <chrono>
#include <cstdint>
#include <kgen/export.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

enum class CacheMode : std::uint8_t {
    off,         // nothing is read or written
    read_only,   // nothing is written
    read_write,  // the default
    refresh,     // nothing is read; new entries replace the old ones
};

// The users whose cache entries this process runs as code.
enum class CacheTrust : std::uint8_t {
    owner,  // this user and root; the default
    group,  // also members of the directory's group
    any,    // every user who can write to the directory
};

// automatic, the default: processes that need the same kernel wait for one of them to compile it.
enum class CacheLocking : std::uint8_t { automatic, off };

// Settings of the cache. A setting without a value is taken from the environment (KGEN_CACHE and other
// variables; see `kgen doctor`).
struct CacheSettings {
    std::optional<CacheMode> mode;
    std::optional<std::string> directory;               // absolute
    std::optional<std::vector<std::string>> read_only;  // read-only caches to look in, absolute
    std::optional<std::uint64_t> max_bytes;             // limit of the directory; 0 is an error
    std::optional<std::uint64_t> max_files;  // limit of the number of entries; 0 is an error
    std::optional<CacheTrust> trust;
    std::optional<CacheLocking> locking;
    std::optional<std::chrono::milliseconds> lock_timeout;
};

// Sets up the cache of this process. Call it before the first kernel is looked up. Each call replaces the
// settings of the previous call. Throws Error, and changes nothing, if a value is not valid or the cache is
// already in use.
KGEN_EXPORT void configure_cache(const CacheSettings& settings);

}  // namespace kgen
