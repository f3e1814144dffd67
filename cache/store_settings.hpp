// SPDX-License-Identifier: MIT
//
// Settings of a store, read from the environment:
//
//     KGEN_CACHE            rw (default) | ro | refresh | off
//     KGEN_CACHE_DIR        an absolute path; else $XDG_CACHE_HOME/kgen, $HOME/.cache/kgen, or
//                           .cache/kgen in the account's home directory
//     KGEN_CACHE_TRUST      owner (default) | group | any
//     KGEN_CACHE_RO_DIRS    absolute paths, separated by colons: read-only places
//     KGEN_CACHE_MAX_SIZE   bytes: 1073741824, 512M, 2 GiB, unlimited (default 1 GiB)
//     KGEN_CACHE_MAX_FILES  50000, unlimited (default 50000)
//     KGEN_LOCK             auto (default) | off
//     KGEN_LOCK_TIMEOUT     seconds: 20, 0.5 (default 20)
//
// Values are parsed strictly. An invalid directory, mode or trust turns the store off; any other invalid
// value is replaced by its default. StoreSettings reports both for the caller to log once. No setting
// prevents a program from running. /tmp is used only if it is asked for, and the working directory never.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgen::cache {

enum class StoreMode : std::uint8_t {
    off,        // no reading, no writing
    read_only,  // look-ups only; no file is created, moved or removed
    read_write,
    refresh,  // every look-up is a miss; new entries are stored
};

enum class TrustMode : std::uint8_t {
    owner,      // the directory and its parents belong to this user or root, no one else may write
    group,      // as owner, but a group of this user may write to the directory, so each member can
                // run code in the processes of the others
    any,        // owner and mode are not checked
    installed,  // for read-only places: as owner, but entries may also belong to root
};

// Whether processes that need the same entry wait for one of them to make it.
enum class Locking : std::uint8_t { automatic, off };

std::string_view to_text(StoreMode mode) noexcept;  // the value of KGEN_CACHE
std::string_view to_text(TrustMode mode) noexcept;
std::string_view to_text(Locking locking) noexcept;

struct StoreSettings {
    StoreMode mode = StoreMode::off;
    TrustMode trust = TrustMode::owner;
    std::string root;                   // absolute; empty if the mode is off
    std::string root_source;            // "KGEN_CACHE_DIR", "XDG_CACHE_HOME", "HOME" or "account"
    std::string problem;                // why the store was turned off by an error; else empty
    std::vector<std::string> warnings;  // one sentence for each invalid value

    // For each setting that is not at its default, where its value comes from, such as
    // {"KGEN_CACHE_MAX_SIZE", "KGEN_CACHE_MAX_SIZE"}.
    std::map<std::string, std::string> sources;

    std::vector<std::string> read_only;  // absolute paths of the read-only places, in order
    // Bounds of the root. The least recently used entries are evicted if a bound is exceeded.
    std::uint64_t max_bytes = std::uint64_t{1} << 30;
    std::uint64_t max_files = 50'000;
    Locking locking = Locking::automatic;
    std::chrono::milliseconds lock_timeout{20'000};  // then a waiting process makes the entry too

    // Receives warnings, at most one for each kind of problem. Called from any thread.
    std::function<void(const std::string&)> warn;
    // Receives debug messages. Called from any thread.
    std::function<void(const std::string&)> debug;
};

// Calls StoreSettings::warn or StoreSettings::debug unless it is empty. Ignores exceptions, because a failing
// logger must not stop the program.
void tell(const std::function<void(const std::string&)>& listener,
          const std::string& message) noexcept;

// The inputs of resolve_settings(). Tests provide their own.
struct SettingsSource {
    // Returns the value of an environment variable, or nothing if it is unset.
    std::function<std::optional<std::string>(const char* name)> variable;
    // Returns the home directory of the effective user's account.
    std::function<std::optional<std::string>()> account_home;
    // Whether the process has the rights of a user other than the one who started it (setuid).
    bool elevated = false;
};

StoreSettings resolve_settings(const SettingsSource& source);

// Returns the environment of this process.
SettingsSource process_settings_source();

inline StoreSettings resolve_settings() {
    return resolve_settings(process_settings_source());
}

// Parsers for the values of settings. Each accepts the whole text or returns nothing. Signs, exponents,
// surrounding blanks and numbers that are too large are not accepted.

inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// Reads a size in bytes: "1073741824", "512M", "2 GiB" or "unlimited". K, M, G, T and KiB, MiB, GiB, TiB are
// powers of 1024. Returns nothing for 0.
std::optional<std::uint64_t> read_size(std::string_view text);

// Reads "50000" or "unlimited". Returns nothing for 0.
std::optional<std::uint64_t> read_count(std::string_view text);

// Reads seconds such as "20" or "0.25", with at most 9 digits before the point.
std::optional<std::chrono::milliseconds> read_seconds(std::string_view text);

}  // namespace kgen::cache
