// SPDX-License-Identifier: MIT
//
// Where the store is and what it may do, from the environment:
//
//     KGEN_CACHE        rw (default) | ro | refresh | off
//     KGEN_CACHE_DIR    an absolute path; else $XDG_CACHE_HOME/kgen, $HOME/.cache/kgen, or
//     .cache/kgen in
//                       the account's home directory
//     KGEN_CACHE_TRUST  owner (default) | any
//
// Values are read strictly. What cannot be obeyed turns the store off and says why, for the caller
// to log once; no setting ever stops a kernel. Never /tmp by itself, never the working directory.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
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
    owner,  // the directory and its parents belong to this user or root, and no one else may write
    any,    // no check of the directory
};

std::string_view to_text(StoreMode mode) noexcept;  // as in KGEN_CACHE
std::string_view to_text(TrustMode mode) noexcept;

// Whether processes that need the same entry wait for one of them to make it.
enum class Locking : std::uint8_t { automatic, off };

struct StoreSettings {
    StoreMode mode = StoreMode::off;
    TrustMode trust = TrustMode::owner;
    std::string root;         // absolute; empty if the mode is off
    std::string root_source;  // "KGEN_CACHE_DIR", "XDG_CACHE_HOME", "HOME" or "account"
    std::string problem;      // why the store is off although nobody asked for that; else empty

    std::vector<std::string> read_only;  // further places to look in, in order; absolute
    // Bounds of the root, above which the entries that were used longest ago go.
    std::uint64_t max_bytes = std::uint64_t{1} << 30;
    std::uint64_t max_files = 50'000;
    Locking locking = Locking::automatic;
    std::chrono::milliseconds lock_timeout{20'000};  // then who waits compiles as well

    // Where the store says what went wrong, at most once for each kind of trouble. Called from any
    // thread.
    std::function<void(const std::string&)> warn;
};

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

// From this process.
StoreSettings resolve_settings();

}  // namespace kgen::cache
