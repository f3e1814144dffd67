// SPDX-License-Identifier: MIT
//
// Store: entries on disk, one file each, found by request digest. Takes and gives whole entries;
// every one that it gives was verified in that call. Trouble with the disk is a miss or an entry
// not stored, plus one warning: no function throws for it.
//
//     <root>/CACHEDIR.TAG
//     <root>/v1/<2 hex>/<62 hex>-<16 hex>.kgc          request digest, short digest of the producer
//     <root>/v1/<2 hex>/.<62 hex>-<16 hex>.<32 hex>.tmp    being written
//     <root>/quarantine/<64 hex>-<16 hex>.kgc          damaged or refused entries, the 16 newest
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "digest.hpp"
#include "entry.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

enum class MissReason : std::uint8_t {
    none,        // a hit
    store_off,   // by setting, or the directory is not to be trusted
    refreshing,  // KGEN_CACHE=refresh
    absent,
    other_producer,  // there is an entry, but another compiler made it
    newer_format,    // left alone
    damaged,
    foreign_request,  // the file holds an entry of another request or another producer than its
                      // name
    not_a_file,       // a directory, a FIFO, a link, ...
    foreign_owner,
    unreadable,  // the system refused
};
inline constexpr std::size_t miss_reasons = 11;

std::string_view to_text(MissReason reason) noexcept;

struct FindResult {
    std::optional<Entry> entry;
    MissReason reason = MissReason::none;
    std::string path;    // the file of the hit, or the one that was looked at or for
    std::string detail;  // for a miss: what is wrong with the file, in words; may be empty

    explicit operator bool() const noexcept { return entry.has_value(); }
};

struct StoreStatistics {
    std::uint64_t hits = 0;
    std::array<std::uint64_t, miss_reasons> misses{};  // by MissReason; [0] stays 0
    std::uint64_t stores = 0;
    std::uint64_t store_failures = 0;
    std::uint64_t declined = 0;  // too large for the bounds
    std::uint64_t evictions = 0;
    std::uint64_t quarantined = 0;

    std::uint64_t miss_count() const noexcept;
    std::uint64_t miss_count(MissReason reason) const noexcept {
        return misses[static_cast<std::size_t>(reason)];
    }
};

// Thread safe. Files are written whole under another name and renamed, so other processes and
// machines may use the same directory at any time. Nothing is created before the first put.
class Store {
public:
    // Warns if the settings have a problem.
    explicit Store(StoreSettings settings);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    const StoreSettings& settings() const noexcept;

    // The entry made by that producer; without an identity, by any.
    FindResult find(const Digest& request,
                    std::optional<std::string_view> producer_identity = std::nullopt);

    // Stores the entry in place of any of the same request and producer. False if it is not on disk
    // now: the mode forbids it, it is too large for the bounds, or it failed (counted; one warning; after
    // three failures in a row nothing more is tried in this process).
    bool put(Entry entry);

    // Takes an entry out of use that was verified but whose contents turned out unusable. `reason`
    // goes into the warning, after the file's name.
    void reject(const Digest& request, std::string_view producer_identity, std::string_view reason);

    // Where that entry is or would be; empty if the store is off.
    std::string entry_path(const Digest& request, std::string_view producer_identity) const;

    StoreStatistics statistics() const noexcept;
    // Adds what was counted since the last time to the totals on disk. Done after a put too, at most once a
    // second. Best effort.
    void flush_statistics() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace kgen::cache
