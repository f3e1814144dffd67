// SPDX-License-Identifier: MIT
//
// The disk cache, set by the program instead of the environment.
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
    refresh,     // nothing is read: what is made replaces what is there
};

// Who may have put code into the cache that this process will run.
enum class CacheTrust : std::uint8_t {
    owner,  // this user and root: the default
    group,  // members of the directory's group as well
    any,    // whoever can write there
};

// Whether processes that need the same kernel wait for one of them to compile it (the default).
enum class CacheLocking : std::uint8_t { automatic, off };

// What has no value is as the environment says (KGEN_CACHE and so on; see `kgen doctor`).
struct CacheSettings {
    std::optional<CacheMode> mode;
    std::optional<std::string> directory;               // absolute
    std::optional<std::vector<std::string>> read_only;  // further places to look in, absolute
    std::optional<std::uint64_t> max_bytes;             // of the directory; 0 is refused
    std::optional<std::uint64_t> max_files;             // likewise
    std::optional<CacheTrust> trust;
    std::optional<CacheLocking> locking;
    std::optional<std::chrono::milliseconds> lock_timeout;
};

// Sets the cache of this process. To be called before the first kernel is looked up; each call
// replaces the one before. Throws Error for a value that cannot be obeyed, and if the cache is in
// use already: then nothing changes.
KGEN_EXPORT void configure_cache(const CacheSettings& settings);

}  // namespace kgen
