// SPDX-License-Identifier: MIT
#include "shard/guarded_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <kgen/error.hpp>

#include "device/device_traits.hpp"
#include "device/late_errors.hpp"
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

GuardedEngine::~GuardedEngine() {
    {
        const std::lock_guard lock(watch_mutex_);
        is_ending_ = true;
    }
    changed_.notify_one();
    if (watching_.joinable()) watching_.join();
}

template <typename Check, typename Run>
void GuardedEngine::queue(const char* operation, Check check, Run run) {
    guarded(operation, [&] {
        check();
        run();
    });
    const auto is_asynchronous = [](Device device) { return traits(device).is_asynchronous; };
    if (std::ranges::none_of(devices(), is_asynchronous)) return;
    const std::lock_guard lock(watch_mutex_);
    is_pending_ = true;
    if (is_idle_) {
        changed_.notify_one();  // a call into the kernel, which costs as much as a verb
    } else if (!watching_.joinable()) {
        watching_ = std::thread([this] { watch(); });
    }
}

void GuardedEngine::watch() {
    std::unique_lock lock(watch_mutex_);
    for (;;) {
        is_idle_ = true;
        changed_.wait(lock, [&] { return is_pending_ || is_ending_; });
        is_idle_ = false;
        if (is_ending_) return;
        is_pending_ = false;
        lock.unlock();
        const bool is_done = ask_once();
        lock.lock();
        is_pending_ |= !is_done;
        changed_.wait_for(lock, std::chrono::milliseconds(20), [&] { return is_ending_; });
    }
}

// Returns whether nothing is left to watch.
bool GuardedEngine::ask_once() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;  // a verb runs, which asks by itself
    if (engine_->is_aborted()) return true;
    try {
        return engine_->poll();
    } catch (...) {
        engine_->abort();
        for (const Device device : devices()) LateErrors::add(device, std::current_exception());
        return true;
    }
}

void GuardedEngine::allgather(std::span<const RankTransfer> ranks) {
    queue(
        "allgather", [&] { check_allgather(*engine_, ranks); }, [&] { engine_->allgather(ranks); });
}

void GuardedEngine::all_to_all(std::span<const RankTransfer> ranks) {
    queue(
        "all_to_all",
        [&] { check_all_to_all(*engine_, ranks); },
        [&] { engine_->all_to_all(ranks); });
}

void GuardedEngine::broadcast(std::span<const RankTransfer> ranks, int root) {
    queue(
        "broadcast",
        [&] { check_broadcast(*engine_, ranks, root); },
        [&] { engine_->broadcast(ranks, root); });
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
