// SPDX-License-Identifier: MIT
//
// GuardedEngine: an engine behind a lock. One verb runs at a time, its parts are checked first, and a verb that fails for
// whatever reason aborts the engine, so that the other ranks do not wait for the rest of it.
//
// A thread watches verbs that devices have queued. If one waits for longer than the timeout, the engine is aborted, which
// ends the wait on the device, and the next function that waits for the device throws the error (LateErrors).
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "shard/engine.hpp"

namespace kgen {

class GuardedEngine final : public Engine {
public:
    explicit GuardedEngine(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
    ~GuardedEngine() override;

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
    // Checks the parts, runs the verb, and has what it queued watched.
    template <typename Check, typename Run>
    void queue(const char* operation, Check check, Run run);
    void watch();
    bool ask_once();

    std::unique_ptr<Engine> engine_;
    std::mutex mutex_;

    std::mutex watch_mutex_;
    std::condition_variable changed_;
    bool is_pending_ = false;  // verbs may be queued; guarded by watch_mutex_
    bool is_ending_ = false;   // guarded by watch_mutex_
    bool is_idle_ = false;     // `watching_` waits for verbs; guarded by watch_mutex_
    std::thread watching_;
};

}  // namespace kgen
