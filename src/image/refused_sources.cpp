// SPDX-License-Identifier: MIT
#include "image/refused_sources.hpp"

#include <utility>

namespace kgen {

void RefusedSources::remember(RefusalKey key, const CompileError& error) {
    const std::lock_guard lock(mutex_);
    refusals_.push_back({std::move(key), error});
    if (refusals_.size() > capacity_) refusals_.pop_front();
}

std::optional<CompileError> RefusedSources::find(const RefusalKey& key) const {
    const std::lock_guard lock(mutex_);
    for (const Refusal& refusal : refusals_) {
        if (refusal.key == key) return refusal.error;
    }
    return std::nullopt;
}

std::size_t RefusedSources::size() const {
    const std::lock_guard lock(mutex_);
    return refusals_.size();
}

RefusedSources& process_refusals() {
    static auto* refusals = new RefusedSources(64);  // never destroyed: see process_store()
    return *refusals;
}

}  // namespace kgen
