// SPDX-License-Identifier: MIT
#include "shard/transfer_checks.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>

namespace kgen {

namespace {

void require_ranks(const Engine& engine,
                   std::span<const RankTransfer> ranks,
                   const char* operation) {
    const std::size_t expected = engine.local_ranks().size();
    if (ranks.size() == expected) return;
    throw CommunicationError(
        fmt::format("{}: got parts of {} ranks, expected those of the {} ranks of this process",
                    operation,
                    ranks.size(),
                    expected),
        engine.local_ranks().front(),
        -1,
        operation);
}

void require_parts(
    int rank, const char* operation, const char* what, std::size_t got, std::size_t expected) {
    if (got == expected) return;
    throw CommunicationError(
        fmt::format("{}: rank {}: got {} {}, expected {}", operation, rank, got, what, expected),
        rank,
        -1,
        operation);
}

void require_same_size(
    const char* operation, int from, std::size_t sent, int to, std::size_t expected) {
    if (sent == expected) return;
    throw CommunicationError(
        fmt::format("{}: {}", operation, size_disagreement(from, sent, to, expected)),
        to,
        from,
        operation);
}

}  // namespace

std::string size_disagreement(int from, std::size_t sent, int to, std::size_t expected) {
    return fmt::format(
        "rank {} expects {} bytes of rank {}, which sends {}", to, expected, from, sent);
}

void check_allgather(const Engine& engine, std::span<const RankTransfer> ranks) {
    constexpr const char* operation = "allgather";
    require_ranks(engine, ranks, operation);
    const auto size = static_cast<std::size_t>(engine.size());
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        const int rank = engine.local_ranks()[k];
        require_parts(rank, operation, "parts to send", ranks[k].sends.size(), 1);
        require_parts(rank, operation, "parts to receive", ranks[k].receives.size(), 1);
        const std::size_t sent = ranks[k].sends[0].size();
        require_same_size(operation,
                          engine.local_ranks()[0],
                          ranks[0].sends[0].size(),
                          rank,
                          ranks[k].receives[0].size() / size);
        require_parts(
            rank, operation, "bytes to receive", ranks[k].receives[0].size(), sent * size);
    }
}

void check_all_to_all(const Engine& engine, std::span<const RankTransfer> ranks) {
    constexpr const char* operation = "all_to_all";
    require_ranks(engine, ranks, operation);
    const auto size = static_cast<std::size_t>(engine.size());
    const std::span<const int> local = engine.local_ranks();
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        require_parts(local[k], operation, "parts to send", ranks[k].sends.size(), size);
        require_parts(local[k], operation, "parts to receive", ranks[k].receives.size(), size);
    }
    for (std::size_t from = 0; from < ranks.size(); ++from) {
        for (std::size_t to = 0; to < ranks.size(); ++to) {
            require_same_size(operation,
                              local[from],
                              ranks[from].sends[static_cast<std::size_t>(local[to])].size(),
                              local[to],
                              ranks[to].receives[static_cast<std::size_t>(local[from])].size());
        }
    }
}

void check_broadcast(const Engine& engine, std::span<const RankTransfer> ranks, int root) {
    constexpr const char* operation = "broadcast";
    require_ranks(engine, ranks, operation);
    const std::span<const int> local = engine.local_ranks();
    if (root < 0 || root >= engine.size()) {
        throw CommunicationError(
            fmt::format(
                "broadcast: got root {}, expected a rank from 0 to {}", root, engine.size() - 1),
            local.front(),
            -1,
            operation);
    }
    const RankTransfer* sender = nullptr;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        if (local[k] == root) {
            require_parts(root, operation, "parts to send", ranks[k].sends.size(), 1);
            sender = &ranks[k];
        } else {
            require_parts(local[k], operation, "parts to receive", ranks[k].receives.size(), 1);
        }
    }
    if (sender == nullptr) return;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        if (local[k] == root) continue;
        require_same_size(
            operation, root, sender->sends[0].size(), local[k], ranks[k].receives[0].size());
    }
}

}  // namespace kgen
