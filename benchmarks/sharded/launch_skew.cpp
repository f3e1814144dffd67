// SPDX-License-Identifier: MIT
//
// Each kernel adds 1 to a counter of its GPU in pinned host memory, and a thread watches the counters. The times of the
// first and the last counter to change tell how far apart the GPUs start, on one clock. A counter's way over PCIe takes
// about as long on all GPUs.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "sharded_bench.hpp"

namespace kgen::bench {

namespace {

constexpr int counter_step = 16;  // each counter has a cache line
constexpr int chain_length = 20;
constexpr int trials = 101;

using Clock = std::chrono::steady_clock;

// Counters of the GPUs, and a thread that notes when each reaches its next value.
class Counters {
public:
    explicit Counters(int count)
        : memory_(empty_pinned({count * counter_step}, int32)),
          values_(static_cast<int*>(memory_.data())),
          reached_(static_cast<std::size_t>(count)),
          watching_([this] { watch(); }) {
        std::fill_n(values_, memory_.size(), 0);
    }
    ~Counters() {
        is_ending_ = true;
        watching_.join();
    }
    Counters(const Counters&) = delete;
    Counters& operator=(const Counters&) = delete;

    std::uint64_t address(int rank) const {
        return reinterpret_cast<std::uintptr_t>(values_ + rank * counter_step);
    }

    // Begins to wait until each counter has grown by so much.
    void expect(int growth) {
        goal_ += growth;
        is_waiting_ = true;
    }
    // Returns when each counter reached its goal.
    const std::vector<Clock::time_point>& times() const {
        while (is_waiting_) std::this_thread::yield();
        return reached_;
    }

private:
    void watch() {
        while (!is_ending_) {
            if (!is_waiting_) continue;
            std::vector<bool> is_done(reached_.size(), false);
            for (std::size_t left = reached_.size(); left > 0 && !is_ending_;) {
                for (std::size_t k = 0; k < reached_.size(); ++k) {
                    const std::atomic_ref<int> value(values_[k * counter_step]);
                    if (is_done[k] || value.load() < goal_) continue;
                    reached_[k] = Clock::now();
                    is_done[k] = true;
                    --left;
                }
            }
            is_waiting_ = false;
        }
    }

    Array memory_;
    int* values_;
    std::vector<Clock::time_point> reached_;
    std::atomic<int> goal_ = 0;
    std::atomic<bool> is_waiting_ = false;
    std::atomic<bool> is_ending_ = false;
    std::thread watching_;
};

// Makes streams of their own current on all devices of the ranks.
class OwnStreams {
public:
    explicit OwnStreams(const Communicator& ranks) {
        for (const int rank : ranks.local_ranks()) {
            streams.push_back(Stream::create(ranks.device(rank)));
            scopes_.push_back(std::make_unique<StreamScope>(streams.back()));
        }
    }
    ~OwnStreams() {
        while (!scopes_.empty()) scopes_.pop_back();
    }
    OwnStreams(const OwnStreams&) = delete;
    OwnStreams& operator=(const OwnStreams&) = delete;

    std::vector<Stream> streams;

private:
    std::vector<std::unique_ptr<StreamScope>> scopes_;
};

// A thread for each rank, which calls a function when all are told to.
class RankThreads {
public:
    RankThreads(int count, const std::function<void(int)>& call) {
        for (int rank = 0; rank < count; ++rank) {
            threads_.emplace_back([this, rank, call] {
                for (int round = 1;; ++round) {
                    while (round_ < round) {
                    }
                    if (is_ending_) return;
                    call(rank);
                }
            });
        }
    }
    ~RankThreads() {
        is_ending_ = true;
        ++round_;
        for (std::thread& thread : threads_) thread.join();
    }
    RankThreads(const RankThreads&) = delete;
    RankThreads& operator=(const RankThreads&) = delete;

    void run() { ++round_; }

private:
    std::atomic<int> round_ = 0;
    std::atomic<bool> is_ending_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace

void measure_launch_skew(const ShardedBench& bench) {
    const Communicator& ranks = bench.ranks;
    const int count = ranks.size();
    if (static_cast<int>(ranks.local_ranks().size()) < count || count == 1) return;
    Counters counters(count);
    const OwnStreams own(ranks);
    const ElementwiseKernel mark(
        "float32 x, uint64 counters, int32 step",
        "float32 z",
        "z = x; "
        "if (i % 1024 == 0) { "
        "  volatile int* counter = (volatile int*)counters + i / 1024 * step; "
        "  *counter = *counter + 1; }",
        "mark");
    const ShardedArray x = empty_sharded({1024 * count}, float32, Sharding::split(0), ranks);
    for (const int rank : ranks.local_ranks()) x.local(rank).assign(Scalar(1));
    const auto call_all = [&] { mark(x, counters.address(0), counter_step, out(x)); };
    const auto call_one = [&](int rank) {
        mark(x.local(rank), counters.address(rank), counter_step, out(x.local(rank)));
    };

    const auto measure =
        [&](const std::string& name, int growth, const std::function<void()>& launch) {
            std::vector<double> skews, delays, returns;
            for (int trial = -20; trial < trials; ++trial) {
                bench.finish();
                counters.expect(growth);
                const auto start = Clock::now();
                launch();
                const double returned = us_since(start);
                const auto times = counters.times();
                const auto [first, last] = std::minmax_element(times.begin(), times.end());
                if (trial < 0) continue;
                const auto us = [](auto duration) {
                    return std::chrono::duration<double, std::micro>(duration).count();
                };
                skews.push_back(us(*last - *first));
                delays.push_back(us(*last - start));
                returns.push_back(returned);
            }
            bench.tell("skew: " + name,
                       median(skews),
                       fmt::format("the last after {:.1f} us, returned after {:.1f}",
                                   median(delays),
                                   median(returns)));
        };
    const auto chain = [](const auto& call) {
        return [call] {
            for (int k = 0; k < chain_length; ++k) call();
        };
    };
    measure("a call, one thread", 1, call_all);
    measure("20 calls, one thread", chain_length, chain(call_all));
    {
        std::vector<BoundLaunch> bound;
        for (const int rank : ranks.local_ranks()) {
            bound.push_back(
                mark.bind(x.local(rank), counters.address(rank), counter_step, out(x.local(rank))));
        }
        const auto launch_all = [&] {
            for (const BoundLaunch& launch : bound) launch();
        };
        measure("bound launches, one thread", 1, launch_all);
        measure("20 bound launches, one thread", chain_length, chain(launch_all));
    }
    const auto on_own_stream = [&](auto call) {
        return [&, call](int rank) {
            const StreamScope scope(own.streams[static_cast<std::size_t>(rank)]);
            call(rank);
        };
    };
    {
        RankThreads threads(count, on_own_stream(call_one));
        measure("a call, a thread a GPU", 1, [&] { threads.run(); });
    }
    {
        RankThreads threads(count, on_own_stream([&](int rank) {
                                for (int k = 0; k < chain_length; ++k) call_one(rank);
                            }));
        measure("20 calls, a thread a GPU", chain_length, [&] { threads.run(); });
    }
    {
        std::vector<Graph> graphs;
        for (const int rank : ranks.local_ranks()) {
            graphs.push_back(capture(Stream::create(ranks.device(rank)), [&] {
                for (int k = 0; k < chain_length; ++k) call_one(rank);
            }));
        }
        measure("a graph of 20 calls for each GPU, one thread", chain_length, [&] {
            for (const Graph& graph : graphs) graph.launch();
        });
        RankThreads threads(count, on_own_stream([&](int rank) {
                                graphs[static_cast<std::size_t>(rank)].launch();
                            }));
        measure("a graph of 20 calls for each GPU, their threads", chain_length, [&] {
            threads.run();
        });
    }
    // The streams of the other GPUs join the capture of the first one.
    const Stream& first = own.streams.front();
    const Graph graph = capture(first, [&] {
        for (const Stream& stream : own.streams)
            if (!(stream == first)) stream.wait(first);
        chain(call_all)();
        for (const Stream& stream : own.streams)
            if (!(stream == first)) first.wait(stream);
    });
    measure("one graph of 20 calls for all GPUs", chain_length, [&] { graph.launch(first); });
}

}  // namespace kgen::bench
