// SPDX-License-Identifier: MIT
//
// ProcessEngine: all ranks are in this process, which copies between their memories. A device may have several ranks.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "shard/queued_verbs.hpp"

namespace kgen {

// The streams of a copy, one on each of two devices.
struct StreamPair {
    Stream sender;
    Stream receiver;
};

class ProcessEngine final : public Engine {
public:
    // Throws DeviceError if a device is not present, or if two of them cannot exchange data.
    ProcessEngine(std::vector<Device> devices, std::chrono::milliseconds timeout);

    std::string_view name() const noexcept override { return "process"; }
    int size() const noexcept override { return static_cast<int>(devices_.size()); }
    std::span<const int> local_ranks() const noexcept override { return ranks_; }
    std::span<const Device> devices() const noexcept override { return devices_; }

    void allgather(std::span<const RankTransfer> ranks) override;
    void all_to_all(std::span<const RankTransfer> ranks) override;
    void broadcast(std::span<const RankTransfer> ranks, int root) override;
    void barrier() override {}
    bool poll() override;
    void wait() override;
    void abort() noexcept override { is_aborted_ = true; }
    bool is_aborted() const noexcept override { return is_aborted_; }

private:
    struct Copy {
        std::size_t from;
        std::size_t to;
        std::span<const std::byte> source;
        std::span<std::byte> destination;
    };
    // The copies from one rank to another one on another GPU.
    struct Route {
        StreamPair streams;
        Event end;  // of the last copy
    };
    template <typename Add>
    void each_pair(Add add);
    void copy(const char* operation,
              std::span<const RankTransfer> ranks,
              std::span<const Copy> copies);
    void copy_between_gpus(std::span<const RankTransfer> ranks, std::span<const Copy> copies);
    // Lets the ranks' streams wait for the copies between GPUs.
    void wait_for_routes(std::span<const RankTransfer> ranks, std::span<const Copy> copies);
    Route& route_between(std::size_t from, std::size_t to);

    std::vector<int> ranks_;
    std::vector<Device> devices_;
    std::map<std::pair<std::size_t, std::size_t>, Route> routes_;
    QueuedVerbs queued_;
    std::atomic<bool> is_aborted_ = false;
};

}  // namespace kgen
