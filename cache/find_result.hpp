// SPDX-License-Identifier: MIT
//
// What a look-up in the store comes to: an entry and where it was, or why there is none.
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

// Where an entry is: below the root, or in one of the places that are never written.
enum class Tier : std::uint8_t { root, read_only };

struct FindResult {
    std::optional<Entry> entry;
    MissReason reason = MissReason::none;
    std::string path;    // the file of the hit, or the one that was looked at or for
    std::string detail;  // for a miss: what is wrong with the file, in words; may be empty
    Tier tier = Tier::root;

    explicit operator bool() const noexcept { return entry.has_value(); }
};

// A miss of that reason.
FindResult make_miss(MissReason reason, std::string path = {}, std::string detail = {});

}  // namespace kgen::cache
