// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <kgen/suggestion.hpp>
#include <vector>

namespace kgen {

namespace {

char lower(char letter) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

// Returns the optimal string alignment distance, ignoring case. Keeps three rows of the usual table.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t k = 0; k <= b.size(); ++k) above[k] = k;
    for (std::size_t j = 1; j <= a.size(); ++j) {
        row[0] = j;
        for (std::size_t k = 1; k <= b.size(); ++k) {
            const bool equal = lower(a[j - 1]) == lower(b[k - 1]);
            row[k] = std::min({above[k] + 1, row[k - 1] + 1, above[k - 1] + (equal ? 0 : 1)});
            if (j > 1 && k > 1 && lower(a[j - 1]) == lower(b[k - 2]) &&
                lower(a[j - 2]) == lower(b[k - 1])) {
                row[k] = std::min(row[k], before[k - 2] + 1);
            }
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> valid) {
    if (name.size() > 64) return {};
    std::string_view nearest;
    std::size_t least = name.size() / 3 + 1;
    for (const std::string_view candidate : valid) {
        const std::size_t found = distance(name, candidate);
        if (found < least) {
            least = found;
            nearest = candidate;
        }
    }
    return nearest;
}

}  // namespace kgen
