// SPDX-License-Identifier: MIT
//
// Tests of copies between two GPUs on the fake CUDA driver: their order, and the test copy before the first one.
#include <spdlog/sinks/ostream_sink.h>

#include <array>
#include <atomic>
#include <kgen/kgen.hpp>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "cuda/cuda_backend.hpp"
#include "support/captured_graph.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_driver.hpp"
#include "support/fresh_process.hpp"
#include "support/scoped_variable.hpp"
#include "text/log.hpp"

using namespace kgen;

namespace {

using Numbers = std::array<int, 1000>;

// Two GPUs, a stream and a block of numbers on each.
struct Pair {
    ScopedVariable devices{"FAKE_CUDA_DEVICES", "2"};
    FakeCuda fake;
    DriverLibrary driver{FakeCuda::path()};
    CudaBackend first{driver, 0};
    CudaBackend second{driver, 1};
    StreamHandle here = first.create_stream({});
    StreamHandle there = second.create_stream({});
    void* on_first = first.allocate(sizeof(Numbers), here);
    void* on_second = second.allocate(sizeof(Numbers), there);
    Numbers sent = {};

    Pair() {
        for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = static_cast<int>(k * k);
        first.copy(on_first, sent.data(), sizeof sent, CopyDirection::host_to_device, here);
        second.fill_bytes(on_second, 0, sizeof sent, there);
    }
    void copy() const {
        second.copy_from_peer(on_second, on_first, sizeof sent, first, here, there);
    }
    void copy_back() const {
        first.copy_from_peer(on_first, on_second, sizeof sent, second, there, here);
    }
    Numbers received() const {
        Numbers numbers = {};
        second.copy(
            numbers.data(), on_second, sizeof numbers, CopyDirection::device_to_host, there);
        return numbers;
    }
};

// The log of kgen until the end of the scope.
class LogText {
public:
    LogText() {
        sink_->set_pattern("%l: %v");
        log().sinks().push_back(sink_);
    }
    ~LogText() { log().sinks().pop_back(); }
    std::string str() const { return text_.str(); }

private:
    std::ostringstream text_;
    std::shared_ptr<spdlog::sinks::ostream_sink_mt> sink_ =
        std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
};

constexpr const char* lost_text =
    "warning: a test copy from cuda:0 to cuda:1 did not arrive, although the driver reported "
    "success; "
    "copies from cuda:0 to cuda:1 go through the host; try another driver, or KGEN_PEER_ACCESS=0\n";

}  // namespace

TEST_CASE("a copy between GPUs waits for both streams, and they wait for it, and no thread does",
          "[cuda][peer]") {
    const Pair pair;
    pair.copy();
    CHECK(pair.received() == pair.sent);
    pair.fake.record().order_log[0] = '\0';
    const int waits = pair.fake.calls("cuStreamSynchronize");
    const int copies = pair.fake.calls("cuMemcpyPeerAsync");
    pair.copy();
    CHECK(pair.fake.record().order_log ==
          fmt::format("{1} waits for {0}; copy in {1}; {0} waits for {1}; ",
                      static_cast<void*>(pair.here),
                      static_cast<void*>(pair.there)));
    CHECK(pair.fake.calls("cuStreamSynchronize") == waits);
    CHECK(pair.fake.calls("cuMemcpyPeerAsync") == copies + 1);
    CHECK(pair.fake.calls("cuEventCreate") == pair.fake.calls("cuEventDestroy"));
    pair.second.copy_from_peer(pair.on_second, pair.on_first, 0, pair.first, pair.here, pair.there);
    CHECK(pair.fake.calls("cuMemcpyPeerAsync") == copies + 1);
}

TEST_CASE("the first copy in each direction is preceded by a test copy", "[cuda][peer]") {
    const LogText text;
    const Pair pair;
    const std::size_t blocks = pair.fake.record().live_blocks;
    pair.copy();
    CHECK(pair.fake.calls("cuMemcpyPeerAsync") == 2);
    pair.copy();
    CHECK(pair.fake.calls("cuMemcpyPeerAsync") == 3);
    pair.copy_back();
    CHECK(pair.fake.calls("cuMemcpyPeerAsync") == 5);
    CHECK(pair.received() == pair.sent);
    CHECK(pair.fake.record().live_blocks == blocks);
    CHECK(text.str().empty());
}

TEST_CASE("copies whose test copy is lost go through the host, with one warning", "[cuda][peer]") {
    const ScopedVariable lost("FAKE_CUDA_LOST_COPIES", "01");
    const LogText text;
    const Pair pair;
    const std::size_t blocks = pair.fake.record().live_blocks;
    pair.copy();
    CHECK(pair.received() == pair.sent);
    CHECK(pair.fake.record().live_blocks == blocks);
    pair.second.fill_bytes(pair.on_second, 0, sizeof(Numbers), pair.there);
    pair.copy();
    CHECK(pair.received() == pair.sent);
    CHECK(pair.fake.calls("cuMemcpyPeerAsync") == 1);
    CHECK(text.str() == lost_text);
    // The other direction works.
    pair.first.fill_bytes(pair.on_first, 0, sizeof(Numbers), pair.here);
    pair.copy_back();
    pair.second.fill_bytes(pair.on_second, 0, sizeof(Numbers), pair.there);
    pair.copy();
    CHECK(pair.received() == pair.sent);
    CHECK(pair.fake.calls("cuMemcpyPeerAsync") == 3);
    CHECK(text.str() == lost_text);
}

TEST_CASE("a copy of several parts goes through the host", "[cuda][peer]") {
    const ScopedVariable lost("FAKE_CUDA_LOST_COPIES", "01");
    const LogText text;
    const Pair pair;
    constexpr std::size_t bytes = (std::size_t{40} << 20) + 12;
    std::vector<unsigned char> sent(bytes);
    for (std::size_t k = 0; k < bytes; ++k) sent[k] = static_cast<unsigned char>(k ^ (k >> 11));
    std::vector<unsigned char> received(bytes);
    void* from = pair.first.allocate(bytes, pair.here);
    void* to = pair.second.allocate(bytes, pair.there);
    pair.first.copy(from, sent.data(), bytes, CopyDirection::host_to_device, pair.here);
    pair.second.copy_from_peer(to, from, bytes, pair.first, pair.here, pair.there);
    pair.second.copy(received.data(), to, bytes, CopyDirection::device_to_host, pair.there);
    CHECK(received == sent);
    CHECK(pair.fake.calls("cuMemcpyDtoHAsync") == 1 + 3 + 1);  // test, parts, result
    pair.first.free(from, bytes, pair.here);
    pair.second.free(to, bytes, pair.there);
}

TEST_CASE("threads that copy at once wait for one test copy", "[cuda][peer]") {
    const ScopedVariable lost("FAKE_CUDA_LOST_COPIES", "01");
    const LogText text;
    const Pair pair;
    std::atomic<bool> starts = false;
    std::vector<void*> received;
    std::vector<std::thread> threads;
    for (int k = 0; k < 8; ++k)
        received.push_back(pair.second.allocate(sizeof(Numbers), pair.there));
    for (void* block : received) {
        threads.emplace_back([&, block] {
            while (!starts) std::this_thread::yield();
            pair.second.copy_from_peer(
                block, pair.on_first, sizeof(Numbers), pair.first, pair.here, pair.there);
        });
    }
    starts = true;
    for (std::thread& thread : threads) thread.join();
    for (void* block : received) {
        Numbers numbers = {};
        pair.second.copy(
            numbers.data(), block, sizeof numbers, CopyDirection::device_to_host, pair.there);
        CHECK(numbers == pair.sent);
        pair.second.free(block, sizeof numbers, pair.there);
    }
    CHECK(pair.fake.calls("cuMemcpyPeerAsync") == 1);
    CHECK(text.str() == lost_text);
}

TEST_CASE("a failed test copy is an error, and is repeated before the next copy", "[cuda][peer]") {
    const Pair pair;
    const std::size_t blocks = pair.fake.record().live_blocks;
    {
        const ScopedVariable failure("FAKE_CUDA_FAIL", "cuMemcpyPeerAsync:1");
        CHECK(KGEN_MESSAGE_OF(DeviceError, pair.copy()) ==
              "cuda:1: cuMemcpyPeerAsync failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    }
    {
        const ScopedVariable failure("FAKE_CUDA_FAIL", "cuMemAllocFromPoolAsync:2");
        CHECK(KGEN_MESSAGE_OF(DeviceError, pair.copy()) ==
              "cuda:0: out of memory: cannot allocate 256 bytes (0.0 GiB) of a test copy between "
              "GPUs; 2.0 of 80.0 GiB are free");
    }
    CHECK(pair.fake.record().live_blocks == blocks);
    pair.copy();
    CHECK(pair.received() == pair.sent);
    CHECK(pair.fake.calls("cuMemcpyPeerAsync") == 3);
}

TEST_CASE("streams that are captured are left alone by copies between GPUs", "[cuda][peer]") {
    const Pair pair;
    for (StreamHandle stream : {pair.here, pair.there}) {
        const char* name = stream == pair.here ? "cuda:0" : "cuda:1";
        REQUIRE(pair.fake.begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == 0);
        CHECK(KGEN_MESSAGE_OF(DeviceError, pair.copy()) ==
              name + std::string(": cannot wait for a stream that is being captured, because its "
                                 "work runs only when the graph is launched: read results (item(), "
                                 "to_vector()), copy from the host and synchronize before the "
                                 "capture or after the launch"));
        void* graph = nullptr;
        REQUIRE(pair.fake.end_capture(stream, &graph) == 0);
        pair.fake.destroy_graph(graph);
    }
    CHECK(pair.fake.calls("cuMemcpyPeerAsync") == 0);
    // The test copy does not disturb the capture of another stream.
    const StreamHandle captured = pair.first.create_stream({});
    REQUIRE(pair.fake.begin_capture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL) == 0);
    pair.copy();
    CHECK(pair.received() == pair.sent);
    void* graph = nullptr;
    REQUIRE(pair.fake.end_capture(captured, &graph) == 0);
    pair.fake.destroy_graph(graph);
}

TEST_CASE("fresh: arrays on two GPUs", "[.fresh]") {
    const FakeCuda fake;
    const Stream here = Stream::create(Device::cuda(0));
    const Stream there = Stream::create(Device::cuda(1));
    const StreamScope use_here(here);
    const StreamScope use_there(there);
    const Array host = arange(100, float32, {.device = Device::host()});
    Array x = host.to(Device::cuda(0));
    const Array first = x.to(Device::cuda(1));
    fake.record().order_log[0] = '\0';
    const int waits = fake.calls("cuStreamSynchronize");
    const Array second = x.to(Device::cuda(1));
    second.assign(x);
    const bool is_ordered =
        fake.record().order_log == fmt::format(
                                       "{1} waits for {0}; copy in {1}; {0} waits for {1}; "
                                       "{1} waits for {0}; copy in {1}; {0} waits for {1}; ",
                                       static_cast<void*>(here.handle()),
                                       static_cast<void*>(there.handle()));
    report(is_ordered && fake.calls("cuStreamSynchronize") == waits ? "ordered\n"
                                                                    : "not ordered\n");
    report(array_equal(second.to(Device::host()), host) ? "equal\n" : "different\n");
    // The source's memory is freed on another stream than it was copied in: that stream waits.
    fake.record().order_log[0] = '\0';
    const Stream other = Stream::create(Device::cuda(0));
    {
        const StreamScope use_other(other);
        const Array y = x.to(Device::cuda(1));
    }
    x = Array();
    const std::string order = fake.record().order_log;
    const std::string last = fmt::format(
        "{} waits for {}; ", static_cast<void*>(here.handle()), static_cast<void*>(other.handle()));
    report(order.ends_with(last) ? "freed in order\n" : "freed too early: " + order + "\n");
}

TEST_CASE("memory of two GPUs that a graph uses is freed after its launches", "[cuda][peer]") {
    if (!in_new_process("2")) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const auto use = [&](const Stream& here, const Stream& there) {
        const StreamScope use_here(here);
        const StreamScope use_there(there);
        const ElementwiseKernel twice("float32 x", "float32 z", "z = 2 * x", "twice");
        Array x = zeros({100}, float32, {.device = Device::cuda(0)});
        Array y = zeros({100}, float32, {.device = Device::cuda(1)});
        twice(x, out(x));
        twice(y, out(y));
        const Stream first = Stream::create(Device::cuda(0));
        const Stream second = Stream::create(Device::cuda(1));
        std::optional<Graph> graph = capture(first, [&] {
            const StreamScope scope(second);
            second.wait(first);
            twice(x, out(x));
            twice(y, out(y));
            first.wait(second);
        });
        graph->launch(here);
        graph->launch(first);
        graph.reset();
        x = Array();
        driver.fake.record().order_log[0] = '\0';
        y = Array();
        const auto text = [](const Stream& stream) {
            return stream.handle() == nullptr
                       ? "(nil)"
                       : fmt::format("{}", static_cast<void*>(stream.handle()));
        };
        return std::pair(
            std::string(driver.fake.record().order_log),
            fmt::format(
                "{0} waits for {1}; {0} waits for {2}; ", text(there), text(here), text(first)));
    };
    const auto own = use(Stream::create(Device::cuda(0)), Stream::create(Device::cuda(1)));
    CHECK(own.first == own.second);
    const auto legacy = use(Stream::legacy(Device::cuda(0)), Stream::legacy(Device::cuda(1)));
    CHECK(legacy.first == legacy.second);
    report("ok");
}

TEST_CASE("GPUs whose memory cannot be shared are named, and the others work",
          "[cuda][peer][shard]") {
    if (!in_new_process("4")) return;
    ::setenv("FAKE_CUDA_CLOSED_POOLS", "12 23", 1);
    ::setenv("KGEN_NCCL_PATH", KGEN_FAKE_NCCL, 1);
    const auto message = [](int to, int from, const char* call) {
        return fmt::format(
            "cuda:{0}: cannot copy from cuda:{1}, whose memory pool cannot be opened to cuda:{0}: "
            "{2} failed: CUDA_ERROR_INVALID_VALUE (invalid argument)\n"
            "use other GPUs, or set KGEN_PEER_ACCESS=0 to copy between GPUs through the host",
            to,
            from,
            call);
    };
    CHECK(KGEN_MESSAGE_OF(DeviceError, Communicator::of_devices({0, 1, 2, 3})) ==
          message(2, 1, "cuMemPoolSetAccess"));
    CHECK(KGEN_MESSAGE_OF(DeviceError, Communicator::of_devices({3, 2, 3})) ==
          message(3, 2, "cuMemPoolSetAccess"));
    const Communicator others = Communicator::of_devices({0, 1, 3});
    others.barrier();
    const Array x = arange(10, int32, {.device = Device::host()});
    for (const int near : {0, 1, 3}) {
        for (const int far : {0, 1, 3})
            CHECK(
                array_equal(x.to(Device::cuda(near)).to(Device::cuda(far)).to(Device::host()), x));
    }
    CHECK(KGEN_MESSAGE_OF(DeviceError, x.to(Device::cuda(1)).to(Device::cuda(2))) ==
          message(2, 1, "cuMemPoolSetAccess"));
    CHECK(KGEN_MESSAGE_OF(DeviceError, Communicator::of_devices({0, 1, 2, 7})) ==
          "cuda:7 does not exist: this process can use 4 CUDA devices (cuda:0 to cuda:3)");
    report("ok");
}

TEST_CASE("copies of arrays between GPUs are ordered by events", "[cuda][peer]") {
    CHECK(run_fresh("fresh: arrays on two GPUs",
                    {{"KGEN_CUDA_PATH", FakeCuda::path()}, {"FAKE_CUDA_DEVICES", "2"}})
              .text == "ordered\nequal\nfreed in order\n");
}

TEST_CASE("fresh: a first copy between two GPUs beside a capture", "[.fresh]") {
    const Array here = arange(1000, int32, {.device = Device::cuda(0)});
    const Stream captured = Stream::create(Device::cuda(0));
    Array there;
    const test::CapturedGraph graph(captured.handle(), [&] { there = here.to(Device::cuda(1)); });
    report(array_equal(there.to(Device::cuda(0)), here) ? "equal\n" : "different\n");
}

TEST_CASE("gpu: memory of a second GPU is made, and copied to, beside a capture of another library",
          "[cuda][gpu][peer]") {
    if (device_count(DeviceKind::cuda) < 2) {
        WARN("skipped: this test needs two GPUs, and there are " << device_count(DeviceKind::cuda));
        return;
    }
    CHECK(run_fresh("fresh: a first copy between two GPUs beside a capture", {}).text == "equal\n");
}
