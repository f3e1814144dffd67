// SPDX-License-Identifier: MIT
//
// FlightTable: a table in memory that computes each value once, even if several threads ask for it at the
// same time. The first caller of a key computes the value and the others wait for it. If the computation
// fails, all of them get the exception, and the next call tries again.
//
//     FlightTable<std::shared_ptr<const Image>> images;
//     auto image = images.get(request, [&] { return find_or_compile(...); });
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>

#include "digest.hpp"
#include "fork_mutex.hpp"

namespace kgen {

// Thread-safe. No lock is held while a value is computed, so computations of different keys run at the same
// time and may ask for other keys. Two that wait for each other's key never end. Values are returned by copy,
// so large ones should be held by a shared_ptr. The child of a fork keeps the finished values and computes
// the unfinished ones anew.
template <class Value, class Key = cache::Digest, class Hash = std::hash<Key>>
class FlightTable {
public:
    // Returns the value of the key: the known one, the one another thread is computing, or the result of
    // compute(). Throws what compute() throws, and std::logic_error if compute() asks for its own key.
    template <class Compute>
    Value get(const Key& key, Compute&& compute) {
        std::promise<Value> promise;
        std::shared_ptr<Flight> flight;
        {
            const std::lock_guard lock(mutex_);
            std::shared_ptr<Flight>& slot = flights_[key];
            if (slot == nullptr || (slot->process != ::getpid() && !is_ready(*slot))) {
                slot = std::make_shared<Flight>();
                slot->result = promise.get_future().share();
                slot->computed_by = std::this_thread::get_id();
                slot->process = ::getpid();
            } else {
                flight = slot;
                if (is_ready(*slot)) ++hits_;
            }
        }
        if (flight != nullptr) return wait(*flight);
        return run(key, promise, std::forward<Compute>(compute));
    }

    // Drops a known value, so that the next call computes it anew. Has no effect on a value that is being
    // computed.
    void forget(const Key& key) {
        const std::lock_guard lock(mutex_);
        const auto found = flights_.find(key);
        if (found != flights_.end() && is_ready(*found->second)) flights_.erase(found);
    }

    // The number of keys known or being computed.
    std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return flights_.size();
    }

    // How often get() found a known value.
    std::uint64_t hits() const noexcept { return hits_.load(std::memory_order_relaxed); }

private:
    struct Flight {
        std::shared_future<Value> result;
        std::thread::id computed_by;
        ::pid_t process = 0;
    };

    static bool is_ready(const Flight& flight) {
        return flight.result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }

    static Value wait(const Flight& flight) {
        if (flight.computed_by == std::this_thread::get_id() && !is_ready(flight)) {
            throw std::logic_error("a computation asked for its own result");
        }
        // A copy of the future for each thread, because two threads must not use one object at once.
        const std::shared_future<Value> result = flight.result;
        return result.get();
    }

    template <class Compute>
    Value run(const Key& key, std::promise<Value>& promise, Compute&& compute) {
        try {
            Value value = std::forward<Compute>(compute)();
            promise.set_value(value);
            return value;
        } catch (...) {
            // Erased before the exception is delivered, so a caller that has seen the failure can try again.
            {
                const std::lock_guard lock(mutex_);
                flights_.erase(key);
            }
            promise.set_exception(std::current_exception());
            throw;
        }
    }

    mutable cache::ForkMutex mutex_;
    std::unordered_map<Key, std::shared_ptr<Flight>, Hash> flights_;
    std::atomic<std::uint64_t> hits_{0};
};

}  // namespace kgen
