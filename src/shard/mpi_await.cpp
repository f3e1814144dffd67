// SPDX-License-Identifier: MIT
//
// How MpiEngine waits for other ranks, and how it gives up.
#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>

#include "shard/mpi_engine.hpp"
#include "text/list.hpp"

namespace kgen {

namespace {

// Returns "rank 1" or "ranks 1, 3".
std::string name_ranks(const std::vector<int>& ranks) {
    return fmt::format("rank{} {}", ranks.size() > 1 ? "s" : "", fmt::join(ranks, ", "));
}

}  // namespace

// Tells the others that this rank goes no further. The lock is held.
void MpiEngine::say_farewell(const std::string& reason) noexcept {
    if (is_aborted_.exchange(true)) return;
    mpi_.skip_finalize();
    if (mpi_.is_finalized()) return;
    mailbox_->farewell.verb = MpiVerb::farewell;
    mailbox_->farewell.call = call_;
    mailbox_->farewell.set_reason(reason);
    for (int peer = 0; peer < size_; ++peer) {
        if (peer == rank_) continue;
        // A header is short enough to leave at once, so nobody has to ask for its completion.
        MpiHandle request = 0;
        mpi_.api().isend(&mailbox_->farewell,
                         sizeof(MpiHeader),
                         mpi_.byte(),
                         peer,
                         mpi_header_tag,
                         comm_,
                         &request);
    }
}

void MpiEngine::abort() noexcept {
    const std::lock_guard lock(mpi_.mutex());
    say_farewell("abort() was called there, or an operation failed");
}

void MpiEngine::give_up(MpiVerb verb, int peer, const std::string& reason) {
    say_farewell(reason);
    refuse(verb, peer, reason);
}

// For what all ranks know already.
void MpiEngine::refuse(MpiVerb verb, int peer, const std::string& reason) {
    is_aborted_ = true;
    throw CommunicationError(
        fmt::format("{}: {}", call_text(verb), reason), rank_, peer, to_text(verb));
}

void MpiEngine::check(int code, const char* call, MpiVerb verb, int peer) {
    if (code != 0) give_up(verb, peer, fmt::format("{} failed: {}", call, mpi_.error_text(code)));
}

void MpiEngine::require_no_farewell(MpiVerb verb) {
    for (const Request& arrival : mailbox_->arrivals) {
        if (!arrival.is_done || arrival.peer == rank_) continue;
        const MpiHeader& header = mailbox_->incoming[static_cast<std::size_t>(arrival.peer)];
        if (header.verb != MpiVerb::farewell) continue;
        mpi_.skip_finalize();
        refuse(verb,
               arrival.peer,
               fmt::format("rank {} gave up: {}", arrival.peer, header.reason.data()));
    }
}

// Returns whether all are complete. The lock is held.
bool MpiEngine::settle(std::vector<Request>& requests, MpiVerb verb) {
    bool are_done = true;
    for (Request& request : requests) {
        if (request.is_done) continue;
        int code = 0;
        request.is_done = mpi_.is_complete(request.handle, code);
        check(code, "MPI_Test", verb, request.peer);
        are_done = are_done && request.is_done;
    }
    return are_done;
}

// Returns the peers of requests that are not complete, each once.
std::vector<int> MpiEngine::open_peers(const std::vector<Request>& requests) {
    std::vector<int> peers;
    for (const Request& request : requests) {
        if (!request.is_done) add_once(peers, request.peer);
    }
    std::sort(peers.begin(), peers.end());
    return peers;
}

// Waits until all are complete. A farewell that arrives meanwhile ends the wait.
void MpiEngine::await(std::vector<Request>& requests, MpiVerb verb) {
    Patience patience;
    Deadline deadline(timeout_);
    const auto left = [&] {
        return std::count_if(requests.begin(), requests.end(), [](const Request& request) {
            return !request.is_done;
        });
    };
    for (auto before = left(); before != 0;) {
        {
            const std::lock_guard lock(mpi_.mutex());
            if (is_aborted_) refuse(verb, -1, "the communicator was aborted meanwhile");
            settle(mailbox_->arrivals, verb);
            require_no_farewell(verb);
            if (settle(requests, verb)) return;
        }
        if (const auto now = left(); now != before) {
            before = now;
            deadline.renew();
            patience.reset();
        }
        if (deadline.has_passed()) {
            const std::vector<int> open = open_peers(requests);
            const std::lock_guard lock(mpi_.mutex());
            give_up(verb,
                    open.front(),
                    fmt::format("nothing moved between it and {} for {} ms",
                                name_ranks(open),
                                timeout_.count()));
        }
        patience.pause();
    }
}

void MpiEngine::await_headers(MpiVerb verb, std::vector<Request>& sending) {
    Patience patience;
    const Deadline deadline(timeout_);
    for (;;) {
        {
            const std::lock_guard lock(mpi_.mutex());
            if (is_aborted_) refuse(verb, -1, "the communicator was aborted meanwhile");
            const bool have_arrived = settle(mailbox_->arrivals, verb);
            require_no_farewell(verb);
            if (settle(sending, verb) && have_arrived) return;
        }
        if (deadline.has_passed()) {
            std::vector<int> missing = open_peers(mailbox_->arrivals);
            if (missing.empty()) missing = open_peers(sending);
            const std::lock_guard lock(mpi_.mutex());
            give_up(verb,
                    missing.front(),
                    fmt::format(
                        "{} did not call it within {} ms", name_ranks(missing), timeout_.count()));
        }
        patience.pause();
    }
}

}  // namespace kgen
