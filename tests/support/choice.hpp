// SPDX-License-Identifier: MIT
//
// What a loop baked beside the fields that all loops have.
#pragma once

#include "plan/baked.hpp"

namespace kgen::test {

// Returns the choice, or its default if the loop is of another kind.
template <typename Choice>
Choice choice_or_default(const Baked& baked) {
    const auto* choice = std::get_if<Choice>(&baked.choice);
    return choice != nullptr ? *choice : Choice();
}

inline bool is_shifted(const Baked& baked) {
    return choice_or_default<FlatChoice>(baked).shifted ||
           choice_or_default<ReducedRowsChoice>(baked).shifted;
}

inline bool is_wide(const Baked& baked) {
    return choice_or_default<ReducedColumnsChoice>(baked).wide;
}

inline bool is_merged(const Baked& baked) {
    return choice_or_default<ReducedColumnsChoice>(baked).merged;
}

// Whether the elements of several kept axes are columns beside each other.
inline bool is_joined(const Baked& baked) {
    return choice_or_default<ReducedColumnsChoice>(baked).axes > 1;
}

inline bool has_block_team(const Baked& baked) {
    return choice_or_default<ReducedRowsChoice>(baked).block_team;
}

}  // namespace kgen::test
