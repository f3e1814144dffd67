// SPDX-License-Identifier: MIT
//
// LiveTable: a table in memory of values that are shared as long as they are used. A value without holders is
// destroyed, and made anew when it is needed again. Each value is made once, even if several threads ask for
// it at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "fork_mutex.hpp"
#include "image/flight_table.hpp"

namespace kgen {

// Thread-safe. Values are destroyed without holding a lock.
template <class T, class Key, class Hash>
class LiveTable {
public:
    using Value = std::shared_ptr<const T>;

    // The table itself holds the `kept` values that were requested last.
    explicit LiveTable(std::size_t kept) : kept_(kept) {}

    // Returns the value of the key: the known one, the one another thread is making, or the result of make().
    // Throws what make() throws; the next call then tries again.
    template <class Make>
    Value get(const Key& key, Make&& make) {
        if (Value known = find(key)) {
            hits_.fetch_add(1, std::memory_order_relaxed);
            return known;
        }
        Value made = flights_.get(key, [&] {
            // Another thread may have added it between the first look-up and this call.
            Value value = find(key);
            if (value == nullptr) {
                value = make();
                add(key, value);
            }
            return value;
        });
        flights_.forget(key);
        return made;
    }

    // How often get() found a known value.
    std::uint64_t hits() const noexcept { return hits_.load(std::memory_order_relaxed); }

    // The number of keys in the table: those of live values, and of destroyed ones that are not yet purged.
    std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return values_.size();
    }

private:
    Value find(const Key& key) {
        Value evicted;
        const std::lock_guard lock(mutex_);
        const auto place = values_.find(key);
        if (place == values_.end()) return nullptr;
        Value value = place->second.lock();
        if (value != nullptr) evicted = keep(value);
        return value;
    }

    void add(const Key& key, const Value& value) {
        Value evicted;
        const std::lock_guard lock(mutex_);
        values_[key] = value;
        evicted = keep(value);
        if (values_.size() < next_purge_) return;
        std::erase_if(values_, [](const auto& each) { return each.second.expired(); });
        next_purge_ = 2 * values_.size() + first_purge;
    }

    // Returns the value that is no longer kept, so that the caller destroys it after releasing the lock.
    Value keep(const Value& value) {
        std::erase(latest_, value);
        if (kept_ != 0) latest_.push_back(value);
        if (latest_.size() <= kept_) return nullptr;
        Value oldest = std::move(latest_.front());
        latest_.pop_front();
        return oldest;
    }

    static constexpr std::size_t first_purge = 64;

    const std::size_t kept_;
    mutable cache::ForkMutex mutex_;
    std::unordered_map<Key, std::weak_ptr<const T>, Hash> values_;
    std::deque<Value> latest_;  // oldest first
    std::size_t next_purge_ = first_purge;
    FlightTable<Value, Key, Hash> flights_;  // values being made
    std::atomic<std::uint64_t> hits_{0};
};

}  // namespace kgen
