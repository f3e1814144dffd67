// SPDX-License-Identifier: MIT
//
// MpiEngine: one rank in each process, on the host. MPI moves the bytes.
//
// Before the bytes of a verb, each rank sends a header to each other one (mpi_header.hpp), so that a missing rank is known
// by its number, and calls that do not match are errors on all ranks. The receives of the next headers are always open. A
// rank that gives up sends a header that says so, which the others see wherever they wait. No call blocks; all are asked
// for completion until the deadline.
//
// MPI cannot take back a transfer that has begun. So after an error in the middle of a verb (a rank that has called it and then
// stopped) MPI may still write to the parts that were to be received, if it is called again for another communicator.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "shard/deadline.hpp"
#include "shard/engine.hpp"
#include "shard/mpi_header.hpp"
#include "shard/mpi_library.hpp"

namespace kgen {

class MpiEngine final : public Engine {
public:
    // MPI counts with an int, so more bytes are moved in slices.
    static constexpr std::size_t largest_slice = std::size_t{1} << 30;

    // Duplicates MPI_COMM_WORLD, for which it waits for the other ranks. Throws CommunicationError, also if MPI has another
    // number of ranks than `size`, or this rank another number than `rank`.
    MpiEngine(int rank,
              int size,
              std::chrono::milliseconds timeout,
              std::size_t slice_bytes = largest_slice);
    ~MpiEngine() override;
    MpiEngine(const MpiEngine&) = delete;
    MpiEngine& operator=(const MpiEngine&) = delete;

    std::string_view name() const noexcept override { return "mpi"; }
    int size() const noexcept override { return size_; }
    std::span<const int> local_ranks() const noexcept override { return {&rank_, 1}; }
    std::span<const Device> devices() const noexcept override { return {&device_, 1}; }

    void allgather(std::span<const RankTransfer> ranks) override;
    void all_to_all(std::span<const RankTransfer> ranks) override;
    void broadcast(std::span<const RankTransfer> ranks, int root) override;
    void barrier() override;
    bool poll() override { return true; }
    void wait() override {}
    void abort() noexcept override;
    bool is_aborted() const noexcept override { return is_aborted_; }

private:
    struct Request {
        MpiHandle handle = 0;
        int peer = -1;
        bool is_done = false;
    };
    // The memory that open requests refer to. After an abort it is never freed, because MPI may still write to it.
    struct Mailbox {
        std::vector<MpiHeader> incoming;
        std::vector<Request> arrivals;  // of `incoming`, one for each rank
        std::vector<MpiHeader> outgoing;
        MpiHeader farewell;
    };

    void duplicate_world();
    // Exchanges headers, and throws unless all ranks make the same call with fitting sizes.
    void meet(MpiVerb verb,
              int root,
              std::span<const std::uint64_t> sent,
              std::span<const std::uint64_t> expected);
    void move(MpiVerb verb,
              std::span<const std::span<const std::byte>> sends,
              std::span<const std::span<std::byte>> receives);
    void await(std::vector<Request>& requests, MpiVerb verb);
    void await_headers(MpiVerb verb, std::vector<Request>& sending);
    bool settle(std::vector<Request>& requests, MpiVerb verb);
    static std::vector<int> open_peers(const std::vector<Request>& requests);
    void open_inbox(int from);
    void check(int code, const char* call, MpiVerb verb, int peer);
    void require_no_farewell(MpiVerb verb);
    void say_farewell(const std::string& reason) noexcept;
    [[noreturn]] void give_up(MpiVerb verb, int peer, const std::string& reason);
    [[noreturn]] void refuse(MpiVerb verb, int peer, const std::string& reason);
    std::string call_text(MpiVerb verb) const;

    MpiLibrary& mpi_;
    MpiHandle comm_ = 0;
    int rank_;
    int size_;
    Device device_ = Device::host();
    std::chrono::milliseconds timeout_;
    std::size_t slice_bytes_;
    std::uint64_t call_ = 0;
    std::unique_ptr<Mailbox> mailbox_;
    std::atomic<bool> is_aborted_ = false;
};

}  // namespace kgen
