// SPDX-License-Identifier: MIT
#include "read_only_places.hpp"

namespace kgen::cache {

void ReadOnlyPlaces::add(std::unique_ptr<ReadOnlyPlace> place) {
    auto known = std::make_unique<Known>();
    known->place = std::move(place);
    const std::lock_guard lock(mutex_);
    places_.push_back(std::move(known));
    is_empty_ = false;
}

std::vector<ReadOnlyPlaces::Known*> ReadOnlyPlaces::known() const {
    std::vector<Known*> known;
    const std::lock_guard lock(mutex_);
    for (const auto& each : places_) known.push_back(each.get());
    return known;
}

FindResult ReadOnlyPlaces::find(const Digest& request,
                                const std::function<void(const std::string&)>& warn) {
    FindResult first = make_miss(MissReason::absent);
    if (is_empty_) return first;
    const auto is_wanted = [this](const Entry& entry) { return !is_rejected(entry); };
    for (Known* each : known()) {
        FindResult found = each->place->find(request, is_wanted);
        if (found) return found;
        const std::string problem = each->place->problem();
        if (!problem.empty()) {
            if (!each->is_warned_of.exchange(true)) {
                warn("cache: '" + each->place->name() + "' is ignored: " + problem);
            }
        } else if (first.reason == MissReason::absent) {
            first = std::move(found);
        }
    }
    return first;
}

void ReadOnlyPlaces::reject(const Digest& request, const Digest& producer) {
    const std::lock_guard lock(mutex_);
    rejected_.emplace(request, producer);
}

bool ReadOnlyPlaces::is_rejected(const Entry& entry) const {
    const std::lock_guard lock(mutex_);
    return !rejected_.empty() &&
           rejected_.contains({entry.request, sha256(entry.producer_identity)});
}

std::vector<std::pair<std::string, std::string>> ReadOnlyPlaces::problems() const {
    std::vector<std::pair<std::string, std::string>> problems;
    for (const Known* each : known()) {
        problems.emplace_back(each->place->name(), each->place->problem());
    }
    return problems;
}

}  // namespace kgen::cache
