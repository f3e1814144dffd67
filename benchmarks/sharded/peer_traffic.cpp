// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <iterator>

#include "sharded_bench.hpp"

namespace kgen::bench {

namespace {

constexpr std::int64_t elements = std::int64_t{1} << 26;  // 256 MiB of int32

// An array on one GPU, the array on another one that it is copied to, and the streams of the copy.
struct Route {
    Route(Device from, Device to, int number)
        : number(number), sender(Stream::create(from)), receiver(Stream::create(to)) {
        const StreamScope use_sender(sender);
        const StreamScope use_receiver(receiver);
        sent = arange(elements, int32, {.device = from}) + number;
        received = zeros({elements}, int32, {.device = to});
    }
    void copy() const {
        const StreamScope use_sender(sender);
        const StreamScope use_receiver(receiver);
        received.assign(sent);
    }
    bool is_correct() const {
        const StreamScope use_receiver(receiver);
        return array_equal(received,
                           arange(elements, int32, {.device = receiver.device()}) + number);
    }

    int number;
    Stream sender;
    Stream receiver;
    Array sent;
    Array received;
};

}  // namespace

void measure_peer_copies(const ShardedBench& bench) {
    std::vector<Device> gpus;
    for (const int rank : bench.ranks.local_ranks()) {
        const Device gpu = bench.ranks.device(rank);
        if (std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) gpus.push_back(gpu);
    }
    if (gpus.size() < 2) return;
    std::vector<Route> routes;
    // At each step every GPU sends to another one. In the order of the senders, the first copies would share one GPU's links.
    for (std::size_t step = 1; step < gpus.size(); ++step) {
        for (std::size_t k = 0; k < gpus.size(); ++k)
            routes.emplace_back(
                gpus[k], gpus[(k + step) % gpus.size()], static_cast<int>(routes.size()));
    }
    const double bytes = 4.0 * elements;
    const auto time_routes = [&](auto begin, auto end) {
        return bench.time_us(5, [&] {
            for (auto route = begin; route != end; ++route) route->copy();
        });
    };
    // The slowest and the fastest pair tell whether all links are alike.
    std::vector<double> alone;
    for (auto route = routes.begin(); route != routes.end(); ++route)
        alone.push_back(time_routes(route, std::next(route)));
    const auto [least, most] = std::minmax_element(alone.begin(), alone.end());
    bench.tell("copy from GPU to GPU, 256 MiB, fastest pair", *least, bandwidth(bytes, *least));
    bench.tell("copy from GPU to GPU, 256 MiB, slowest pair", *most, bandwidth(bytes, *most));
    const double all_us = time_routes(routes.begin(), routes.end());
    const double sent_bytes = bytes * static_cast<double>(gpus.size() - 1);
    const bool are_correct = std::all_of(
        routes.begin(), routes.end(), [](const Route& route) { return route.is_correct(); });
    bench.tell("copies all to all at once, 256 MiB each",
               all_us,
               bandwidth(sent_bytes, all_us) + " out of each GPU, and as much into it" +
                   (are_correct ? "" : "; WRONG"));
}

}  // namespace kgen::bench
