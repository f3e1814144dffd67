// SPDX-License-Identifier: MIT
#include "shard/queued_verbs.hpp"

#include <algorithm>
#include <utility>

#include "device/capture_record.hpp"
#include "device/device_traits.hpp"

namespace kgen {

namespace {

constexpr std::size_t most_spare = 64;

bool are_done(const std::vector<Event>& events) {
    return std::all_of(
        events.begin(), events.end(), [](const Event& event) { return event.is_done(); });
}

}  // namespace

Event QueuedVerbs::take_event(Device device) {
    const auto found = std::ranges::find(spare_, device, &Event::device);
    if (found == spare_.end()) return Event(device);
    Event event = std::move(*found);
    *found = std::move(spare_.back());
    spare_.pop_back();
    return event;
}

std::vector<Event> QueuedVerbs::record_points(std::span<const RankTransfer> ranks) {
    std::vector<Event> events;
    for (const RankTransfer& rank : ranks) {
        const Device device = rank.stream.device();
        if (!traits(device).is_asynchronous || CaptureRecord::is_active_on(device)) continue;
        events.push_back(take_event(device));
        events.back().record(rank.stream);
    }
    return events;
}

void QueuedVerbs::drop_done() {
    for (; !verbs_.empty() && are_done(verbs_.front().end); verbs_.pop_front()) {
        for (std::vector<Event>* list : {&verbs_.front().begin, &verbs_.front().end})
            for (Event& each : *list)
                if (spare_.size() < most_spare) spare_.push_back(std::move(each));
    }
}

void QueuedVerbs::add(std::string_view operation,
                      std::vector<Event> begin,
                      std::vector<Event> end) {
    drop_done();
    if (!end.empty()) verbs_.push_back({operation, std::move(begin), std::move(end)});
}

bool QueuedVerbs::settle() {
    drop_done();
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
