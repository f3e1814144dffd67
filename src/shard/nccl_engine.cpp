// SPDX-License-Identifier: MIT
#include "shard/nccl_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <future>
#include <kgen/error.hpp>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "device/registry.hpp"
#include "shard/deadline.hpp"
#include "text/log.hpp"

namespace kgen {

NcclEngine::NcclEngine(const CommunicatorId& id,
                       int first,
                       int size,
                       std::vector<Device> devices,
                       std::chrono::milliseconds timeout)
    : nccl_(NcclLibrary::get()),
      size_(size),
      ranks_(devices.size()),
      devices_(std::move(devices)),
      timeout_(timeout),
      comms_(devices_.size(), nullptr),
      queued_(timeout) {
    std::iota(ranks_.begin(), ranks_.end(), first);
    for (const Device device : devices_) {
        own_streams_.push_back(Stream::create(device));
        const StreamScope scope(own_streams_.back());
        flags_.push_back(empty({size + 1}, uint8, {.device = device}));
    }
    if (devices_.size() == static_cast<std::size_t>(size)) copies_.emplace(devices_, timeout);
    try {
        start(id);
        connect();
        NcclEngine::barrier();
    } catch (...) {
        NcclEngine::abort();
        throw;
    }
}

namespace {

// Runs a function on a thread of its own. Returns false if it takes longer than the timeout; the thread is then left
// behind, so the function must own what it uses. Throws what the function throws.
bool runs_in_time(std::chrono::milliseconds timeout, std::function<void()> function) {
    auto task = std::make_shared<std::packaged_task<void()>>(std::move(function));
    std::future<void> done = task->get_future();
    std::thread([task] { (*task)(); }).detach();
    if (done.wait_for(timeout) == std::future_status::timeout) return false;
    done.get();
    return true;
}

}  // namespace

void NcclEngine::start(const CommunicatorId& id) {
    struct Start {
        std::vector<NcclHandle> comms;
        NcclConfig config;
        int result = nccl_success;
    };
    const auto made = std::make_shared<Start>();
    made->comms.resize(devices_.size(), nullptr);
    const bool is_in_time = runs_in_time(
        timeout_, [made, id, &nccl = nccl_, devices = devices_, ranks = ranks_, size = size_] {
            const auto note = [&](int result) {
                if (result != nccl_success && result != nccl_in_progress) made->result = result;
            };
            backend(devices[0]).call_on_device([&] {
                note(nccl.api().group_start());
                for (std::size_t k = 0; k < devices.size(); ++k) {
                    backend(devices[k]).call_on_device([&] {
                        note(nccl.api().comm_init_rank_config(
                            &made->comms[k], size, NcclId{id}, ranks[k], &made->config));
                    });
                }
                note(nccl.api().group_end());
            });
        });
    constexpr const char* operation = "the start of NCCL";
    if (!is_in_time)
        fail(operation, fmt::format("not all ranks came within {} ms", timeout_.count()));
    comms_ = made->comms;
    if (made->result != nccl_success)
        fail(operation, "NCCL failed: " + nccl_.error_text(made->result));
    await_calls(operation, "not all ranks came");
}

// Sends a byte from each rank to each other. NCCL connects two ranks at their first transfer, for which each waits for
// the other, and allocates memory.
void NcclEngine::connect() {
    std::vector<RankTransfer> ranks;
    for (std::size_t k = 0; k < devices_.size(); ++k) {
        auto* const data = static_cast<std::byte*>(flags_[k].data());
        RankTransfer rank{.sends = {}, .receives = {}, .stream = own_streams_[k]};
        for (int peer = 0; peer < size_; ++peer) {
            rank.sends.emplace_back(data + size_, 1);
            rank.receives.emplace_back(data + peer, 1);
        }
        ranks.push_back(std::move(rank));
    }
    all_to_all(ranks);
}

NcclEngine::~NcclEngine() {
    if (comms_.empty()) return;
    try {
        NcclEngine::wait();
        run_group("the end of NCCL",
                  [&](std::size_t, NcclHandle comm) { return nccl_.api().comm_finalize(comm); });
        release(nccl_.api().comm_destroy);
    } catch (...) {
        NcclEngine::abort();
    }
}

void NcclEngine::abort() noexcept {
    is_aborted_ = true;
    release(nccl_.api().comm_abort);
}

// Both ways to end a communicator wait for the other ranks of this machine (NCCL's documentation calls them "intra-node
// collective"), so a thread of its own makes the call, and is left behind if it takes longer than the timeout.
void NcclEngine::release(int (*call)(NcclHandle)) noexcept {
    try {
        std::vector<NcclHandle> comms;
        {
            // A call that hangs holds the lock. Then only the abort ends it.
            std::unique_lock lock(mutex_, std::defer_lock);
            static_cast<void>(lock.try_lock_for(std::chrono::seconds(1)));
            comms.swap(comms_);
        }
        std::erase(comms, nullptr);
        if (comms.empty()) return;
        const auto run = [&nccl = nccl_, comms, call] {
            nccl.api().group_start();
            for (const NcclHandle comm : comms) call(comm);
            nccl.api().group_end();
        };
        const bool is_in_time = runs_in_time(timeout_, [run, device = devices_.front()] {
            try {
                backend(device).call_on_device(run);
            } catch (
                const DeviceError&) {  // the device is lost, but NCCL has threads and sockets to end
                run();
            }
        });
        if (!is_in_time)
            log().warn("NCCL does not end a communicator within {} ms", timeout_.count());
    } catch (...) {  // without memory or threads nothing can be done
    }
}

void NcclEngine::fail(std::string_view operation, const std::string& reason) {
    abort();
    throw CommunicationError(fmt::format("{}: rank {}: {}", operation, ranks_.front(), reason),
                             ranks_.front(),
                             -1,
                             std::string(operation));
}

bool NcclEngine::are_settled(const char* operation) {
    bool are_settled = true;
    std::string problem;
    {
        const std::lock_guard lock(mutex_);
        if (comms_.empty()) problem = "the communicator was aborted meanwhile";
        for (const NcclHandle comm : comms_) {
            int result = nccl_success;
            int call =
                comm == nullptr ? nccl_success : nccl_.api().comm_get_async_error(comm, &result);
            if (call == nccl_success) call = result;
            if (call == nccl_in_progress) {
                are_settled = false;
            } else if (call != nccl_success) {
                problem = "NCCL failed: " + nccl_.error_text(call);
            }
        }
    }
    if (!problem.empty()) fail(operation, problem);
    return are_settled;
}

void NcclEngine::await_calls(const char* operation, const char* what) {
    Patience patience;
    for (const Deadline deadline(timeout_); !are_settled(operation); patience.pause()) {
        if (deadline.has_passed())
            fail(operation, fmt::format("{} within {} ms", what, timeout_.count()));
    }
}

template <typename Queue>
void NcclEngine::run_group(const char* operation, Queue queue) {
    std::string problem;
    {
        const std::lock_guard lock(mutex_);
        const auto note = [&](int result, const char* call) {
            if (result != nccl_success && result != nccl_in_progress && problem.empty())
                problem = fmt::format("{} failed: {}", call, nccl_.error_text(result));
        };
        const auto queue_all = [&] {
            note(nccl_.api().group_start(), "ncclGroupStart");
            for (std::size_t k = 0; k < comms_.size() && problem.empty(); ++k) {
                try {
                    backend(devices_[k]).call_on_device([&] {
                        note(queue(k, comms_[k]), "a call of NCCL");
                    });
                } catch (const DeviceError& error) {
                    problem = error.what();  // the group must be ended all the same
                }
            }
            note(nccl_.api().group_end(), "ncclGroupEnd");
        };
        if (comms_.empty()) problem = "the communicator was aborted meanwhile";
        // NCCL makes the thread's device current again at the end, which would start GPU 0 on a thread without a device.
        if (problem.empty()) backend(devices_.front()).call_on_device(queue_all);
    }
    if (!problem.empty()) fail(operation, problem);
    await_calls(operation, "not all ranks came");
}

template <typename Queue>
void NcclEngine::run_verb(const char* operation, std::span<const RankTransfer> ranks, Queue queue) {
    std::vector<Event> begin = queued_.record_points(ranks);
    run_group(operation, queue);
    queued_.add(operation, std::move(begin), queued_.record_points(ranks));
}

void NcclEngine::allgather(std::span<const RankTransfer> ranks) {
    if (ranks[0].sends[0].empty()) return;
    run_verb("allgather", ranks, [&](std::size_t k, NcclHandle comm) {
        const std::span<const std::byte> part = ranks[k].sends[0];
        return nccl_.api().all_gather(part.data(),
                                      ranks[k].receives[0].data(),
                                      part.size(),
                                      nccl_char,
                                      comm,
                                      ranks[k].stream.handle());
    });
}

void NcclEngine::broadcast(std::span<const RankTransfer> ranks, int root) {
    const auto bytes_of = [&](std::size_t k) {
        return ranks_[k] == root ? ranks[k].sends[0].size() : ranks[k].receives[0].size();
    };
    if (bytes_of(0) == 0) return;
    run_verb("broadcast", ranks, [&](std::size_t k, NcclHandle comm) {
        // The root's buffers are the same, which means that nothing is copied on the root.
        void* const data = ranks_[k] == root ? const_cast<std::byte*>(ranks[k].sends[0].data())
                                             : ranks[k].receives[0].data();
        return nccl_.api().broadcast(
            data, data, bytes_of(k), nccl_char, root, comm, ranks[k].stream.handle());
    });
}

void NcclEngine::all_to_all(std::span<const RankTransfer> ranks) {
    // Up to this size, NCCL's one launch for all pieces is quicker than a copy for each.
    constexpr std::size_t most_launched_bytes = 8 << 20;
    const auto is_large = [](std::span<const std::byte> part) {
        return part.size() > most_launched_bytes;
    };
    const auto sends_large = [&](const RankTransfer& rank) {
        return std::ranges::any_of(rank.sends, is_large);
    };
    if (copies_ && std::ranges::any_of(ranks, sends_large)) return copies_->all_to_all(ranks);
    run_verb("all_to_all", ranks, [&](std::size_t k, NcclHandle comm) {
        int result = nccl_success;
        const auto note = [&](int each) {
            if (each != nccl_success && each != nccl_in_progress) result = each;
        };
        for (int peer = 0; peer < size_; ++peer) {
            const std::span<const std::byte> out = ranks[k].sends[static_cast<std::size_t>(peer)];
            const std::span<std::byte> in = ranks[k].receives[static_cast<std::size_t>(peer)];
            const NcclStream stream = ranks[k].stream.handle();
            if (peer == ranks_[k] && out.data() == in.data()) continue;
            if (!out.empty())
                note(nccl_.api().send(out.data(), out.size(), nccl_char, peer, comm, stream));
            if (!in.empty())
                note(nccl_.api().receive(in.data(), in.size(), nccl_char, peer, comm, stream));
        }
        return result;
    });
}

void NcclEngine::barrier() {
    std::vector<RankTransfer> ranks;
    for (std::size_t k = 0; k < devices_.size(); ++k) {
        auto* const data = static_cast<std::byte*>(flags_[k].data());
        const auto count = static_cast<std::size_t>(size_);
        ranks.push_back({.sends = {std::span<const std::byte>(data + count, 1)},
                         .receives = {std::span<std::byte>(data, count)},
                         .stream = own_streams_[k]});
    }
    run_verb("barrier", ranks, [&](std::size_t k, NcclHandle comm) {
        return nccl_.api().all_gather(ranks[k].sends[0].data(),
                                      ranks[k].receives[0].data(),
                                      1,
                                      nccl_char,
                                      comm,
                                      own_streams_[k].handle());
    });
    wait();
}

bool NcclEngine::poll() {
    are_settled("poll");
    try {
        if (queued_.settle()) return !copies_ || copies_->poll();
    } catch (const DeviceError&) {
        abort();
        throw;
    }
    if (const auto operation = queued_.overdue()) {
        fail(*operation, fmt::format("not all ranks took part within {} ms", timeout_.count()));
    }
    return false;
}

void NcclEngine::wait() {
    for (Patience patience; !poll();) patience.pause();
}

}  // namespace kgen
