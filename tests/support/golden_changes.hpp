// SPDX-License-Identifier: MIT
//
// A text as another text with some lines changed, so that a golden file shows what is special in its case.
//
// A hunk is lines of the base that stay (behind ' ') or go (behind '-') and lines that come (behind '+'). It
// has no line number: it belongs to the first place behind the previous hunk where the base has its lines.
// `changes` writes as many lines that stay as make this the right place. An empty line stands before each
// hunk.
#pragma once

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace kgen::test {

using Lines = std::vector<std::string>;

inline Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream rest(text);
    for (std::string line; std::getline(rest, line);) lines.push_back(line);
    return lines;
}

// Returns the hunks that make `text` of `base`. Both are whole lines.
inline std::string changes(const std::string& base, const std::string& text) {
    const Lines from = lines_of(base), to = lines_of(text);
    // The most lines that the rest of `from` at i and the rest of `to` at k have in common, in their order.
    std::vector common(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
    for (std::size_t i = from.size(); i-- > 0;) {
        for (std::size_t k = to.size(); k-- > 0;) {
            common[i][k] = from[i] == to[k] ? common[i + 1][k + 1] + 1
                                            : std::max(common[i + 1][k], common[i][k + 1]);
        }
    }
    std::string hunks;
    std::size_t i = 0, k = 0, behind = 0;
    const auto stays = [&] { return i < from.size() && k < to.size() && from[i] == to[k]; };
    while (i < from.size() || k < to.size()) {
        if (stays()) {
            ++i, ++k;
            continue;
        }
        const auto begin = from.begin() + behind, change = from.begin() + i;
        const auto first_added = to.begin() + k;
        while ((i < from.size() || k < to.size()) && !stays()) {
            const bool goes =
                k == to.size() || (i < from.size() && common[i + 1][k] >= common[i][k + 1]);
            ++(goes ? i : k);
        }
        const auto end = from.begin() + i;
        auto first = change;
        while (first != begin &&
               (first == end || std::search(begin, from.end(), first, end) != first))
            --first;
        hunks += '\n';
        for (auto line = first; line != end; ++line)
            hunks += (line < change ? ' ' : '-') + *line + '\n';
        for (auto line = first_added; line != to.begin() + k; ++line) hunks += '+' + *line + '\n';
        behind = i;
    }
    return hunks;
}

// Returns `base` with the hunks' changes. Throws std::invalid_argument if a hunk has no place.
inline std::string changed(const std::string& base, const std::string& hunks) {
    const Lines from = lines_of(base);
    auto behind = from.begin();
    std::string text;
    const auto copy_to = [&](Lines::const_iterator end) {
        for (; behind != end; ++behind) text += *behind + '\n';
    };
    const Lines marked = lines_of(hunks);
    for (auto line = marked.begin(); line != marked.end();) {
        Lines stood, stands;
        for (++line; line != marked.end() && !line->empty(); ++line) {
            if (line->front() != '+') stood.push_back(line->substr(1));
            if (line->front() != '-') stands.push_back(line->substr(1));
        }
        const auto at = std::search(behind, from.end(), stood.begin(), stood.end());
        if (at == from.end() && !stood.empty())
            throw std::invalid_argument("the base has no lines '" + stood.front() + "'...");
        copy_to(at);
        behind += static_cast<std::ptrdiff_t>(stood.size());
        for (const std::string& each : stands) text += each + '\n';
    }
    copy_to(from.end());
    return text;
}

}  // namespace kgen::test
