// SPDX-License-Identifier: MIT
#include "shard/guarded_engine.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>

#include "shard/transfer_checks.hpp"

namespace kgen {

template <typename Run>
auto GuardedEngine::guarded(const char* operation, Run run) {
    const std::lock_guard lock(mutex_);
    if (engine_->is_aborted()) {
        const int rank = local_ranks().front();
        throw CommunicationError(fmt::format("{}: rank {}: the communicator was aborted, or an "
                                             "operation on it has failed before; make a new "
                                             "communicator",
                                             operation,
                                             rank),
                                 rank,
                                 -1,
                                 operation);
    }
    try {
        return run();
    } catch (...) {
        engine_->abort();
        throw;
    }
}

void GuardedEngine::allgather(std::span<const RankTransfer> ranks) {
    guarded("allgather", [&] {
        check_allgather(*engine_, ranks);
        engine_->allgather(ranks);
    });
}

void GuardedEngine::all_to_all(std::span<const RankTransfer> ranks) {
    guarded("all_to_all", [&] {
        check_all_to_all(*engine_, ranks);
        engine_->all_to_all(ranks);
    });
}

void GuardedEngine::broadcast(std::span<const RankTransfer> ranks, int root) {
    guarded("broadcast", [&] {
        check_broadcast(*engine_, ranks, root);
        engine_->broadcast(ranks, root);
    });
}

void GuardedEngine::barrier() {
    guarded("barrier", [&] { engine_->barrier(); });
}

bool GuardedEngine::poll() {
    return guarded("poll", [&] { return engine_->poll(); });
}

void GuardedEngine::wait() {
    guarded("wait", [&] { engine_->wait(); });
}

}  // namespace kgen
