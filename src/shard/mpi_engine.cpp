// SPDX-License-Identifier: MIT
#include "shard/mpi_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <kgen/error.hpp>
#include <utility>

#include "memory/host_order.hpp"
#include "shard/transfer_checks.hpp"

namespace kgen {

MpiEngine::MpiEngine(int rank, int size, std::chrono::milliseconds timeout, std::size_t slice_bytes)
    : mpi_(MpiLibrary::get()),
      rank_(rank),
      size_(size),
      timeout_(timeout),
      slice_bytes_(slice_bytes),
      mailbox_(std::make_unique<Mailbox>()) {
    const std::lock_guard lock(mpi_.mutex());
    int found_size = 0;
    int found_rank = 0;
    mpi_.api().comm_size(mpi_.world(), &found_size);
    mpi_.api().comm_rank(mpi_.world(), &found_rank);
    if (found_size != size || found_rank != rank) {
        throw CommunicationError(
            fmt::format(
                "the environment says rank {} of {}, but MPI '{}' says rank {} of {}; start the "
                "ranks with mpirun of this MPI, or set KGEN_MPI_PATH to the library of the mpirun "
                "that started them",
                rank,
                size,
                mpi_.path(),
                found_rank,
                found_size),
            rank);
    }
    duplicate_world();
    const auto count = static_cast<std::size_t>(size);
    mailbox_->incoming.resize(count);
    mailbox_->arrivals.resize(count);
    mailbox_->outgoing.resize(count);
    for (int peer = 0; peer < size; ++peer) open_inbox(peer);
}

MpiEngine::~MpiEngine() {
    const std::lock_guard lock(mpi_.mutex());
    if (is_aborted_ || mpi_.is_finalized()) {
        static_cast<void>(mailbox_.release());  // MPI may still write to it
        return;
    }
    bool is_closed = true;
    for (Request& arrival : mailbox_->arrivals) {
        if (arrival.is_done) continue;
        mpi_.api().cancel(&arrival.handle);
        int code = 0;
        is_closed = mpi_.is_complete(arrival.handle, code) && is_closed;
    }
    if (!is_closed) static_cast<void>(mailbox_.release());
    // The ranks free it at different times, which the standard allows: it expects that this call is local (MPI 4.1, 7.4.3).
    mpi_.api().comm_free(&comm_);
}

// The lock is held. It is given back in pauses.
void MpiEngine::duplicate_world() {
    MpiHandle request = 0;
    auto copy = std::make_unique<MpiHandle>(0);
    if (const int code = mpi_.api().comm_idup(mpi_.world(), copy.get(), &request); code != 0)
        throw CommunicationError("MPI_Comm_idup failed: " + mpi_.error_text(code), rank_);
    Patience patience;
    const Deadline deadline(timeout_);
    for (int code = 0; !mpi_.is_complete(request, code);) {
        if (code != 0)
            throw CommunicationError("MPI_Comm_idup failed: " + mpi_.error_text(code), rank_);
        if (deadline.has_passed()) {
            mpi_.skip_finalize();
            static_cast<void>(copy.release());  // MPI may still write to it
            throw CommunicationError(fmt::format("rank {}: some of the other {} ranks did not make "
                                                 "the communicator within {} ms",
                                                 rank_,
                                                 size_ - 1,
                                                 timeout_.count()),
                                     rank_);
        }
        mpi_.mutex().unlock();
        patience.pause();
        mpi_.mutex().lock();
    }
    comm_ = *copy;
    mpi_.api().comm_set_errhandler(comm_, mpi_.returning_handler());
}

std::string MpiEngine::call_text(MpiVerb verb) const {
    return fmt::format("{}, call {}: rank {}", to_text(verb), call_, rank_);
}

void MpiEngine::open_inbox(int from) {
    const auto k = static_cast<std::size_t>(from);
    mailbox_->arrivals[k] = {.peer = from, .is_done = from == rank_};
    if (from == rank_) return;
    check(mpi_.api().irecv(&mailbox_->incoming[k],
                           sizeof(MpiHeader),
                           mpi_.byte(),
                           from,
                           mpi_header_tag,
                           comm_,
                           &mailbox_->arrivals[k].handle),
          "MPI_Irecv",
          MpiVerb::barrier,
          from);
}

void MpiEngine::meet(MpiVerb verb,
                     int root,
                     std::span<const std::uint64_t> sent,
                     std::span<const std::uint64_t> expected) {
    require_host_elements(device_);
    const std::uint64_t balance = size_balance(rank_, sent, expected);
    std::vector<Request> sending;
    {
        const std::lock_guard lock(mpi_.mutex());
        ++call_;
        for (int peer = 0; peer < size_; ++peer) {
            if (peer == rank_) continue;
            const auto k = static_cast<std::size_t>(peer);
            mailbox_->outgoing[k] = {.verb = verb,
                                     .root = root,
                                     .call = call_,
                                     .sent = sent[k],
                                     .expected = expected[k],
                                     .balance = balance};
            sending.push_back({.peer = peer});
            check(mpi_.api().isend(&mailbox_->outgoing[k],
                                   sizeof(MpiHeader),
                                   mpi_.byte(),
                                   peer,
                                   mpi_header_tag,
                                   comm_,
                                   &sending.back().handle),
                  "MPI_Isend",
                  verb,
                  peer);
        }
    }
    await_headers(verb, sending);

    const std::lock_guard lock(mpi_.mutex());
    const std::vector<MpiHeader> headers = mailbox_->incoming;
    for (int peer = 0; peer < size_; ++peer) open_inbox(peer);
    std::uint64_t sum = balance;
    for (int peer = 0; peer < size_; ++peer) {
        if (peer == rank_) continue;
        const MpiHeader& header = headers[static_cast<std::size_t>(peer)];
        sum += header.balance;
        if (header.verb == verb && header.root == root && header.call == call_) continue;
        const auto described = [](MpiVerb called, int its_root, std::uint64_t number) {
            return called == MpiVerb::broadcast
                       ? fmt::format("broadcast from rank {} (call {})", its_root, number)
                       : fmt::format("{} (call {})", to_text(called), number);
        };
        refuse(verb,
               peer,
               fmt::format("this rank called {}, but rank {} called {}; all ranks must call the "
                           "same operations in the same "
                           "order",
                           described(verb, root, call_),
                           peer,
                           described(header.verb, header.root, header.call)));
    }
    for (int peer = 0; peer < size_; ++peer) {
        if (peer == rank_) continue;
        const auto k = static_cast<std::size_t>(peer);
        if (headers[k].sent != expected[k])
            refuse(verb, peer, size_disagreement(peer, headers[k].sent, rank_, expected[k]));
        if (headers[k].expected != sent[k])
            refuse(verb, peer, size_disagreement(rank_, sent[k], peer, headers[k].expected));
    }
    // A rank that gave up meanwhile sent its header before, so its farewell comes next.
    settle(mailbox_->arrivals, verb);
    require_no_farewell(verb);
    if (sum != 0)
        refuse(
            verb,
            -1,
            "two other ranks disagree on the number of bytes between them; their errors name them");
}

void MpiEngine::move(MpiVerb verb,
                     std::span<const std::span<const std::byte>> sends,
                     std::span<const std::span<std::byte>> receives) {
    std::vector<Request> requests;
    {
        const std::lock_guard lock(mpi_.mutex());
        const auto slice = [&](int peer, std::size_t bytes, auto&& start) {
            for (std::size_t at = 0; at < bytes; at += slice_bytes_) {
                requests.push_back({.peer = peer});
                check(start(at,
                            static_cast<int>(std::min(slice_bytes_, bytes - at)),
                            requests.back().handle),
                      "a transfer of MPI",
                      verb,
                      peer);
            }
        };
        // Each rank begins with the rank after it, so that not all send to the same one first.
        for (int step = 1; step < size_; ++step) {
            const int to = (rank_ + step) % size_;
            const int from = (rank_ + size_ - step) % size_;
            const std::span<std::byte> in = receives[static_cast<std::size_t>(from)];
            const std::span<const std::byte> out = sends[static_cast<std::size_t>(to)];
            slice(from, in.size(), [&](std::size_t at, int bytes, MpiHandle& request) {
                return mpi_.api().irecv(
                    in.data() + at, bytes, mpi_.byte(), from, mpi_data_tag, comm_, &request);
            });
            slice(to, out.size(), [&](std::size_t at, int bytes, MpiHandle& request) {
                return mpi_.api().isend(
                    out.data() + at, bytes, mpi_.byte(), to, mpi_data_tag, comm_, &request);
            });
        }
    }
    const std::span<std::byte> own = receives[static_cast<std::size_t>(rank_)];
    if (!own.empty())
        std::memmove(own.data(), sends[static_cast<std::size_t>(rank_)].data(), own.size());
    await(requests, verb);
}

void MpiEngine::allgather(std::span<const RankTransfer> ranks) {
    const std::span<const std::byte> part = ranks[0].sends[0];
    const auto count = static_cast<std::size_t>(size_);
    const std::vector<std::uint64_t> bytes(count, part.size());
    meet(MpiVerb::allgather, 0, bytes, bytes);
    const std::vector<std::span<const std::byte>> sends(count, part);
    std::vector<std::span<std::byte>> receives;
    for (std::size_t k = 0; k < count; ++k)
        receives.push_back(ranks[0].receives[0].subspan(k * part.size(), part.size()));
    move(MpiVerb::allgather, sends, receives);
}

void MpiEngine::all_to_all(std::span<const RankTransfer> ranks) {
    std::vector<std::uint64_t> sent;
    std::vector<std::uint64_t> expected;
    for (const auto& part : ranks[0].sends) sent.push_back(part.size());
    for (const auto& part : ranks[0].receives) expected.push_back(part.size());
    meet(MpiVerb::all_to_all, 0, sent, expected);
    move(MpiVerb::all_to_all, ranks[0].sends, ranks[0].receives);
}

void MpiEngine::broadcast(std::span<const RankTransfer> ranks, int root) {
    const bool is_root = rank_ == root;
    const std::size_t bytes = is_root ? ranks[0].sends[0].size() : ranks[0].receives[0].size();
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(size_));
    std::vector<std::uint64_t> expected(sent.size());
    if (is_root) std::fill(sent.begin(), sent.end(), bytes);
    if (!is_root) expected[static_cast<std::size_t>(root)] = bytes;
    meet(MpiVerb::broadcast, root, sent, expected);
    // MPI_Ibcast takes a buffer that it does not write on the root.
    std::byte* const data =
        is_root ? const_cast<std::byte*>(ranks[0].sends[0].data()) : ranks[0].receives[0].data();
    std::vector<Request> requests;
    {
        const std::lock_guard lock(mpi_.mutex());
        for (std::size_t at = 0; at < bytes; at += slice_bytes_) {
            requests.push_back({.peer = root});
            check(mpi_.api().ibcast(data + at,
                                    static_cast<int>(std::min(slice_bytes_, bytes - at)),
                                    mpi_.byte(),
                                    root,
                                    comm_,
                                    &requests.back().handle),
                  "MPI_Ibcast",
                  MpiVerb::broadcast,
                  root);
        }
    }
    await(requests, MpiVerb::broadcast);
}

void MpiEngine::barrier() {
    const std::vector<std::uint64_t> nothing(static_cast<std::size_t>(size_));
    meet(MpiVerb::barrier, 0, nothing, nothing);
}

}  // namespace kgen
