// SPDX-License-Identifier: MIT
//
// Tests of stream options, host functions and graphs on the fake CUDA driver (support/fake_cuda.hpp).
// graph_test.cpp and stream_test.cpp also run on a GPU if there is one.
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "cuda/cuda_backend.hpp"
#include "device/capture_record.hpp"
#include "device/graph_backend.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_driver.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;

namespace {

struct Fixture {
    FakeCuda fake;
    DriverLibrary driver{FakeCuda::path()};
    CudaBackend backend{driver, 0};
    StreamHandle stream = backend.create_stream({});

    const GraphBackend& graphs() const { return backend.graphs(); }
};

std::string failing(const char* what, const std::function<void()>& run) {
    const ScopedVariable fail("FAKE_CUDA_FAIL", what);
    return KGEN_MESSAGE_OF(DeviceError, run());
}

}  // namespace

TEST_CASE("a stream's priority is cut to the device's range, its flags say what it waits for",
          "[cuda][stream]") {
    Fixture f;
    CHECK(f.fake.record().stream_flags == CU_STREAM_NON_BLOCKING);
    CHECK(f.fake.calls("cuStreamCreateWithPriority") == 0);
    const auto priority_of = [&](int wanted) {
        return f.backend.stream_priority(f.backend.create_stream({.priority = wanted}));
    };
    CHECK(priority_of(-3) == -3);
    CHECK(priority_of(-9) == -5);
    CHECK(priority_of(2) == 0);
    f.backend.create_stream({.priority = -1, .order = StreamOptions::Order::blocking});
    CHECK(f.fake.record().stream_flags == CU_STREAM_DEFAULT);
    f.backend.create_stream({.priority = 0, .order = StreamOptions::Order::blocking});
    CHECK(f.fake.record().stream_flags == CU_STREAM_DEFAULT);
    CHECK(failing("cuStreamCreateWithPriority:1", [&] { priority_of(-1); }) ==
          "cuda:0: cuStreamCreateWithPriority failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_CASE("a host function is destroyed by a later call, not on the driver's thread",
          "[cuda][stream]") {
    Fixture f;
    auto owned = std::make_shared<int>(0);
    f.backend.call_on_host(f.stream, [owned] { ++*owned; });
    CHECK(*owned == 1);
    CHECK(owned.use_count() == 2);
    f.backend.synchronize_stream(f.stream);
    CHECK(owned.use_count() == 1);
    f.backend.call_on_host(nullptr, [owned] { ++*owned; });
    f.backend.call_on_host(nullptr, [owned] { ++*owned; });
    CHECK(owned.use_count() == 2);  // the second call destroyed the first function
}

TEST_CASE("a host function that the stream does not take is destroyed at once", "[cuda][stream]") {
    Fixture f;
    auto owned = std::make_shared<int>(0);
    CHECK(failing("cuLaunchHostFunc:1", [&] {
              f.backend.call_on_host(f.stream, [owned] { ++*owned; });
          }) == "cuda:0: cuLaunchHostFunc failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    CHECK(*owned == 0);
    CHECK(owned.use_count() == 1);
}

TEST_CASE("a graph owns its host functions, and calls them at each launch", "[cuda][graph]") {
    Fixture f;
    auto owned = std::make_shared<int>(0);
    f.graphs().begin_capture(f.stream);
    CHECK(f.fake.record().begun_mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    CHECK(f.graphs().is_capturing(f.stream));
    f.backend.call_on_host(f.stream, [owned] { ++*owned; });
    std::shared_ptr<const LoadedGraph> graph = f.graphs().end_capture(f.stream);
    CHECK_FALSE(f.graphs().is_capturing(f.stream));
    CHECK(graph->node_count() == 1);
    CHECK(graph->native() != nullptr);
    CHECK(f.fake.calls("cuGraphUpload") == 1);
    CHECK(*owned == 0);
    for (int round = 0; round < 3; ++round) f.graphs().launch(*graph, nullptr);
    CHECK(*owned == 3);
    f.backend.synchronize();
    CHECK(owned.use_count() == 2);
    graph.reset();
    CHECK(f.fake.calls("cuGraphExecDestroy") == 1);
    CHECK(f.fake.calls("cuGraphDestroy") == 1);
    f.backend.synchronize();
    CHECK(owned.use_count() == 1);
}

TEST_CASE("a graph that is launched into a capture is a node of the other and shares what it owns",
          "[cuda][graph]") {
    Fixture f;
    auto owned = std::make_shared<int>(0);
    f.graphs().begin_capture(f.stream);
    f.backend.call_on_host(f.stream, [owned] { ++*owned; });
    std::shared_ptr<const LoadedGraph> inner = f.graphs().end_capture(f.stream);
    f.graphs().begin_capture(f.stream);
    f.graphs().launch(*inner, f.stream);
    f.graphs().launch(*inner, f.stream);
    std::shared_ptr<const LoadedGraph> outer = f.graphs().end_capture(f.stream);
    CHECK(outer->node_count() == 2);
    CHECK(f.fake.calls("cuGraphLaunch") == 0);
    CHECK(f.fake.calls("cuStreamUpdateCaptureDependencies") == 2);
    inner.reset();
    f.backend.synchronize();
    CHECK(owned.use_count() == 2);
    f.graphs().launch(*outer, f.stream);
    CHECK(*owned == 2);
    outer.reset();
    f.backend.synchronize();
    CHECK(owned.use_count() == 1);
}

TEST_CASE("a driver that cannot add a graph to a capture says so", "[cuda][graph]") {
    const ScopedVariable missing("FAKE_CUDA_MISSING", "cuStreamUpdateCaptureDependencies");
    Fixture f;
    f.graphs().begin_capture(f.stream);
    const auto inner = f.graphs().end_capture(f.stream);
    f.graphs().begin_capture(f.stream);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.graphs().launch(*inner, f.stream)) ==
          "cuda:0: the driver cannot add a graph to another graph; install NVIDIA's driver 550 or "
          "newer");
    f.graphs().abandon_capture(f.stream);
}

TEST_CASE("a host function whose graph cannot own it is destroyed once", "[cuda][graph]") {
    for (const char* call : {"cuUserObjectCreate", "cuGraphRetainUserObject", "cuLaunchHostFunc"}) {
        INFO(call);
        Fixture f;
        auto owned = std::make_shared<int>(0);
        f.graphs().begin_capture(f.stream);
        CHECK(failing((std::string(call) + ":1").c_str(),
                      [&] { f.backend.call_on_host(f.stream, [owned] { ++*owned; }); }) ==
              "cuda:0: " + std::string(call) +
                  " failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
        f.graphs().abandon_capture(f.stream);
        f.backend.synchronize();
        CHECK(*owned == 0);
        CHECK(owned.use_count() == 1);
    }
}

TEST_CASE("what waits is refused before the driver would invalidate the capture", "[cuda][graph]") {
    Fixture f;
    CaptureRecord record(Device::cuda(0));
    f.graphs().begin_capture(f.stream);
    const std::string message =
        "cuda:0: cannot wait for a stream that is being captured, because its work runs only when "
        "the graph is launched: read results (item(), to_vector()), copy from the host and "
        "synchronize before the capture or after the launch";
    int number = 0;
    const auto code_of = [](const auto& wait) {
        try {
            wait();
        } catch (const DeviceError& error) {
            return error.code();
        }
        return 0;
    };
    const std::function<void()> waits[] = {
        [&] { f.backend.synchronize_stream(f.stream); },
        [&] { static_cast<void>(f.backend.is_stream_idle(f.stream)); },
        [&] { f.backend.synchronize(); },
        [&] { f.backend.copy(&number, &f, 4, CopyDirection::device_to_host, f.stream); },
        [&] { f.backend.copy(&number, &f, 4, CopyDirection::host_to_device, f.stream); },
    };
    for (const auto& wait : waits) {
        CHECK(KGEN_MESSAGE_OF(DeviceError, wait()) == message);
        CHECK(code_of(wait) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    for (const char* call : {"cuStreamSynchronize",
                             "cuStreamQuery",
                             "cuCtxSynchronize",
                             "cuMemcpyDtoHAsync",
                             "cuMemcpyHtoDAsync"}) {
        INFO(call);
        CHECK(f.fake.calls(call) == 0);
    }
    f.backend.synchronize_stream(nullptr);  // the legacy stream is not captured
    CHECK(f.graphs().end_capture(f.stream) != nullptr);
}

TEST_CASE("a wait for the legacy stream while a blocking stream is captured says so",
          "[cuda][graph]") {
    Fixture f;
    const std::string message =
        "cuda:0: cannot wait for the legacy default stream, because it waits for a blocking stream "
        "that is being captured; wait before the capture, or capture a non-blocking stream, which "
        "Stream::create() returns";
    CHECK(failing("cuStreamIsCapturing:906", [&] { f.backend.synchronize_stream(nullptr); }) ==
          message);
}

TEST_CASE("an event that another library recorded in a capture cannot be awaited",
          "[cuda][graph]") {
    Fixture f;
    void* event = f.backend.create_event();
    const std::string message =
        "cuda:0: an event that was last recorded in a capture has no time, and the host cannot "
        "wait for it: record it again after the launch";
    CHECK(failing("cuEventSynchronize:907", [&] { f.backend.synchronize_event(event); }) ==
          message);
    CHECK(failing("cuEventQuery:907", [&] { static_cast<void>(f.backend.is_event_done(event)); }) ==
          message);
    CHECK(failing("cuEventElapsedTime:907",
                  [&] { static_cast<void>(f.backend.elapsed_ms(event, event)); }) == message);
    f.backend.destroy_event(event);
}

TEST_CASE("a capture that was invalidated names the call that did it, and leaves the stream usable",
          "[cuda][graph]") {
    Fixture f;
    {
        const CaptureRecord record(Device::cuda(0));
        f.graphs().begin_capture(f.stream);
        // A call that the driver refuses and kgen does not check.
        CHECK(failing("cuMemsetD8Async:900", [&] { f.backend.fill_bytes(&f, 0, 8, f.stream); }) ==
              "cuda:0: cuMemsetD8Async failed: error 900");
        CHECK(failing("cuStreamEndCapture:901",
                      [&] { static_cast<void>(f.graphs().end_capture(f.stream)); }) ==
              "cuda:0: the capture was invalidated by a call that cannot be part of a graph: "
              "cuda:0: cuMemsetD8Async failed: error 900");
    }
    CHECK_FALSE(f.graphs().is_capturing(f.stream));
    f.backend.synchronize_stream(f.stream);
    {
        const CaptureRecord record(Device::cuda(0));
        f.graphs().begin_capture(f.stream);
        f.driver.api().stream_synchronize(f.stream);  // a call by another library
        CHECK(KGEN_MESSAGE_OF(DeviceError, f.graphs().end_capture(f.stream)) ==
              "cuda:0: the capture was invalidated by a call that cannot be part of a graph: no "
              "call of kgen failed, so another library made it; make it before the capture");
    }
    f.graphs().begin_capture(f.stream);
    CHECK(f.graphs().end_capture(f.stream)->node_count() == 0);
}

TEST_CASE("captures and launches that the driver refuses say what failed", "[cuda][graph]") {
    Fixture f;
    const auto end = [&] { static_cast<void>(f.graphs().end_capture(f.stream)); };
    CHECK(failing("cuStreamBeginCapture:1", [&] { f.graphs().begin_capture(f.stream); }) ==
          "cuda:0: cuStreamBeginCapture failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    f.graphs().begin_capture(f.stream);
    CHECK(failing("cuStreamEndCapture:904", end) ==
          "cuda:0: the capture has work in another stream that the captured stream does not wait "
          "for: end the work with wait(other) on the captured one");
    f.graphs().begin_capture(f.stream);
    CHECK(failing("cuStreamEndCapture:1", end) ==
          "cuda:0: cuStreamEndCapture failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    f.graphs().begin_capture(f.stream);
    f.backend.call_on_host(f.stream, [] {});
    CHECK(failing("cuGraphInstantiateWithFlags:2", end) ==
          "graph of 1 node on cuda:0: cuGraphInstantiate failed: CUDA_ERROR_OUT_OF_MEMORY (out of "
          "memory)");
    f.graphs().begin_capture(f.stream);
    CHECK(failing("cuGraphUpload:2", end) ==
          "graph of 0 nodes on cuda:0: cuGraphUpload failed: CUDA_ERROR_OUT_OF_MEMORY (out of "
          "memory)");
    CHECK(f.fake.calls("cuGraphExecDestroy") == 1);
    f.graphs().begin_capture(f.stream);
    const auto graph = f.graphs().end_capture(f.stream);
    CHECK(failing("cuGraphLaunch:1", [&] { f.graphs().launch(*graph, f.stream); }) ==
          "graph of 0 nodes on cuda:0: cuGraphLaunch failed: CUDA_ERROR_INVALID_VALUE (invalid "
          "argument)");
}

TEST_CASE("a graph whose launch costs the device is the first error of all later calls",
          "[cuda][graph]") {
    Fixture f;
    f.graphs().begin_capture(f.stream);
    std::shared_ptr<const LoadedGraph> graph = f.graphs().end_capture(f.stream);
    const std::string message =
        "graph of 0 nodes on cuda:0: cuGraphLaunch failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal "
        "memory access was encountered)\ncuda:0 can no longer be used by this process: start the "
        "process again";
    CHECK(failing("cuGraphLaunch:700", [&] { f.graphs().launch(*graph, f.stream); }) == message);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.graphs().begin_capture(f.stream)) == message);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.backend.call_on_host(f.stream, [] {})) == message);
    graph.reset();  // does nothing
    CHECK(f.fake.calls("cuGraphExecDestroy") == 0);
}

TEST_CASE("a fault that comes up later names the graphs that were launched", "[cuda][graph]") {
    Fixture f;
    f.graphs().begin_capture(f.stream);
    const auto graph = f.graphs().end_capture(f.stream);
    for (int k = 0; k < 2; ++k) f.graphs().launch(*graph, f.stream);
    CHECK(failing("cuStreamSynchronize:700", [&] { f.backend.synchronize_stream(f.stream); }) ==
          "cuda:0: cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory "
          "access was encountered)\n"
          "an earlier launch failed; the last ones: 'graph of 0 nodes' (2 times)\n"
          "cuda:0 can no longer be used by this process: start the process again; set KGEN_SYNC=1 "
          "to find the "
          "launch that fails");
}

TEST_CASE("KGEN_SYNC=1 names the graph whose work fails", "[cuda][graph]") {
    const ScopedVariable sync("KGEN_SYNC", "1");
    Fixture f;
    f.graphs().begin_capture(f.stream);
    const auto graph = f.graphs().end_capture(f.stream);
    CHECK(
        failing("cuStreamSynchronize:700", [&] { f.graphs().launch(*graph, f.stream); }) ==
        "'graph of 0 nodes' on cuda:0: cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an "
        "illegal memory access was encountered)\ncuda:0 can no longer be used by this process: "
        "start the process "
        "again");
}

TEST_CASE("launches of one graph never call the driver at once", "[cuda][graph]") {
    Fixture f;
    f.graphs().begin_capture(f.stream);
    f.backend.call_on_host(f.stream, [] { std::this_thread::yield(); });
    const auto graph = f.graphs().end_capture(f.stream);
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) {
        threads.emplace_back([&] {
            for (int round = 0; round < 200; ++round) f.graphs().launch(*graph, f.stream);
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(f.fake.record().graph_launches_clash);
    CHECK(f.fake.calls("cuGraphLaunch") == 800);
}

// --- The whole library on the driver that only counts -------------------------------------------

TEST_CASE("the driver is given no work for streams that a capture does not own", "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel next("float32 x", "float32 y", "y = x + 1", "next");
    const Stream stream = Stream::create();
    const Stream other = Stream::create();
    const Array x = empty({64}, float32);
    const Array y = empty({64}, float32);
    const Array pinned = empty_pinned({64}, float32);
    const Array on_host = zeros({64}, float32, {Device::host()});
    const BoundLaunch bound = next.bind(x, out(y));
    const Texture image = Texture::create(x.reshape({8, 8}));
    const auto on_other = [&](auto work) {
        return [&, work] {
            const StreamScope scope(other);
            work();
        };
    };
    const std::vector<std::function<void()>> calls = {
        [&] { bound(); },
        on_other([&] { next(x, out(y)); }),
        on_other([&] { y.assign(x); }),
        on_other([&] { y.assign(0); }),
        on_other([&] { y.assign(on_host); }),
        on_other([&] { copy_async(y, pinned); }),
        on_other([&] { copy_async(pinned, y); }),
        on_other([&] {
            image.update(x.reshape({8, 8}));
        }),
        [&] { other.call_on_host([] {}); },
    };
    const std::vector<const char*> work = {"cuLaunchKernel",
                                           "cuMemcpyDtoDAsync",
                                           "cuMemcpyHtoDAsync",
                                           "cuMemcpyDtoHAsync",
                                           "cuMemcpy3DAsync",
                                           "cuMemsetD8Async",
                                           "cuLaunchHostFunc"};
    const auto count = [&] {
        int all = 0;
        for (const char* each : work) all += driver.fake.calls(each);
        return all;
    };
    static_cast<void>(capture(stream, [&] {
        const Array kept = next(x);
        for (std::size_t k = 0; k < calls.size(); ++k) {
            CAPTURE(k);
            const int before = count();
            CHECK(KGEN_MESSAGE_OF(DeviceError, calls[k]())
                      .starts_with("cuda:0: cannot use a stream that is not being captured on a "
                                   "thread that captures another: "));
            CHECK(count() == before);
        }
        // Results of other streams may be read during a capture.
        const StreamScope scope(other);
        static_cast<void>(x.to_vector<float>());
    }));
    report("ok");
}

TEST_CASE("memory that a graph used is free again when the graph is gone", "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel next("float32 x", "float32 y", "y = x + 1", "next");
    const Stream stream = Stream::create();
    constexpr std::int64_t large = 16 << 20;  // elements; too large for BlockTable
    const Array x = empty({large}, float32);
    static_cast<void>(next(x));
    const std::size_t before = driver.fake.record().live_bytes;
    {
        const Graph graph = capture(stream, [&] { static_cast<void>(next(next(next(x)))); });
        CHECK(graph.node_count() == 3);
        CHECK(driver.fake.record().live_bytes == before + 3 * sizeof(float) * large);
        graph.launch(stream);
        graph.launch();
    }
    CHECK(driver.fake.record().live_bytes == before);
    // The memory is also freed if the capture fails.
    CHECK_THROWS_AS(capture(stream,
                            [&] {
                                static_cast<void>(next(x));
                                throw Error("enough");
                            }),
                    Error);
    CHECK(driver.fake.record().live_bytes == before);
    // An array that is dropped in a capture is freed after the capture. It adds no event to the capture.
    Array dropped = empty({large}, float32);
    static_cast<void>(next(dropped, on(stream)));
    const int events = driver.fake.calls("cuEventRecord");
    const auto drop = [&] {
        dropped = Array();
        CHECK(driver.fake.calls("cuEventRecord") == events);
    };
    CHECK_THROWS_AS(capture(stream, drop), DeviceError);  // the capture is empty
    CHECK(driver.fake.calls("cuEventRecord") == events + 1);
    CHECK(driver.fake.record().live_bytes == before);
    report("ok");
}

TEST_CASE("memory that another thread drops while its stream is captured is freed afterwards",
          "[cuda][graph]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel next("float32 x", "float32 y", "y = x + 1", "next");
    const Stream stream = Stream::create();
    Array x = empty({16 << 20}, float32);
    static_cast<void>(next(x, on(stream)));
    const std::size_t before = driver.fake.record().live_bytes;
    const int events = driver.fake.calls("cuEventRecord");
    const auto drop = [&] {
        std::thread([&] { x = Array(); }).join();
        CHECK(driver.fake.calls("cuEventRecord") == events);
        CHECK(driver.fake.record().live_bytes == before);
    };
    CHECK_THROWS_AS(capture(stream, drop), DeviceError);  // the capture is empty
    CHECK(driver.fake.calls("cuEventRecord") == events + 1);
    CHECK(driver.fake.record().live_bytes == before - (sizeof(float) << 24));
    report("ok");
}
