// SPDX-License-Identifier: MIT
//
// A random test on a GPU: threads capture, launch, copy, drop, trim, synchronize and throw, while other
// captures are made with the driver directly. Each result is checked. KGEN_TEST_SECONDS sets the duration in
// seconds (default 3); KGEN_TEST_SEED repeats a run.
#include <cuda.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <kgen/kgen.hpp>
#include <mutex>
#include <optional>
#include <random>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "cuda/driver/driver_library.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;

namespace {

constexpr int side = 64;
constexpr int count = side * side;
constexpr int thread_count = 8;

int number_from(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
}

// An array and an image whose elements all have the same value. They are ready when the event is done.
struct Constant {
    float value = 0;
    Array array;
    std::optional<Texture> image;
    Event ready;
};

class Trial {
public:
    Trial() {
        std::mt19937 random(1);
        for (std::size_t k = 0; k < slots_.size(); ++k) replace(k, Stream::create(), random);
    }

    // Runs random steps on this thread until the time `end`. Returns the first error.
    std::string run(unsigned seed, std::chrono::steady_clock::time_point end) {
        Worker worker{.random = std::mt19937(seed)};
        for (int k = 0; k < 3; ++k) worker.streams.push_back(Stream::create());
        using Step = void (Trial::*)(Worker&);
        constexpr Step steps[] = {&Trial::call,
                                  &Trial::sample,
                                  &Trial::reduce,
                                  &Trial::launch_bound,
                                  &Trial::capture_and_launch,
                                  &Trial::capture_and_launch,
                                  &Trial::launch_again,
                                  &Trial::copy_pinned,
                                  &Trial::replace_constant,
                                  &Trial::replace_stream,
                                  &Trial::throw_in_capture,
                                  &Trial::give_back,
                                  &Trial::wait_for_all,
                                  &Trial::capture_by_driver};
        const char* const names[] = {"call",
                                     "sample",
                                     "reduce",
                                     "launch_bound",
                                     "capture",
                                     "capture",
                                     "launch_again",
                                     "copy_pinned",
                                     "replace_constant",
                                     "replace_stream",
                                     "throw_in_capture",
                                     "give_back",
                                     "wait_for_all",
                                     "capture_by_driver"};
        while (std::chrono::steady_clock::now() < end) {
            const std::size_t step = worker.random() % std::size(steps);
            try {
                (this->*steps[step])(worker);
                ++done_;
            } catch (const std::exception& error) {
                return fmt::format("{}: {}", names[step], error.what());
            }
            if (!worker.problem.empty()) return fmt::format("{}: {}", names[step], worker.problem);
        }
        return {};
    }

    int done() const noexcept { return done_; }

private:
    struct Replay {
        Graph graph;
        Array result;
        float expected;
    };
    struct Worker {
        std::mt19937 random;
        std::vector<Stream> streams = {};
        std::vector<Replay> replays = {};
        std::string problem = {};

        const Stream& stream() { return streams[random() % streams.size()]; }
        bool chance(unsigned one_in) { return random() % one_in == 0; }
        void expect(const Array& result, float value) {
            for (const float each : result.to_vector<float>()) {
                if (each == value) continue;
                problem = fmt::format("got {}, expected {}", each, value);
                return;
            }
        }
    };

    Constant constant(Worker& worker, const Stream& stream) {
        Slot& slot = slots_[worker.random() % slots_.size()];
        const std::lock_guard lock(slot.mutex);
        stream.wait(slot.constant->ready);
        return *slot.constant;
    }
    void replace(std::size_t k, const Stream& stream, std::mt19937& random) {
        Constant made;
        made.value = static_cast<float>(random() % 1000);
        {
            const StreamScope scope(stream);
            made.array = full({side, side}, made.value, float32);
            made.image = Texture::create(made.array);
        }
        made.ready.record(stream);
        Slot& slot = slots_[k];
        const std::lock_guard lock(slot.mutex);
        slot.constant = std::move(made);
    }

    void call(Worker& worker) {
        const Stream& stream = worker.stream();
        const StreamScope scope(stream);
        std::optional<Constant> input = constant(worker, stream);
        const float value = input->value;
        const Array result = add_(input->array, 3.0F);
        input.reset();
        worker.expect(result, value + 3);
    }
    void sample(Worker& worker) {
        const Stream& stream = worker.stream();
        const StreamScope scope(stream);
        std::optional<Constant> input = constant(worker, stream);
        const float value = input->value;
        const Array result = sample_(*input->image, input->array);
        input.reset();
        worker.expect(result, 2 * value);
    }
    void reduce(Worker& worker) {
        const Stream& stream = worker.stream();
        const StreamScope scope(stream);
        const Constant input = constant(worker, stream);
        const Array result = worker.chance(2) ? total_(input.array) : total_(input.array, axis(0));
        worker.expect(result,
                      input.value * static_cast<float>(count) / static_cast<float>(result.size()));
    }
    void launch_bound(Worker& worker) {
        const Stream& stream = worker.stream();
        const StreamScope scope(stream);
        std::optional<Constant> input = constant(worker, stream);
        const float value = input->value;
        const Array result = zeros({side, side}, float32);
        std::optional<BoundLaunch> bound = sample_.bind(*input->image, input->array, out(result));
        input.reset();
        for (int k = 0; k < 3; ++k) (*bound)();
        bound.reset();
        worker.expect(result, 2 * value);
    }

    // Captures a graph with calls, temporaries, images, a bound reduction and a forked stream.
    void capture_and_launch(Worker& worker) {
        const Stream stream = worker.stream();
        const StreamScope scope(stream);
        std::optional<Constant> input = constant(worker, stream);
        const float value = input->value;
        const Array result = zeros({side, side}, float32);
        stream.synchronize();
        const bool forks = worker.chance(3);
        const bool drops_within = worker.chance(2);
        const Stream forked = Stream::create();
        const Graph graph = capture(stream, [&] {
            Array sum = add_(input->array, 1.0F);
            Array both = sample_(*input->image, sum);  // 2 value + 1
            if (drops_within) input.reset();
            std::optional<BoundLaunch> bound = total_.bind(both);
            (*bound)();
            const Array mean = scale_(bound->outputs()[0], 1.0F / static_cast<float>(count));
            bound.reset();
            if (forks) forked.wait(stream);
            add_(mean, 0.0F, out(result), on(forks ? forked : stream));
            if (forks) stream.wait(forked);
        });
        input.reset();
        launch(worker, {graph, result, 2 * value + 1});
        worker.replays.push_back({graph, result, 2 * value + 1});
        if (worker.replays.size() > 8)
            worker.replays.erase(worker.replays.begin() +
                                 static_cast<std::ptrdiff_t>(worker.random() % 8));
    }
    void launch(Worker& worker, const Replay& replay) {
        const Stream& stream = worker.stream();
        const StreamScope scope(stream);
        for (const Stream& each : worker.streams) each.synchronize();
        replay.result.assign(0);
        for (int k = 0; k < 3; ++k) replay.graph.launch(stream);
        worker.expect(replay.result, replay.expected);
    }
    void launch_again(Worker& worker) {
        if (worker.replays.empty()) return;
        const std::size_t k = worker.random() % worker.replays.size();
        launch(worker, worker.replays[k]);
    }
    void copy_pinned(Worker& worker) {
        const Stream& stream = worker.stream();
        const Stream used = worker.chance(2) ? stream : Stream::view(stream.handle());
        const StreamScope scope(stream);
        const Constant input = constant(worker, stream);
        // The array is copied, because memory used on a Stream::view does not keep that stream alive.
        const Array copied = input.array.copy();
        Array pinned = empty_pinned({side, side}, float32);
        const Array back = empty({side, side}, float32);
        copy_async(pinned, copied, used);
        copy_async(back, pinned, used);
        pinned = {};
        worker.expect(back, input.value);
    }
    void replace_constant(Worker& worker) {
        replace(worker.random() % slots_.size(), worker.stream(), worker.random);
    }
    void replace_stream(Worker& worker) {
        const auto order =
            worker.chance(4) ? StreamOptions::Order::blocking : StreamOptions::Order::non_blocking;
        worker.streams[worker.random() % worker.streams.size()] = Stream::create({.order = order});
    }
    void throw_in_capture(Worker& worker) {
        const Stream& stream = worker.stream();
        const Constant input = constant(worker, stream);
        try {
            capture(stream, [&] {
                const Array result = add_(input.array, 1.0F);
                if (worker.chance(2)) throw std::runtime_error("on purpose");
                result.to_vector<float>();
            });
        } catch (const DeviceError&) {
            return;
        } catch (const std::runtime_error&) {
            return;
        }
        worker.problem = "nothing was thrown";
    }
    void give_back(Worker& worker) {
        if (worker.chance(8)) trim_memory_pool();
    }
    void wait_for_all(Worker& worker) {
        if (!worker.chance(8)) return;
        // The lock is needed because waiting for the device would invalidate a capture by the driver.
        const std::unique_lock lock(driver_captures_);
        try {
            synchronize(Device::cuda(0));
        } catch (const DeviceError& error) {
            if (std::string(error.what()).find("one of them is being captured") ==
                std::string::npos) {
                throw;
            }
        }
    }

    // Captures a stream like another library would, in any mode. kgen works in this stream and in others.
    void capture_by_driver(Worker& worker) {
        const DriverApi& api = DriverLibrary::get().api();
        const auto check = [](CUresult result, const char* call) {
            if (result != CUDA_SUCCESS)
                throw std::runtime_error(fmt::format("{}: {}", call, static_cast<int>(result)));
        };
        constexpr CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                                 CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                                 CU_STREAM_CAPTURE_MODE_RELAXED};
        const Stream own = Stream::create();
        const Stream stream = worker.chance(2) ? own : Stream::view(own.handle());
        const StreamScope scope(stream);
        const Constant input = constant(worker, stream);
        const Array result = zeros({side, side}, float32);
        stream.synchronize();
        CUgraph graph = nullptr;
        {
            const std::shared_lock lock(driver_captures_);
            check(api.stream_begin_capture(own.handle(), modes[worker.random() % 3]), "begin");
            try {
                const Array pinned = empty_pinned({side, side}, float32);
                const Array sum = add_(input.array, 1.0F);
                copy_async(pinned, sum);
                const Array again = empty({side, side}, float32);
                copy_async(again, pinned);
                sample_(*input.image, again, out(result));
            } catch (...) {
                api.stream_end_capture(own.handle(), &graph);
                throw;
            }
            if (worker.chance(2)) beside(worker);
            check(api.stream_end_capture(own.handle(), &graph), "end");
        }
        CUgraphExec executable = nullptr;
        check(api.graph_instantiate(&executable, graph, 0), "instantiate");
        for (int k = 0; k < 2; ++k) check(api.graph_launch(executable, own.handle()), "launch");
        own.synchronize();
        worker.expect(result, 2 * input.value + 1);
        check(api.graph_executable_destroy(executable), "destroy");
        check(api.graph_destroy(graph), "destroy");
    }
    void beside(Worker& worker) {
        call(worker);
        sample(worker);
        replace_constant(worker);
        give_back(worker);
    }

    struct Slot {
        std::mutex mutex;
        std::optional<Constant> constant;
    };
    std::array<Slot, 16> slots_;
    std::shared_mutex driver_captures_;
    std::atomic<int> done_ = 0;
    ElementwiseKernel add_{"float32 x, float32 a", "float32 y", "y = x + a", "add_a"};
    ElementwiseKernel scale_{"float32 x, float32 a", "float32 y", "y = x * a", "scale_a"};
    ElementwiseKernel sample_{
        "U image, float32 x", "float32 y", "y = x + tex2D<float>(image, 3.5f, 5.5f)", "add_image"};
    ReductionKernel total_{"float32 x", "float32 y", "x", "a + b", "y = a", "0", "total_of"};
};

}  // namespace

TEST_CASE("gpu: threads capture, launch, drop, trim, synchronize and throw at random",
          "[gpu][lifetimes]") {
    if (!test::has_gpu()) {
        WARN("SKIPPED: no CUDA device");
        return;
    }
    const DeviceScope gpu(Device::cuda(0));
    const auto seed = static_cast<unsigned>(
        number_from("KGEN_TEST_SEED", static_cast<int>(std::random_device()() & 0xffffff)));
    INFO("KGEN_TEST_SEED=" << seed);
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::seconds(number_from("KGEN_TEST_SECONDS", 3));
    Trial trial;
    std::array<std::string, thread_count> problems;
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < problems.size(); ++k) {
        threads.emplace_back([&, k] {
            const DeviceScope scope(Device::cuda(0));
            problems[k] = trial.run(seed + static_cast<unsigned>(k), end);
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& problem : problems) CHECK(problem == "");
    CHECK(trial.done() > thread_count);
    synchronize(Device::cuda(0));
}
