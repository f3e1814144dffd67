// SPDX-License-Identifier: MIT
//
// QueuedVerbs: the verbs of an engine that run on streams of devices, in order, and how long the oldest has been waiting.
#pragma once

#include <chrono>
#include <deque>
#include <kgen/stream.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "shard/engine.hpp"

namespace kgen {

class QueuedVerbs {
public:
    explicit QueuedVerbs(std::chrono::milliseconds timeout) : timeout_(timeout) {}

    // Returns one event for each rank, recorded in its stream. Leaves out ranks on the host, whose work is done on return, and
    // ranks whose stream this thread captures, because captured work has no time at which it is done.
    std::vector<Event> record_points(std::span<const RankTransfer> ranks);
    // Adds a verb between two points. `operation` must stay valid.
    void add(std::string_view operation, std::vector<Event> begin, std::vector<Event> end);
    // Drops the verbs that are done. Returns whether none is left. Throws DeviceError if a device failed.
    bool settle();
    // Returns the operation of the oldest verb, if it has been waiting for longer than the timeout since the work before it
    // was done. Call it after settle().
    std::optional<std::string_view> overdue();

private:
    struct Verb {
        std::string_view operation;
        std::vector<Event> begin;
        std::vector<Event> end;
        std::optional<std::chrono::steady_clock::time_point> since = {};
    };
    Event take_event(Device device);
    void drop_done();

    std::chrono::milliseconds timeout_;
    std::deque<Verb> verbs_;
    std::vector<Event>
        spare_;  // done; making and destroying events takes longer than recording them
};

}  // namespace kgen
