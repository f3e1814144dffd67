// SPDX-License-Identifier: MIT
//
// Checks of the parts of the ranks of this process in a verb, before anything is sent.
#pragma once

#include <span>
#include <string>

#include "shard/engine.hpp"

namespace kgen {

// All throw CommunicationError if parts are missing, or the sizes of two ends within this process disagree.
void check_allgather(const Engine& engine, std::span<const RankTransfer> ranks);
void check_all_to_all(const Engine& engine, std::span<const RankTransfer> ranks);
void check_broadcast(const Engine& engine, std::span<const RankTransfer> ranks, int root);

// Returns the message about two ends of different sizes: "rank 1 expects 8 bytes of rank 0, which sends 16".
std::string size_disagreement(int from, std::size_t sent, int to, std::size_t expected);

}  // namespace kgen
