// SPDX-License-Identifier: MIT
#include "shard/process_engine.hpp"

#include <fmt/format.h>

#include <cstring>
#include <kgen/error.hpp>
#include <numeric>
#include <utility>

#include "device/registry.hpp"
#include "memory/host_order.hpp"
#include "shard/deadline.hpp"

namespace kgen {

namespace {

// Copies in the order of the receiver's stream, or of the only stream if one end is on the host.
void copy_between(const StreamPair& pair,
                  std::span<const std::byte> source,
                  std::span<std::byte> destination) {
    const Device source_device = pair.sender.device();
    const Device device = pair.receiver.device();
    void* const target = destination.data();
    const void* const data = source.data();
    const std::size_t bytes = source.size();
    if (target == data) return;  // a rank's part for itself may be in place
    const bool reads_host = traits(source_device).uses_host_memory;
    const bool writes_host = traits(device).uses_host_memory;
    if (reads_host && writes_host) {
        run_on_host([=] { std::memcpy(target, data, bytes); });
    } else if (writes_host) {
        require_host_elements(device);
        backend(source_device)
            .copy(target, data, bytes, CopyDirection::device_to_host, pair.sender.handle());
    } else if (reads_host) {
        require_host_elements(source_device);
        backend(device).copy(
            target, data, bytes, CopyDirection::host_to_device, pair.receiver.handle());
    } else if (source_device == device) {
        backend(device).copy(
            target, data, bytes, CopyDirection::device_to_device, pair.receiver.handle());
    } else {
        backend(device).copy_from_peer(target,
                                       data,
                                       bytes,
                                       backend(source_device),
                                       pair.sender.handle(),
                                       pair.receiver.handle());
    }
}

}  // namespace

ProcessEngine::ProcessEngine(std::vector<Device> devices, std::chrono::milliseconds timeout)
    : ranks_(devices.size()), devices_(std::move(devices)), queued_(timeout) {
    std::iota(ranks_.begin(), ranks_.end(), 0);
    for (const Device device : devices_) backend(device);
}

void ProcessEngine::copy(const char* operation,
                         std::span<const RankTransfer> ranks,
                         std::span<const Copy> copies) {
    std::vector<Event> begin = queued_.record_points(ranks);
    const auto is_between_gpus = [&](const Copy& each) {
        const Device source = ranks[each.from].stream.device();
        const Device target = ranks[each.to].stream.device();
        return source != target && traits(source).is_asynchronous && traits(target).is_asynchronous;
    };
    // The streams that a copy is ordered by. Copies between two GPUs have streams of their own, because copies in both
    // directions on the ranks' streams would wait for each other.
    const auto streams_of = [&](const Copy& each) {
        return is_between_gpus(each) ? own_streams(each.from, each.to)
                                     : StreamPair{ranks[each.from].stream, ranks[each.to].stream};
    };
    // A copy's streams wait for those of its ranks, and the receiver for the sender, so that the bytes are there. Afterwards
    // the ranks' streams wait, so that the sender does not overwrite or free the bytes too early. Between two GPUs the copy
    // itself orders its two streams.
    const auto wait_across = [&](bool is_after) {
        for (const Copy& each : copies) {
            if (each.source.empty()) continue;
            const StreamPair pair = streams_of(each);
            const Stream& sender = ranks[each.from].stream;
            const Stream& receiver = ranks[each.to].stream;
            const bool is_ordered = is_between_gpus(each);
            if (is_after) {
                if (!is_ordered) pair.sender.wait(pair.receiver);
                sender.wait(pair.sender);
                receiver.wait(pair.receiver);
            } else {
                pair.sender.wait(sender);
                pair.receiver.wait(receiver);
                if (!is_ordered) pair.receiver.wait(pair.sender);
            }
        }
    };
    wait_across(false);
    for (const Copy& each : copies) {
        if (!each.source.empty()) copy_between(streams_of(each), each.source, each.destination);
    }
    wait_across(true);
    queued_.add(operation, std::move(begin), queued_.record_points(ranks));
}

const StreamPair& ProcessEngine::own_streams(std::size_t from, std::size_t to) {
    const auto found = own_streams_.find({from, to});
    if (found != own_streams_.end()) return found->second;
    const StreamPair made{Stream::create(devices_[from]), Stream::create(devices_[to])};
    return own_streams_.emplace(std::pair(from, to), made).first->second;
}

void ProcessEngine::allgather(std::span<const RankTransfer> ranks) {
    std::vector<Copy> copies;
    for (std::size_t to = 0; to < ranks.size(); ++to) {
        for (std::size_t from = 0; from < ranks.size(); ++from) {
            const std::span<const std::byte> part = ranks[from].sends[0];
            copies.push_back(
                {from, to, part, ranks[to].receives[0].subspan(from * part.size(), part.size())});
        }
    }
    copy("allgather", ranks, copies);
}

void ProcessEngine::all_to_all(std::span<const RankTransfer> ranks) {
    std::vector<Copy> copies;
    for (std::size_t to = 0; to < ranks.size(); ++to) {
        for (std::size_t from = 0; from < ranks.size(); ++from)
            copies.push_back({from, to, ranks[from].sends[to], ranks[to].receives[from]});
    }
    copy("all_to_all", ranks, copies);
}

void ProcessEngine::broadcast(std::span<const RankTransfer> ranks, int root) {
    const auto from = static_cast<std::size_t>(root);
    std::vector<Copy> copies;
    for (std::size_t to = 0; to < ranks.size(); ++to) {
        if (to != from) copies.push_back({from, to, ranks[from].sends[0], ranks[to].receives[0]});
    }
    copy("broadcast", ranks, copies);
}

bool ProcessEngine::poll() {
    if (queued_.settle()) return true;
    if (const auto operation = queued_.overdue()) {
        throw CommunicationError(
            fmt::format(
                "{}: the copies between the ranks of this process take longer than the timeout",
                *operation),
            0,
            -1,
            std::string(*operation));
    }
    return false;
}

void ProcessEngine::wait() {
    for (Patience patience; !poll();) patience.pause();
}

}  // namespace kgen
