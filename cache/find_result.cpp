// SPDX-License-Identifier: MIT
#include "find_result.hpp"

#include <utility>

#include "enum_text.hpp"

namespace kgen::cache {

std::string_view to_text(MissReason reason) noexcept {
    // In the order of MissReason.
    static constexpr std::array<std::string_view, 11> texts = {
        "a hit",
        "the cache is off",
        "hits are ignored (KGEN_CACHE=refresh)",
        "no entry",
        "only entries of other compilers",
        "the entry was made by a newer kgen",
        "the entry is damaged",
        "the entry's name does not match its contents",
        "the entry is not a file",
        "the entry belongs to another user",
        "the entry cannot be read"};
    return enum_text(texts, reason, "unknown reason");
}

FindResult make_miss(MissReason reason, std::string path, std::string detail) {
    return {.reason = reason, .path = std::move(path), .detail = std::move(detail)};
}

FindResult make_hit(Entry entry, std::string path, Tier tier) {
    return {.entry = std::move(entry), .path = std::move(path), .detail = {}, .tier = tier};
}

}  // namespace kgen::cache
