// SPDX-License-Identifier: MIT
//
// FindResult: the result of a look-up in the store, which is an entry and its place, or the reason of a miss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "entry.hpp"

namespace kgen::cache {

enum class MissReason : std::uint8_t {
    none,        // a hit
    store_off,   // by a setting, or because the directory is not trusted
    refreshing,  // KGEN_CACHE=refresh
    absent,
    other_producer,  // only entries of other producers exist
    newer_format,    // the file is left alone
    damaged,
    foreign_request,  // the entry's request or producer is not that of the file's name
    not_a_file,       // a directory, a FIFO, a link, ...
    foreign_owner,
    unreadable,  // the system reported an error
};
inline constexpr std::size_t miss_reasons = 11;

std::string_view to_text(MissReason reason) noexcept;

// Where an entry is: in a file of its own below the root; or in a pack or a read-only place, which are not
// changed.
enum class Tier : std::uint8_t { root, read_only };

struct FindResult {
    std::optional<Entry> entry;
    MissReason reason = MissReason::none;
    std::string path;    // file of the hit, or the file that was examined or expected
    std::string detail;  // for a miss: description of the file's problem; may be empty
    Tier tier = Tier::root;

    explicit operator bool() const noexcept { return entry.has_value(); }
};

FindResult make_miss(MissReason reason, std::string path = {}, std::string detail = {});
FindResult make_hit(Entry entry, std::string path, Tier tier);

}  // namespace kgen::cache
