// SPDX-License-Identifier: MIT
#include "shard/queued_verbs.hpp"

#include <algorithm>
#include <utility>

#include "device/capture_record.hpp"
#include "device/device_traits.hpp"

namespace kgen {

namespace {

bool are_done(const std::vector<Event>& events) {
    return std::all_of(
        events.begin(), events.end(), [](const Event& event) { return event.is_done(); });
}

}  // namespace

std::vector<Event> record_points(std::span<const RankTransfer> ranks) {
    std::vector<Event> events;
    for (const RankTransfer& rank : ranks) {
        const Device device = rank.stream.device();
        if (!traits(device).is_asynchronous || CaptureRecord::is_active_on(device)) continue;
        events.emplace_back(device).record(rank.stream);
    }
    return events;
}

void QueuedVerbs::add(std::string_view operation,
                      std::vector<Event> begin,
                      std::vector<Event> end) {
    while (!verbs_.empty() && are_done(verbs_.front().end)) verbs_.pop_front();
    if (!end.empty()) verbs_.push_back({operation, std::move(begin), std::move(end)});
}

bool QueuedVerbs::settle() {
    while (!verbs_.empty() && are_done(verbs_.front().end)) verbs_.pop_front();
    return verbs_.empty();
}

std::optional<std::string_view> QueuedVerbs::overdue() {
    if (verbs_.empty()) return {};
    Verb& oldest = verbs_.front();
    const auto now = std::chrono::steady_clock::now();
    if (!oldest.since) {
        if (are_done(oldest.begin)) oldest.since = now;
        return {};
    }
    if (now - *oldest.since < timeout_) return {};
    return oldest.operation;
}

}  // namespace kgen
