// SPDX-License-Identifier: MIT
#include "find_result.hpp"

#include <utility>

namespace kgen::cache {

std::string_view to_text(MissReason reason) noexcept {
    switch (reason) {
        case MissReason::none:
            return "a hit";
        case MissReason::store_off:
            return "the cache is off";
        case MissReason::refreshing:
            return "hits are ignored (KGEN_CACHE=refresh)";
        case MissReason::absent:
            return "no entry";
        case MissReason::other_producer:
            return "only entries of other compilers";
        case MissReason::newer_format:
            return "the entry was made by a newer kgen";
        case MissReason::damaged:
            return "the entry is damaged";
        case MissReason::foreign_request:
            return "the entry's name does not match its contents";
        case MissReason::not_a_file:
            return "the entry is not a file";
        case MissReason::foreign_owner:
            return "the entry belongs to another user";
        case MissReason::unreadable:
            return "the entry cannot be read";
    }
    return "unknown reason";
}

FindResult make_miss(MissReason reason, std::string path, std::string detail) {
    FindResult result;
    result.reason = reason;
    result.path = std::move(path);
    result.detail = std::move(detail);
    return result;
}

}  // namespace kgen::cache
