// SPDX-License-Identifier: MIT
//
// Tests that objects live until the graphs and launches that use them have finished, whichever thread drops
// them, and that kgen never invalidates another library's capture. They run on the fake CUDA driver, which
// has the real driver's rules for captures (support/fake_cuda.hpp).
#include <atomic>
#include <functional>
#include <kgen/kgen.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/fresh_driver.hpp"

using namespace kgen;

namespace {

// CUstreamCaptureMode
constexpr int global = 0;
constexpr int thread_local_mode = 1;
constexpr int relaxed = 2;

const char* const reads_image = "z = tex2D<float>(image, x, 1.5f)";

ElementwiseKernel sampler() {
    return {"U image, float32 x", "float32 z", reads_image, "sample"};
}

void in_thread(const std::function<void()>& work) {
    std::thread(work).join();
}

// A capture begun like by another library, of a stream of kgen's or of any other stream.
class ForeignCapture {
public:
    ForeignCapture(const Driver& driver, const Stream& stream, int mode)
        : driver_(driver), stream_(stream) {
        CHECK(driver_.fake.begin_capture(stream_.handle(), mode) == 0);
    }
    ~ForeignCapture() {
        if (!is_ended_) end();
    }
    ForeignCapture(const ForeignCapture&) = delete;
    ForeignCapture& operator=(const ForeignCapture&) = delete;
    // Ends the capture. Returns its graph, or nullptr if the capture was invalidated.
    void* end() {
        is_ended_ = true;
        void* graph = nullptr;
        driver_.fake.end_capture(stream_.handle(), &graph);
        return graph;
    }

private:
    const Driver& driver_;
    Stream stream_;
    bool is_ended_ = false;
};

}  // namespace

TEST_CASE("no call of kgen disturbs another library's capture", "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel next("float32 x", "float32 y", "y = x + 1", "next");
    const ReductionKernel total("float32 x", "float32 y", "x", "a + b", "y = a", "0", "total");
    const Array x = ones({64, 64}, float32);
    const Array on_host = ones({64, 64}, float32, {Device::host()});
    const auto in_order = [](auto work) {
        return [work] {
            const Stream own = Stream::create();
            const StreamScope scope(own);
            work();
        };
    };
    struct Work {
        const char* name;
        std::function<void()> run;
    };
    // Actions of a program in its own streams.
    const std::vector<Work> in_streams = {
        {"calls", in_order([&] { next(x); })},
        {"a new kernel", in_order([&] {
             ElementwiseKernel("float32 x", "float32 y", "y = x + 17", "seventeen")(x);
         })},
        {"reductions", in_order([&] { total(x, axis(0)); })},
        {"a large array", in_order([] { empty({(1 << 25) + 4096}, float32); })},
        {"results", in_order([&] { next(x).to_vector<float>(); })},
        {"copies from the host", in_order([&] {
             empty({64, 64}, float32).assign(on_host);
         })},
        {"pinned memory", in_order([&] {
             copy_async(next(x), empty_pinned({64, 64}, float32));
         })},
        {"another library's stream", in_order([&] {
             const Stream own = Stream::create();
             const Array y = next(x);
             const Array pinned = empty_pinned({64, 64}, float32);
             copy_async(pinned, y, Stream::view(own.handle()));
         })},
        {"events", in_order([] {
             Event first;
             Event second;
             first.record();
             second.record();
             second.synchronize();
             CHECK(second.is_done());
             second.elapsed_ms(first);
         })},
        {"asking streams", in_order([] {
             current_stream().synchronize();
             CHECK(current_stream().is_idle());
         })},
        {"an array of two streams", in_order([&] {
             const Array y = next(x);
             const Stream other = Stream::create();
             const StreamScope scope(other);
             next(y);
         })},
        {"textures", in_order([&] {
             const Texture image = Texture::create(x);
             sampler()(image, x);
             Surface::from_array(x).to_array();
         })},
        {"captures of its own", in_order([&] {
             const Graph graph = capture(current_stream(), [&] {
                 const Array y = next(x);
                 total(y, axis(0));
             });
             graph.launch();
             current_stream().synchronize();
         })},
    };
    // Actions of a program that give no work to a stream.
    const std::vector<Work> elsewhere = {
        {"statistics", [] { memory_pool_statistics(); }},
        {"trimming", [] { trim_memory_pool(); }},
        {"an array, dropped", [] { empty({(1 << 25) + 4096}, float32); }},
        {"arrays, dropped",
         [] {
             std::vector<Array> arrays;
             for (int k = 0; k < 40; ++k) arrays.push_back(empty({1 << 23}, float32));
         }},
        {"an image",
         [] {
             Surface::create({8, 8}, float32);
         }},
        {"a stream", [] { Stream::create(); }},
        {"pinned memory", [] { empty_pinned({1 << 20}, float32); }},
        {"foreign memory", [&] { is_pinned(on_host); }},
    };
    const auto run_beside = [&](const Work& work, const Stream& captured, int mode, bool threaded) {
        INFO(work.name << ", mode " << mode << ", in another thread: " << threaded);
        ForeignCapture capture(driver, captured, mode);
        try {
            if (threaded) {
                in_thread(work.run);
            } else {
                work.run();
            }
        } catch (const Error& error) {
            FAIL_CHECK(error.what());
        }
        CHECK(capture.end() != nullptr);
    };
    for (const Work& work : in_streams) in_thread(work.run);  // compiles everything
    const Stream free = Stream::create();
    const Stream blocking = Stream::create({.order = StreamOptions::Order::blocking});
    for (const int mode : {global, thread_local_mode, relaxed}) {
        for (const bool threaded : {false, true}) {
            for (const Stream& captured : {free, blocking}) {
                for (const Work& work : in_streams) run_beside(work, captured, mode, threaded);
                for (const Work& work : elsewhere) run_beside(work, captured, mode, threaded);
            }
        }
    }
    report("ok");
}

TEST_CASE("waiting for the device is refused beside a capture, and giving memory back goes on",
          "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const char* const refusal =
        "cuda:0: cannot wait for all streams of the device while one of them is being captured, "
        "because this would invalidate the capture: wait for single streams "
        "(Stream::synchronize()), or until the capture has ended";
    const Stream stream = Stream::create();
    const Stream other = Stream::create();
    const Stream blocking = Stream::create({.order = StreamOptions::Order::blocking});
    const Array y = zeros({64}, float32);
    const auto kept = [] { return memory_pool_statistics().kept_bytes; };
    {
        const StreamScope scope(other);
        for (const int size : {1 << 10, 1 << 20, 1 << 22}) empty({size}, float32);
    }
    const std::uint64_t all = kept();
    CHECK(all >= (4u << 22) + (4u << 20));
    const Graph graph = capture(stream, [&] {
        y.assign(1);
        in_thread([&] {
            CHECK(KGEN_MESSAGE_OF(DeviceError, synchronize(Device::cuda(0))) == refusal);
            other.synchronize();
            trim_memory_pool();
            CHECK(kept() == 0);
        });
    });
    CHECK(graph.node_count() == 1);
    CHECK(driver.fake.calls("cuCtxSynchronize") == 0);
    // Kept memory of a stream that another library captures is not freed, and stays available afterwards.
    {
        const StreamScope scope(other);
        empty({1 << 20}, float32);
    }
    const std::uint64_t of_other = kept();
    for (const Stream& captured : {other, blocking}) {
        ForeignCapture foreign(driver, captured, relaxed);
        CHECK(KGEN_MESSAGE_OF(DeviceError, synchronize(Device::cuda(0))) == refusal);
        if (captured == other) {
            trim_memory_pool();
            CHECK(kept() == of_other);
        }
        CHECK(foreign.end() != nullptr);
    }
    trim_memory_pool();
    CHECK(kept() == 0);
    synchronize(Device::cuda(0));
    report("ok");
}

TEST_CASE("the limit of the pool holds in captures, and what is kept makes room", "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const Stream stream = Stream::create();
    const Array y = zeros({64}, float32);
    { const Array kept = empty({1 << 22}, float32); }
    set_memory_pool_limit(memory_pool_statistics().reserved_bytes + 4096);
    Array inside;
    std::string too_much;
    const Graph graph = capture(stream, [&] {
        inside = empty({1 << 21}, float32);  // the kept blocks are freed for it
        inside.assign(1);
        too_much = KGEN_MESSAGE_OF(DeviceError, empty({1 << 24}, float32));
        in_thread([&] { empty({1 << 20}, float32); });
    });
    CHECK(graph.node_count() == 1);
    CHECK(too_much.find("set_memory_pool_limit allows") != std::string::npos);
    CHECK(memory_pool_statistics().kept_bytes < (4u << 22));
    CHECK(driver.fake.calls("cuCtxSynchronize") == 0);
    report("ok");
}

TEST_CASE("captures begin on one thread while others drop what their streams used",
          "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const Stream captured = Stream::create();
    const Stream other = Stream::create();
    struct Used {
        std::vector<Array> arrays;
        std::optional<Texture> image;
    };
    std::atomic<Used*> dropped = nullptr;
    std::atomic<bool> is_over = false;
    std::thread dropper([&] {
        while (!is_over) delete dropped.exchange(nullptr);
    });
    std::string seen = "ok";
    try {
        for (int k = 0; k < 3000; ++k) {
            auto used = std::make_unique<Used>();
            for (const auto& [home, user] :
                 {std::pair(captured, other), std::pair(other, captured)}) {
                std::optional<StreamScope> scope(home);
                const Array x = empty({4, 4}, float32);
                const Array pinned = empty_pinned({4, 4}, float32);
                copy_async(x, pinned, user);
                scope.emplace(captured);
                if (!used->image) used->image = Texture::create(x);
                used->arrays.insert(used->arrays.end(), {x, pinned});
            }
            dropped = used.release();
            const Graph graph = capture(captured, [&] { captured.call_on_host([] {}); });
            graph.launch(captured);
            while (dropped != nullptr) std::this_thread::yield();
        }
    } catch (const std::exception& error) {
        seen = error.what();
    }
    is_over = true;
    dropper.join();
    report(seen);
}

TEST_CASE("graphs and bound launches keep the images that they use", "[cuda][graph][texture]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel sample = sampler();
    const Array x = ones({64}, float32);
    const Array y = zeros({64}, float32);
    const Array pixels = ones({8, 8}, float32);
    const auto alive = [&] {
        return driver.fake.calls("cuArray3DCreate") - driver.fake.calls("cuArrayDestroy");
    };
    const Stream stream = Stream::create();
    std::optional<Texture> image;
    std::optional<Surface> surface;
    Array read;
    struct Use {
        const char* name;
        std::function<void()> run;
    };
    std::optional<BoundLaunch> bound;
    const std::vector<Use> uses = {
        {"a call", [&] { sample(*image, x, out(y)); }},
        {"a call with arguments",
         [&] {
             sample.call(std::vector<Argument>{*image, x}, {.outputs = {y}});
         }},
        {"a bound launch", [&] { (*bound)(); }},
        {"an update", [&] { image->update(pixels); }},
        {"creation", [&] { image = Texture::create(pixels); }},
        {"a surface", [&] { read = surface->to_array(); }},
        {"a surface that is made", [&] { surface = Surface::from_array(pixels); }},
    };
    for (const Use& use : uses) {
        INFO(use.name);
        for (const bool drops_inside : {false, true}) {
            image = Texture::create(pixels);
            surface = Surface::from_array(pixels);
            bound = sample.bind(*image, x, out(y), on(stream));
            sample(*image, x, out(y));  // the last use is on another stream
            const auto drop = [&] {
                bound.reset();
                image.reset();
                surface.reset();
            };
            std::optional<Graph> graph = capture(stream, [&] {
                use.run();
                if (drops_inside) drop();
            });
            drop();
            CHECK(alive() == 1);
            graph->launch();
            graph.reset();
            synchronize(Device::cuda(0));
            CHECK(alive() == 0);
        }
    }
    // A bound launch keeps its image even if it is the only owner.
    image = Texture::create(pixels);
    bound = sample.bind(*image, x, out(y));
    image.reset();
    CHECK(alive() == 1);
    (*bound)();
    bound.reset();
    CHECK(alive() == 0);
    report("ok");
}

TEST_CASE("an image that is dropped beside a capture goes when the capture has ended",
          "[cuda][graph][texture]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel sample = sampler();
    const Array x = ones({64}, float32);
    const Array pixels = ones({8, 8}, float32);
    const Stream stream = Stream::create();
    const auto alive = [&] {
        return driver.fake.calls("cuArray3DCreate") - driver.fake.calls("cuArrayDestroy");
    };
    const auto make = [&](bool is_used_somewhere) {
        std::optional<Texture> image = Texture::create(pixels);
        sample(*image, x, on(stream));
        if (is_used_somewhere) image->record_unknown_use();
        return image;
    };
    for (const bool is_used_somewhere : {false, true}) {
        for (const bool threaded : {false, true}) {
            std::optional<Texture> image = make(is_used_somewhere);
            const auto drop = [&] { image.reset(); };
            const Graph graph = capture(stream, [&] {
                x.assign(1);
                if (threaded) {
                    in_thread(drop);
                } else {
                    drop();
                }
            });
            CHECK(graph.node_count() == 1);
            CHECK(alive() == 0);  // freed when the capture ended
            for (const int mode : {global, thread_local_mode, relaxed}) {
                image = make(is_used_somewhere);
                ForeignCapture foreign(driver, stream, mode);
                if (threaded) {
                    in_thread(drop);
                } else {
                    drop();
                }
                CHECK(alive() == 1);
                CHECK(foreign.end() != nullptr);
                stream.synchronize();
                CHECK(alive() == 0);
            }
        }
    }
    // The graph of another library's capture keeps the image too.
    std::optional<Texture> image = Texture::create(pixels);
    ForeignCapture foreign(driver, stream, relaxed);
    sample(*image, x, on(stream));
    void* const graph = foreign.end();
    REQUIRE(graph != nullptr);
    image.reset();
    CHECK(alive() == 1);
    driver.fake.destroy_graph(graph);
    synchronize(Device::cuda(0));
    CHECK(alive() == 0);
    report("ok");
}
