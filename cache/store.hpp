// SPDX-License-Identifier: MIT
//
// Store: finds and stores entries in a cache directory. An entry is found by its request, a digest of
// everything that the entry's bytes depend on, except the compiler. The compiler is called the producer. A
// call that returns an entry has verified all its bytes. No function throws because of a disk error: the
// look-up is then a miss, or the entry is not stored, and the store warns once.
//
//     <root>/CACHEDIR.TAG
//     <root>/v1/<2 hex>/<62 hex>-<16 hex>.kgc          an entry: its request, first digits of the digest
//                                                      of its producer
//     <root>/v1/<2 hex>/.<62 hex>-<16 hex>.<32 hex>.tmp    an entry that is being written
//     <root>/v1/packs/<16 hex>.kgp                     a pack: many entries in one file (pack_format.hpp)
//     <root>/v1/locks                                  empty; its bytes are locked (entry_lock.hpp)
//     <root>/quarantine/<64 hex>-<16 hex>.kgc          damaged or rejected entries, the 16 newest
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
    std::string path;     // the pack's file; empty if it was not stored
    std::string problem;  // the reason if it was not stored
};

// Thread-safe. Files are written completely under a temporary name and then renamed, so other processes and
// machines may use the same directory at any time. Nothing is created before the first put or lock.
class Store {
public:
    // Warns of settings that are not valid and were not applied.
    explicit Store(StoreSettings settings);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    const StoreSettings& settings() const noexcept;

    // Adds a place that is searched after the root and all earlier places.
    void add_place(std::unique_ptr<ReadOnlyPlace> place);

    // Looks for an entry in three places: first for an entry file of this producer below the root, or of any
    // producer if no identity is given; then in the packs below the root, where an entry of this producer is
    // preferred; then in the read-only places in order, where any producer will do.
    FindResult find(const Digest& request,
                    std::optional<std::string_view> producer_identity = std::nullopt);

    // Stores the entry and replaces one of the same request and producer. Returns false if it is not on disk
    // now: the mode forbids writing, the entry is too large for the bounds, or writing failed. Failures are
    // counted and cause one warning. After three failures in a row, this process stores no more entries.
    bool put(Entry entry);

    // Checks every byte of a pack and stores it below the root. Evicts other files if necessary. A pack that
    // is already stored is written again.
    PutPackResult put_pack(std::span<const std::byte> pack);

    // Call this after a miss, before making the entry. Waits while another process makes it, at most for the
    // time in the settings. Returns a hit if the other process stored the entry. Otherwise the caller must
    // make it. `lock` is then held, unless locks are not available or the wait timed out; release it after
    // put().
    FindResult wait_for_turn(const Digest& request,
                             std::string_view producer_identity,
                             EntryLock& lock);

    // Takes an entry out of use whose contents are unusable although it was verified. `tier` and `path` are
    // those of find()'s result. The warning contains `reason` after the file's name.
    void reject(const Digest& request,
                std::string_view producer_identity,
                std::string_view reason,
                Tier tier = Tier::root,
                std::string_view path = {});

    // Returns the path of the entry's file, whether or not it exists. Empty if the store is off.
    std::string entry_path(const Digest& request, std::string_view producer_identity) const;

    // Returns the name of each read-only place and why it cannot be used; the reason is empty for a usable
    // place.
    std::vector<std::pair<std::string, std::string>> read_only_places() const;

    StoreStatistics statistics() const;
    // Adds the counts since the last flush to the totals on disk; errors are ignored. put() does this too, at
    // most once a second.
    void flush_statistics() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace kgen::cache
