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
void copy_between(const RankTransfer& from,
                  std::span<const std::byte> source,
                  const RankTransfer& to,
                  std::span<std::byte> destination) {
    const Device source_device = from.stream.device();
    const Device device = to.stream.device();
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
            .copy(target, data, bytes, CopyDirection::device_to_host, from.stream.handle());
    } else if (reads_host) {
        require_host_elements(source_device);
        backend(device).copy(
            target, data, bytes, CopyDirection::host_to_device, to.stream.handle());
    } else if (source_device == device) {
        backend(device).copy(
            target, data, bytes, CopyDirection::device_to_device, to.stream.handle());
    } else {
        backend(device).copy_from_peer(
            target, data, bytes, backend(source_device), from.stream.handle(), to.stream.handle());
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
    std::vector<Event> begin = record_points(ranks);
    // The receiver's stream waits for the sender's before the copies, so that the bytes are there; the sender's waits for
    // the receiver's after them, so that it does not overwrite or free the bytes too early.
    const auto wait_across = [&](bool is_after) {
        for (const Copy& each : copies) {
            if (each.source.empty()) continue;
            const Stream& sender = ranks[each.from].stream;
            const Stream& receiver = ranks[each.to].stream;
            if (is_after) {
                sender.wait(receiver);
            } else {
                receiver.wait(sender);
            }
        }
    };
    wait_across(false);
    for (const Copy& each : copies) {
        if (!each.source.empty())
            copy_between(ranks[each.from], each.source, ranks[each.to], each.destination);
    }
    wait_across(true);
    queued_.add(operation, std::move(begin), record_points(ranks));
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
