// SPDX-License-Identifier: MIT
//
// Describes the entries of a cache for <kgen/cache.hpp>: entries in their own files, and entries in packs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/cache.hpp>
#include <optional>
#include <string>
#include <vector>

#include "entry.hpp"
#include "pack_file.hpp"
#include "store/cared_cache.hpp"
#include "store_scan.hpp"

namespace kgen {

// Copies the entry's metadata to `info`.
void fill_in(CacheEntry& info, const cache::Entry& entry);

// Describes an entry that has a file of its own and is not in a pack. If `whole` is not nullptr and the entry
// is valid, also stores the entry there.
CacheEntry describe_entry(const CaredCache& cared,
                          const cache::StoredFile& file,
                          std::optional<cache::Entry>* whole = nullptr);

// Describes the entries of a pack, sorted by request. If the pack has no reader, returns one element with the
// problem. `path` is the path to show.
std::vector<CacheEntry> describe_pack(const cache::OpenedPack& pack, const std::string& path);

// The location of an entry in the cache.
struct EntryPlace {
    cache::StoredFile file;
    std::optional<std::size_t> number;  // index in the pack; nothing if not packed
    std::string name;  // "<64 hex>-<16 hex>": request, short digest of the producer
};

// Returns the entries whose request and whose producer's digest begin with these digits. An entry that is in
// its own file and in a pack is returned once, from its own file, as a look-up would find it. Packs that
// cannot be opened are skipped.
std::vector<EntryPlace> find_entries(const CaredCache& cared,
                                     const std::string& request_start,
                                     const std::string& producer_start);

// Describes an entry in a pack and stores it in `whole`. Throws IoError if the entry is damaged.
CacheEntry read_packed_entry(const CaredCache& cared, const EntryPlace& place, cache::Entry& whole);

}  // namespace kgen
