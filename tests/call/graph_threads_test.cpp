// SPDX-License-Identifier: MIT
//
// Threads that capture, that launch the same graph, and that work during captures of other threads.
#include <atomic>
#include <kgen/kgen.hpp>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using test::present_devices;

namespace {

const ElementwiseKernel& next() {
    static const ElementwiseKernel kernel("T x", "T y", "y = x + 1", "graph_next");
    return kernel;
}

void run_in_threads(int count, const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    for (int k = 0; k < count; ++k) threads.emplace_back(work, k);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("launches of one graph from several threads run one after the other", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        // Each launch reads and writes the whole array, so concurrent launches would lose additions.
        const Array x = zeros({100000}, float32, {device});
        const Stream stream = Stream::create(device);
        synchronize(device);
        const Graph graph = capture(stream, [&] { x.assign(next()(next()(x))); });
        run_in_threads(4, [&](int) {
            const Stream own = Stream::create(device);
            for (int round = 0; round < 50; ++round) graph.launch(own);
            own.synchronize();
        });
        CHECK(x.to_vector<float>() == std::vector<float>(100000, 400));
    }
}

TEST_CASE("threads capture at once, each its own stream", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        static_cast<void>(next()(zeros({1}, float32, {device})));
        std::atomic<int> wrong = 0;
        run_in_threads(4, [&](int thread) {
            const Stream stream = Stream::create(device);
            const StreamScope scope(stream);
            for (int round = 0; round < 20; ++round) {
                const Array x = full({1000}, thread, float32, {device});
                const Graph graph = capture(stream, [&] { x.assign(next()(next()(x))); });
                graph.launch();
                graph.launch();
                const auto last = static_cast<float>(thread + 4);
                if (x.to_vector<float>() != std::vector<float>(1000, last)) ++wrong;
            }
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("work of other threads goes on beside a capture and is no part of it", "[graph]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Stream stream = Stream::create(device);
        const Array x = zeros({1000}, float32, {device});
        static_cast<void>(next()(x));
        synchronize(device);
        std::atomic<bool> stop = false;
        std::atomic<int> wrong = 0;
        std::thread beside([&] {
            const Stream own = Stream::create(device);
            const StreamScope scope(own);
            while (!stop) {
                const Array y = next()(full({1000}, 5, float32, {device}));
                if (y.to_vector<float>() != std::vector<float>(1000, 6)) ++wrong;
            }
        });
        for (int round = 0; round < 50; ++round) {
            const Graph graph = capture(stream, [&] { x.assign(next()(x)); });
            CHECK(graph.node_count() == 2);
            graph.launch(stream);
        }
        stop = true;
        beside.join();
        stream.synchronize();
        CHECK(wrong == 0);
        CHECK(x.to_vector<float>() == std::vector<float>(1000, 50));
    }
}
