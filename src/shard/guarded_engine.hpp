// SPDX-License-Identifier: MIT
//
// GuardedEngine: an engine behind a lock. One verb runs at a time, its parts are checked first, and a verb that fails for
// whatever reason aborts the engine, so that the other ranks do not wait for the rest of it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "shard/engine.hpp"

namespace kgen {

class GuardedEngine final : public Engine {
public:
    explicit GuardedEngine(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

    std::string_view name() const noexcept override { return engine_->name(); }
    int size() const noexcept override { return engine_->size(); }
    std::span<const int> local_ranks() const noexcept override { return engine_->local_ranks(); }
    std::span<const Device> devices() const noexcept override { return engine_->devices(); }

    void allgather(std::span<const RankTransfer> ranks) override;
    void all_to_all(std::span<const RankTransfer> ranks) override;
    void broadcast(std::span<const RankTransfer> ranks, int root) override;
    void barrier() override;
    bool poll() override;
    void wait() override;

    // Takes no lock, because it must reach an engine whose verb is waiting on another thread.
    void abort() noexcept override { engine_->abort(); }
    bool is_aborted() const noexcept override { return engine_->is_aborted(); }

private:
    template <typename Run>
    auto guarded(const char* operation, Run run);

    std::unique_ptr<Engine> engine_;
    std::mutex mutex_;
};

}  // namespace kgen
