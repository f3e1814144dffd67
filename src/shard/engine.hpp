// SPDX-License-Identifier: MIT
//
// Engine: moves bytes between the ranks of a communicator. Four verbs, which all ranks call in the same order.
#pragma once

#include <cstddef>
#include <kgen/device.hpp>
#include <kgen/stream.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace kgen {

// The part of one rank of this process in a verb. The memory is on the rank's device. It is read and written in the order
// of the stream: on a GPU a verb may return earlier, on the host it is complete on return.
struct RankTransfer {
    std::vector<std::span<const std::byte>> sends;
    std::vector<std::span<std::byte>> receives;
    Stream stream;
};

// Every verb takes one RankTransfer for each rank of this process, in the order of local_ranks(). One thread at a time
// may call a verb. Verbs throw CommunicationError, which names rank, peer and operation, if a rank is missing for longer
// than the timeout, fails, or calls another verb, as far as the engine can tell. Afterwards the engine is aborted, and
// every verb throws.
class Engine {
public:
    virtual ~Engine() = default;

    virtual std::string_view name() const noexcept = 0;
    virtual int size() const noexcept = 0;
    virtual std::span<const int> local_ranks() const noexcept = 0;
    virtual std::span<const Device> devices() const noexcept = 0;  // of local_ranks()

    // Sends `sends[0]`, which has the same size on all ranks, to all ranks. `receives[0]` is `size()` times as long and
    // gets the parts in the order of the ranks.
    virtual void allgather(std::span<const RankTransfer> ranks) = 0;
    // Sends `sends[k]` to rank k and receives `receives[k]` from it. The sizes of the two ends must agree; empty ones move
    // nothing. A rank's part for itself is copied.
    virtual void all_to_all(std::span<const RankTransfer> ranks) = 0;
    // Sends `sends[0]` of rank `root` to `receives[0]` of all other ranks. On the others `sends` is empty.
    virtual void broadcast(std::span<const RankTransfer> ranks, int root) = 0;
    // Returns when all ranks have called it.
    virtual void barrier() = 0;

    // Throws CommunicationError if a verb that was queued before has failed or waits for longer than the timeout.
    // Returns whether all of them are done.
    virtual bool poll() = 0;
    // Waits until all verbs that were queued are done, at most for the timeout.
    virtual void wait() = 0;

    virtual void abort() noexcept = 0;
    virtual bool is_aborted() const noexcept = 0;
};

}  // namespace kgen
