// SPDX-License-Identifier: MIT
#include "source/waiting_names.hpp"

#include <algorithm>
#include <array>

namespace kgen {

namespace {

// Prefixes, so that names that are put together by ## count as well.
constexpr std::array<std::string_view, 10> waiting_prefixes = {"__sync",
                                                               "__shfl",
                                                               "__ballot",
                                                               "__any",
                                                               "__all",
                                                               "__activemask",
                                                               "__match",
                                                               "__reduce",
                                                               "__uni",
                                                               "__barrier"};

bool is_waiting_word(std::string_view word) {
    return std::any_of(waiting_prefixes.begin(), waiting_prefixes.end(), [&](auto prefix) {
        return word.starts_with(prefix);
    });
}

}  // namespace

WaitingNames find_waiting_names(const std::vector<const ScannedProgram*>& programs) {
    WaitingNames waiting;
    const auto is_waiting = [&](const std::string& word) {
        return is_waiting_word(word) || waiting.names.count(word) != 0;
    };
    for (bool changes = true; changes;) {
        changes = false;
        for (const ScannedProgram* program : programs) {
            for (const ScannedChunk& chunk : program->chunks) {
                if (std::none_of(chunk.mentions.begin(), chunk.mentions.end(), is_waiting))
                    continue;
                for (const std::string& name : chunk.names) {
                    if (name == "operator") waiting.waits_everywhere = true;
                    changes |= waiting.names.insert(name).second;
                }
                // A lambda or another thing without a name.
                if (chunk.names.empty()) waiting.waits_everywhere = true;
            }
        }
    }
    return waiting;
}

bool waits(const WaitingNames& waiting,
           const ScannedProgram& program,
           const ScannedKernel& kernel) {
    const auto& mentions = program.chunks[kernel.chunk].mentions;
    return waiting.waits_everywhere ||
           std::any_of(mentions.begin(), mentions.end(), [&](const std::string& word) {
               return is_waiting_word(word) || waiting.names.count(word) != 0;
           });
}

bool waits(const WaitingNames& waiting, std::string_view expression) {
    const TokenList list = tokenize(expression);
    return waiting.waits_everywhere ||
           std::any_of(list.tokens.begin(), list.tokens.end(), [&](const Token& token) {
               return waiting.names.find(token.text) != waiting.names.end();
           });
}

}  // namespace kgen
