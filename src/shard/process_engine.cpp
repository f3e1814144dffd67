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
    for (const Device device : devices_) {
        const Backend& target = backend(device);
        for (const Device source : devices_) {
            if (source != device && source.kind() == device.kind())
                target.require_peer(backend(source));
        }
    }
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
    std::vector<Copy> between, near;
    for (const Copy& each : copies) {
        if (!each.source.empty()) (is_between_gpus(each) ? between : near).push_back(each);
    }
    copy_between_gpus(ranks, between);
    // The receiver waits for the sender, so that the bytes are there. Afterwards the sender waits, so that it does not
    // overwrite or free the bytes too early.
    for (const Copy& each : near) ranks[each.to].stream.wait(ranks[each.from].stream);
    for (const Copy& each : near) {
        copy_between(
            {ranks[each.from].stream, ranks[each.to].stream}, each.source, each.destination);
    }
    for (const Copy& each : near) ranks[each.from].stream.wait(ranks[each.to].stream);
    wait_for_routes(ranks, between);
    queued_.add(operation, std::move(begin), queued_.record_points(ranks));
}

// Copies between two GPUs have streams of their own, because copies in both directions on the ranks' streams would wait
// for each other. These streams wait for those of the ranks, by one event of each rank.
void ProcessEngine::copy_between_gpus(std::span<const RankTransfer> ranks,
                                      std::span<const Copy> copies) {
    if (copies.empty()) return;
    std::vector<Event> starts;
    for (const RankTransfer& rank : ranks) {
        starts.emplace_back(rank.stream.device());
        starts.back().record(rank.stream);
    }
    for (const Copy& each : copies) {
        Route& route = route_between(each.from, each.to);
        route.streams.sender.wait(starts[each.from]);
        route.streams.receiver.wait(starts[each.to]);
        copy_between(route.streams, each.source, each.destination);
        route.end.record(route.streams.receiver);
    }
}

void ProcessEngine::wait_for_routes(std::span<const RankTransfer> ranks,
                                    std::span<const Copy> copies) {
    for (const Copy& each : copies) {
        const Event& end = route_between(each.from, each.to).end;
        ranks[each.from].stream.wait(end);
        ranks[each.to].stream.wait(end);
    }
}

ProcessEngine::Route& ProcessEngine::route_between(std::size_t from, std::size_t to) {
    const auto found = routes_.find({from, to});
    if (found != routes_.end()) return found->second;
    Route route{{Stream::create(devices_[from]), Stream::create(devices_[to])},
                Event(devices_[to])};
    return routes_.emplace(std::pair(from, to), std::move(route)).first->second;
}

// At each time, every rank sends to another one.
template <typename Add>
void ProcessEngine::each_pair(Add add) {
    const std::size_t count = ranks_.size();
    for (std::size_t step = 0; step < count; ++step) {
        for (std::size_t to = 0; to < count; ++to) add((to + step) % count, to);
    }
}

void ProcessEngine::allgather(std::span<const RankTransfer> ranks) {
    std::vector<Copy> copies;
    each_pair([&](std::size_t from, std::size_t to) {
        const std::span<const std::byte> part = ranks[from].sends[0];
        copies.push_back(
            {from, to, part, ranks[to].receives[0].subspan(from * part.size(), part.size())});
    });
    copy("allgather", ranks, copies);
}

void ProcessEngine::all_to_all(std::span<const RankTransfer> ranks) {
    std::vector<Copy> copies;
    each_pair([&](std::size_t from, std::size_t to) {
        copies.push_back({from, to, ranks[from].sends[to], ranks[to].receives[from]});
    });
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
