// SPDX-License-Identifier: MIT
//
// NcclEngine: ranks on GPUs, of this process alone or of several. NCCL moves the bytes, in the order of the ranks' streams.
//
// The start connects each rank with each other rank, on a thread that is left behind if a rank is missing. After that,
// calls only put work into streams, and do not wait for other ranks. So a missing rank is an error and not a hang. NCCL
// cannot tell which rank is missing, nor whether the ranks of other processes make another call.
#pragma once

#include <atomic>
#include <chrono>
#include <kgen/array.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "shard/nccl_library.hpp"
#include "shard/process_engine.hpp"
#include "shard/queued_verbs.hpp"

namespace kgen {

class NcclEngine final : public Engine {
public:
    // This process has the ranks `first`, `first` + 1, ..., one for each device, out of `size`. Waits for the others.
    // Throws CommunicationError, or DeviceError if a device is not present.
    NcclEngine(const CommunicatorId& id,
               int first,
               int size,
               std::vector<Device> devices,
               std::chrono::milliseconds timeout);
    ~NcclEngine() override;
    NcclEngine(const NcclEngine&) = delete;
    NcclEngine& operator=(const NcclEngine&) = delete;

    std::string_view name() const noexcept override { return "nccl"; }
    int size() const noexcept override { return size_; }
    std::span<const int> local_ranks() const noexcept override { return ranks_; }
    std::span<const Device> devices() const noexcept override { return devices_; }

    void allgather(std::span<const RankTransfer> ranks) override;
    void all_to_all(std::span<const RankTransfer> ranks) override;
    void broadcast(std::span<const RankTransfer> ranks, int root) override;
    void barrier() override;
    bool poll() override;
    void wait() override;
    void abort() noexcept override;
    bool is_aborted() const noexcept override { return is_aborted_; }

private:
    // Calls `queue(k, communicator)` for each rank of this process, all as one group of NCCL, and waits until NCCL has
    // put the work into the streams.
    template <typename Queue>
    void run_group(const char* operation, Queue queue);
    template <typename Queue>
    void run_verb(const char* operation, std::span<const RankTransfer> ranks, Queue queue);
    // Waits until no call on the communicators is in progress.
    void await_calls(const char* operation, const char* what);
    // Returns whether none is in progress. Throws if NCCL reports an error.
    bool are_settled(const char* operation);
    void start(const CommunicatorId& id);
    void connect();
    void release(int (*call)(NcclHandle)) noexcept;
    [[noreturn]] void fail(std::string_view operation, const std::string& reason);

    const NcclLibrary& nccl_;
    int size_;
    std::vector<int> ranks_;
    std::vector<Device> devices_;
    std::chrono::milliseconds timeout_;
    std::timed_mutex mutex_;           // guards comms_, which abort() empties
    std::vector<NcclHandle> comms_;    // of ranks_; empty after an abort
    std::vector<Array> flags_;         // what barriers exchange
    std::vector<Stream> own_streams_;  // of barriers
    QueuedVerbs queued_;
    // Moves large pieces if all ranks are in this process: copies of the driver reach 395 GB/s between two H100, NCCL 310.
    std::optional<ProcessEngine> copies_;
    std::atomic<bool> is_aborted_ = false;
};

}  // namespace kgen
