// SPDX-License-Identifier: MIT
//
// Where the store is and what it may do, from the environment:
//
//     KGEN_CACHE            rw (default) | ro | refresh | off
//     KGEN_CACHE_DIR        an absolute path; else $XDG_CACHE_HOME/kgen, $HOME/.cache/kgen, or
//                           .cache/kgen in the account's home directory
//     KGEN_CACHE_TRUST      owner (default) | group | any
//     KGEN_CACHE_RO_DIRS    absolute paths, with colons between: further places, never written
//     KGEN_CACHE_MAX_SIZE   bytes: 1073741824, 512M, 2 GiB, unlimited (1 GiB)
//     KGEN_CACHE_MAX_FILES  50000, unlimited (50000)
//     KGEN_LOCK             auto (default) | off
//     KGEN_LOCK_TIMEOUT     seconds: 20, 0.5 (20)
//
// Values are read strictly. A directory, mode or trust that cannot be obeyed turns the store off; of
// the others the default stays. Both are said, for the caller to log once; no setting ever stops a
// kernel. Never /tmp by itself, never the working directory.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgen::cache {

enum class StoreMode : std::uint8_t {
    off,        // no reading, no writing
    read_only,  // hits, but no file is made, moved or removed
    read_write,
    refresh,  // every look-up is a miss; what is made is stored
};

enum class TrustMode : std::uint8_t {
    owner,      // the directory and its parents belong to this user or root, no one else may write
    group,      // likewise, but a group of this user's may write to the directory: each of its
                // members can run code in the others' processes
    any,        // no check of the directory
    installed,  // of read-only places: as owner, but the entries may be root's as well
};

// Whether processes that need the same entry wait for one of them to make it.
enum class Locking : std::uint8_t { automatic, off };

std::string_view to_text(StoreMode mode) noexcept;  // as in KGEN_CACHE
std::string_view to_text(TrustMode mode) noexcept;
std::string_view to_text(Locking locking) noexcept;

struct StoreSettings {
    StoreMode mode = StoreMode::off;
    TrustMode trust = TrustMode::owner;
    std::string root;         // absolute; empty if the mode is off
    std::string root_source;  // "KGEN_CACHE_DIR", "XDG_CACHE_HOME", "HOME" or "account"
    std::string problem;      // why the store is off although nobody asked for that; else empty
    std::vector<std::string> warnings;  // a sentence for each value that was not obeyed

    // Who set what is not at its default: {"KGEN_CACHE_MAX_SIZE", "KGEN_CACHE_MAX_SIZE"}.
    std::map<std::string, std::string> sources;

    std::vector<std::string> read_only;  // further places to look in, in order; absolute
    // Bounds of the root, above which the entries that were used longest ago go.
    std::uint64_t max_bytes = std::uint64_t{1} << 30;
    std::uint64_t max_files = 50'000;
    Locking locking = Locking::automatic;
    std::chrono::milliseconds lock_timeout{20'000};  // then who waits compiles as well

    // Where the store says what went wrong, at most once for each kind of trouble. Called from any
    // thread.
    std::function<void(const std::string&)> warn;
    // Likewise what is of interest to those alone who look for it.
    std::function<void(const std::string&)> debug;
};

// Calls one of the two above, if it is there; what it throws is dropped: a logger that fails is no
// reason for a kernel not to run.
void tell(const std::function<void(const std::string&)>& listener,
          const std::string& message) noexcept;

// What the settings are made from, so that a test can say it.
struct SettingsSource {
    // The value of an environment variable; nothing if it is unset.
    std::function<std::optional<std::string>(const char* name)> variable;
    // The home directory of the effective user's account.
    std::function<std::optional<std::string>()> account_home;
    // The process has the rights of another user than the one who started it.
    bool elevated = false;
};

StoreSettings resolve_settings(const SettingsSource& source);

// This process.
SettingsSource process_settings_source();

inline StoreSettings resolve_settings() {
    return resolve_settings(process_settings_source());
}

}  // namespace kgen::cache
