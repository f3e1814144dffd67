// SPDX-License-Identifier: MIT
#include "store_statistics.hpp"

namespace kgen::cache {

void StoreCounters::count(const FindResult& result) noexcept {
    if (!result) {
        ++misses[static_cast<std::size_t>(result.reason)];
    } else if (result.tier == Tier::root) {
        ++hits;
    } else {
        ++read_only_hits;
    }
}

void StoreCounters::count_store_failure(int error) {
    const std::lock_guard lock(mutex_);
    ++store_errors_[error];
}

StoreStatistics StoreCounters::read() const {
    StoreStatistics statistics;
    statistics.hits = hits;
    statistics.read_only_hits = read_only_hits;
    for (std::size_t k = 0; k < miss_reasons; ++k) statistics.misses[k] = misses[k];
    statistics.stores = stores;
    statistics.quarantined = quarantined;
    statistics.rejections = rejections;
    statistics.lock_waits = lock_waits;
    statistics.lock_timeouts = lock_timeouts;
    statistics.evictions = evictions;
    statistics.declined = declined;
    const std::lock_guard lock(mutex_);
    statistics.store_errors = store_errors_;
    for (const auto& [error, count] : store_errors_) statistics.store_failures += count;
    return statistics;
}

}  // namespace kgen::cache
