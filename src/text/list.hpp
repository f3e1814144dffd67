// SPDX-License-Identifier: MIT
//
// Searches in short lists.
#pragma once

#include <algorithm>
#include <utility>

namespace kgen {

template <typename Value, typename List>
constexpr bool is_one_of(const Value& value, const List& list) noexcept {
    return std::find(list.begin(), list.end(), value) != list.end();
}

// Appends the value unless the list has it.
template <typename List, typename Value>
void add_once(List& list, Value&& value) {
    if (!is_one_of(value, list)) list.push_back(std::forward<Value>(value));
}

}  // namespace kgen
