// SPDX-License-Identifier: MIT
//
// Store: entries on disk, one file each, found by request digest. Takes and gives whole entries;
// every one that it gives was verified in that call. Trouble with the disk is a miss or an entry
// not stored, plus one warning: no function throws for it.
//
//     <root>/CACHEDIR.TAG
//     <root>/v1/<2 hex>/<62 hex>-<16 hex>.kgc          request digest, short digest of the producer
//     <root>/v1/<2 hex>/.<62 hex>-<16 hex>.<32 hex>.tmp    being written
//     <root>/v1/packs/<16 hex>.kgp                     many entries each (pack_format.hpp)
//     <root>/v1/locks                                  empty; its bytes are locked (entry_lock.hpp)
//     <root>/quarantine/<64 hex>-<16 hex>.kgc          damaged or refused entries, the 16 newest
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "entry.hpp"
#include "entry_lock.hpp"
#include "find_result.hpp"
#include "read_only_place.hpp"
#include "store_settings.hpp"
#include "store_statistics.hpp"

namespace kgen::cache {

struct PutPackResult {
    std::string path;     // of the pack's file; empty if it is not on disk now
    std::string problem;  // then: why
};

// Thread safe. Files are written whole under another name and renamed, so other processes and
// machines may use the same directory at any time. Nothing is created before the first put or lock.
class Store {
public:
    // Warns of what the settings say that was not obeyed.
    explicit Store(StoreSettings settings);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    const StoreSettings& settings() const noexcept;

    // Asked after the root and all earlier places.
    void add_place(std::unique_ptr<ReadOnlyPlace> place);

    // The entry made by that producer, without an identity by any; else one in the packs below the
    // root, of that producer if there is one; else one by any producer in the first read-only place
    // that has it.
    FindResult find(const Digest& request,
                    std::optional<std::string_view> producer_identity = std::nullopt);

    // Stores the entry in place of any of the same request and producer. False if it is not on disk
    // now: the mode forbids it, it is too large for the bounds, or it failed (counted; one warning; after
    // three failures in a row nothing more is tried in this process).
    bool put(Entry entry);

    // Stores a pack below the root, whole, after reading and checking every byte of it; for one that
    // fits into the bounds others go. What is there already is written again.
    PutPackResult put_pack(std::span<const std::byte> pack);

    // After a miss, before the entry is made: waits while another process makes it, as long as the
    // settings allow. A hit if it did. Else the caller is to make it: `lock` is held if there are
    // locks here and the time was not over, and to be released after put().
    FindResult wait_for_turn(const Digest& request,
                             std::string_view producer_identity,
                             EntryLock& lock);

    // Takes an entry out of use that was verified but whose contents turned out unusable; `tier` and
    // `path` are where find() had it from. `reason` goes into the warning, after the file's name.
    void reject(const Digest& request,
                std::string_view producer_identity,
                std::string_view reason,
                Tier tier = Tier::root,
                std::string_view path = {});

    // Where that entry is or would be; empty if the store is off.
    std::string entry_path(const Digest& request, std::string_view producer_identity) const;

    // Each read-only place, and what keeps it from being used; empty if nothing does.
    std::vector<std::pair<std::string, std::string>> read_only_places() const;

    StoreStatistics statistics() const;
    // Adds what was counted since the last time to the totals on disk. Done after a put too, at most once a
    // second. Best effort.
    void flush_statistics() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace kgen::cache
