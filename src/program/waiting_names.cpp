// SPDX-License-Identifier: MIT
#include "program/waiting_names.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "text/word.hpp"

namespace kgen {

namespace {

// Prefixes, so that names which are built with ## match too.
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
    return starts_with_one_of(word, waiting_prefixes);
}

}  // namespace

WaitingNames find_waiting_names(const std::vector<const ScannedProgram*>& programs) {
    WaitingNames waiting;
    std::unordered_map<std::string_view, std::vector<const ScannedChunk*>> mentioned_by;
    std::vector<const ScannedChunk*> reached;  // waiting chunks whose users are not marked yet
    for (const ScannedProgram* program : programs) {
        for (const ScannedChunk& chunk : program->chunks) {
            bool waits = false;
            for (const std::string& word : chunk.mentions) {
                waits = waits || is_waiting_word(word);
                mentioned_by[word].push_back(&chunk);
            }
            if (waits) reached.push_back(&chunk);
        }
    }
    while (!reached.empty()) {
        const ScannedChunk& chunk = *reached.back();
        reached.pop_back();
        // A lambda, or another chunk without a name.
        if (chunk.names.empty()) waiting.waits_everywhere = true;
        for (const std::string& name : chunk.names) {
            if (name == "operator") waiting.waits_everywhere = true;
            if (!waiting.names.insert(name).second) continue;
            const std::vector<const ScannedChunk*>& users = mentioned_by[name];
            reached.insert(reached.end(), users.begin(), users.end());
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
