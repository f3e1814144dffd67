// SPDX-License-Identifier: MIT
//
// The entries of a cache as <kgen/cache.hpp> tells of them, those in files of their own and those in packs.
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

// What the entry says of itself.
void fill_in(CacheEntry& info, const cache::Entry& entry);

// An entry that has a file of its own; `whole`: gets the entry, unless there is a problem.
CacheEntry describe_entry(const CaredCache& cared,
                          const cache::StoredFile& file,
                          std::optional<cache::Entry>* whole = nullptr);

// The entries of a pack in the order of their requests; one line with the problem if there is no reader.
// `path`: what the pack is called.
std::vector<CacheEntry> describe_pack(const cache::OpenedPack& pack, const std::string& path);

// Where an entry of that request and producer lies.
struct EntryPlace {
    cache::StoredFile file;
    std::optional<std::size_t> number;  // in a pack
    std::string name;  // "<64 hex>-<16 hex>": request and short digest of the producer
};

// Those whose request begins so, and whose producer's digest does, each once: in a file of its own rather
// than in a pack, as look-ups have it. Packs that cannot be opened have none.
std::vector<EntryPlace> find_entries(const CaredCache& cared,
                                     const std::string& request_start,
                                     const std::string& producer_start);

// Throws IoError if the entry is not sound.
CacheEntry read_packed_entry(const CaredCache& cared, const EntryPlace& place, cache::Entry& whole);

}  // namespace kgen
