// SPDX-License-Identifier: MIT
//
// Tests of the scratch memory of launches on the fake CUDA driver (support/fake_cuda.hpp).
// cuda_scratch_gpu_test.cpp tests it on a GPU.
#include "cuda/memory/cuda_scratch.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "cuda/cuda_backend.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = kib * kib;

struct Fixture {
    FakeCuda fake;
    DriverLibrary driver{FakeCuda::path()};
    CudaBackend backend{driver, 0};

    Scratch take(int counters, std::size_t bytes, StreamHandle stream = nullptr) const {
        return backend.scratch(counters, bytes, stream);
    }
    void launch(StreamHandle stream) const {
        Image image;
        image.target = {DeviceKind::cuda, "sm_90"};
        image.symbol = "sum";
        image.sections.push_back({ImageKind::ptx, {std::byte{'p'}, std::byte{0}}});
        const unsigned char parameters[16] = {};
        backend.launch(*backend.load(image),
                       {.grid = 1, .block = 32},
                       parameters,
                       sizeof parameters,
                       stream,
                       "sum");
    }
    void begin_capture(const void* graph) const {
        fake.record().is_capturing = true;
        fake.record().graph = graph;
    }
    void end_capture() const { fake.record().is_capturing = false; }
    int fills() const { return fake.calls("cuMemsetD8Async"); }
    int allocations() const { return fake.calls("cuMemAllocFromPoolAsync"); }
};

// Returns a stream of another library.
StreamHandle foreign(int number) {
    return reinterpret_cast<StreamHandle>(std::uintptr_t{0x7000000} +
                                          static_cast<std::uintptr_t>(number) * 0x100);
}

bool is_zero(const Scratch& scratch, int counters) {
    return std::all_of(scratch.counters, scratch.counters + counters, [](std::uint32_t value) {
        return value == 0;
    });
}

bool are_same(const Scratch& one, const Scratch& other) {
    return one.counters == other.counters && one.partials == other.partials;
}

// Writes to all of the memory, so that a sanitizer reports it if it is too short.
void use(const Scratch& scratch, int counters, std::size_t bytes) {
    std::memset(scratch.partials, 0x5a, bytes);
    std::memset(scratch.counters, 0x5a, static_cast<std::size_t>(counters) * 4);
    std::memset(scratch.counters, 0, static_cast<std::size_t>(counters) * 4);
}

int graph_a = 0;
int graph_b = 0;

}  // namespace

TEST_CASE("launches of one stream share their scratch memory, other streams have their own",
          "[cuda][scratch]") {
    Fixture f;
    const StreamHandle created = f.backend.create_stream({});
    const StreamHandle second = f.backend.create_stream({});
    std::vector<Scratch> all;
    for (StreamHandle stream : {StreamHandle(), created, second, foreign(0), foreign(1)}) {
        const Scratch scratch = f.take(100, 5000, stream);
        CHECK(is_zero(scratch, 100));
        CHECK(reinterpret_cast<std::uintptr_t>(scratch.partials) % 256 == 0);
        use(scratch, 100, 5000);
        CHECK(are_same(f.take(100, 5000, stream), scratch));
        CHECK(are_same(f.take(7, 0, stream), scratch));
        for (const Scratch& other : all) {
            CHECK(other.counters != scratch.counters);
            CHECK(other.partials != scratch.partials);
        }
        all.push_back(scratch);
    }
    CHECK(are_same(f.take(100, 5000, CU_STREAM_LEGACY), all[0]));
}

TEST_CASE("counters are zeroed when they are allocated, on their stream, and never again",
          "[cuda][scratch]") {
    Fixture f;
    const StreamHandle stream = f.backend.create_stream({});
    for (int round = 0; round < 10; ++round) f.take(100, 1000, stream);
    CHECK(f.fills() == 1);
    CHECK(f.fake.record().last_fill_stream == stream);
    CHECK(f.fake.record().last_fill == CudaScratch::least_counters * 4);
    f.take(100, 10 * mib, stream);  // new partials, the same counters
    CHECK(f.fills() == 1);
    const Scratch more = f.take(200000, 1000, stream);
    CHECK(f.fills() == 2);
    CHECK(f.fake.record().last_fill == 800000);
    CHECK(is_zero(more, 200000));
}

TEST_CASE("what scratch memory grew from stays valid, and it grows by doubling",
          "[cuda][scratch]") {
    Fixture f;
    const StreamHandle created = f.backend.create_stream({});
    for (StreamHandle stream : {StreamHandle(), created, foreign(0)}) {
        const Scratch small = f.take(100, 1000, stream);
        const std::size_t before = f.fake.record().live_blocks;
        const Scratch large = f.take(100, 300 * kib, stream);
        CHECK(large.counters == small.counters);
        CHECK(large.partials != small.partials);
        CHECK(f.fake.record().last_allocation == 512 * kib);
        CHECK(f.fake.record().live_blocks == before + 1);
        use(small, 100, 1000);
        use(large, 100, 512 * kib);
        CHECK(are_same(f.take(100, 512 * kib, stream), large));
        // Counters and partials grow independently.
        const Scratch many = f.take(65537, 1000, stream);
        CHECK(many.counters != large.counters);
        CHECK(many.partials == large.partials);
        CHECK(f.fake.record().last_allocation == 512 * kib);
        CHECK(are_same(f.take(131072, 512 * kib, stream), many));
    }
    CHECK(f.fake.calls("cuMemFreeAsync") == 0);
}

TEST_CASE("the legacy stream's scratch memory is found without a call of the driver",
          "[cuda][scratch]") {
    Fixture f;
    f.take(100, 1000);
    const int calls = f.fake.calls();
    for (int round = 0; round < 100; ++round) f.take(100, 1000);
    f.take(8192, 256 * kib, CU_STREAM_LEGACY);
    CHECK(f.fake.calls() == calls);
}

TEST_CASE("the scratch memory of a stream of kgen's goes back when it is destroyed",
          "[cuda][scratch]") {
    Fixture f;
    const StreamHandle stream = f.backend.create_stream({});
    const std::size_t before = f.fake.record().live_blocks;
    f.take(100, 1000, stream);
    f.take(70000, 3 * mib, stream);
    CHECK(f.fake.record().live_blocks == before + 4);
    f.backend.destroy_stream(stream);
    CHECK(f.fake.record().live_blocks == before);
}

TEST_CASE("each thread's own default stream has scratch memory of its own", "[cuda][scratch]") {
    Fixture f;
    const Scratch here = f.take(100, 1000, CU_STREAM_PER_THREAD);
    CHECK(are_same(f.take(100, 1000, CU_STREAM_PER_THREAD), here));
    Scratch there;
    std::thread([&] {
        there = f.take(100, 1000, CU_STREAM_PER_THREAD);
        CHECK(are_same(f.take(100, 1000, CU_STREAM_PER_THREAD), there));
    }).join();
    CHECK(there.counters != here.counters);
    CHECK(there.partials != here.partials);
    CHECK(f.take(100, 1000).counters != here.counters);
}

TEST_CASE("streams of other libraries that end keep a bounded amount of scratch memory",
          "[cuda][scratch]") {
    Fixture f;
    constexpr int limit = static_cast<int>(CudaScratch::foreign_limit);
    for (int k = 0; k < limit; ++k) f.take(100, 1000, foreign(k));
    const std::size_t full = f.fake.record().live_bytes;
    for (int k = limit; k < limit + 1000; ++k) {
        const Scratch scratch = f.take(100, 40 * mib, foreign(k));
        REQUIRE(is_zero(scratch, 100));
        use(scratch, 100, 1000);
        CHECK(f.fake.record().last_fill_stream == foreign(k));
        // The launch owns the memory until the stream has received it.
        const std::size_t live = f.fake.record().live_bytes;
        REQUIRE(live > full + 40 * mib);
        f.launch(foreign(k));
        REQUIRE(f.fake.record().live_bytes == full);
    }
    // The first streams still have their memory.
    const int allocations = f.allocations();
    f.take(100, 1000, foreign(0));
    f.launch(foreign(0));
    CHECK(f.allocations() == allocations);
}

TEST_CASE("beyond that limit a launch that fails, or never comes, does not lose its memory",
          "[cuda][scratch]") {
    Fixture f;
    constexpr int limit = static_cast<int>(CudaScratch::foreign_limit);
    for (int k = 0; k < limit; ++k) f.take(100, 1000, foreign(k));
    const std::size_t full = f.fake.record().live_bytes;
    f.take(100, 40 * mib, foreign(limit));
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:1");
        CHECK_THROWS_AS(f.launch(foreign(limit)), DeviceError);
    }
    CHECK(f.fake.record().live_bytes == full);
    for (int round = 0; round < 3; ++round) f.take(100, 40 * mib, foreign(limit));
    f.launch(foreign(limit));
    CHECK(f.fake.record().live_bytes == full);
}

TEST_CASE("a launch that is captured has scratch memory of its own, zeroed outside of the capture",
          "[cuda][scratch]") {
    Fixture f;
    const StreamHandle created = f.backend.create_stream({});
    for (StreamHandle stream : {created, foreign(0), CU_STREAM_PER_THREAD}) {
        const Scratch eager = f.take(100, 1000, stream);
        f.begin_capture(&graph_a);
        const Scratch first = f.take(100, 1000, stream);
        CHECK(is_zero(first, 100));
        CHECK(f.fake.record().last_fill_stream != stream);
        CHECK(f.fake.record().last_fill_stream != nullptr);
        use(first, 100, 1000);
        const Scratch second = f.take(20000, 10 * mib, stream);
        CHECK(is_zero(second, 20000));
        use(second, 20000, 10 * mib);
        CHECK(f.fake.record().capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);  // restored
        f.end_capture();
        for (const Scratch& captured : {first, second}) {
            CHECK(captured.counters != eager.counters);
            CHECK(captured.partials != eager.partials);
            CHECK(reinterpret_cast<std::uintptr_t>(captured.partials) % 256 == 0);
        }
        CHECK(first.counters != second.counters);
        CHECK(are_same(f.take(100, 1000, stream), eager));
        f.fake.destroy_graph(&graph_a);
    }
    CHECK(f.fake.calls("cuGraphRetainUserObject") == 6);
}

TEST_CASE("a graph that goes gives its scratch memory to later captures, zeroed again",
          "[cuda][scratch]") {
    Fixture f;
    const StreamHandle stream = f.backend.create_stream({});
    f.begin_capture(&graph_a);
    const Scratch small = f.take(100, 1000, stream);
    const Scratch large = f.take(100, 100000, stream);
    small.counters[3] = 9;  // as if the last replay had been interrupted
    f.begin_capture(&graph_b);
    const Scratch other = f.take(100, 1000, stream);
    const int allocations = f.allocations();
    const int calls = f.fake.calls();
    f.fake.destroy_graph(&graph_a);
    CHECK(f.fake.calls() == calls + 2);  // cuUserObjectRelease: the graph's own
    // Takes the smallest free block that is large enough, and never one that a graph still owns.
    const Scratch again = f.take(300, 1000, stream);
    CHECK(again.counters == large.counters);
    CHECK(f.take(10, 500, stream).counters == small.counters);
    CHECK(is_zero(small, 10));
    CHECK(f.allocations() == allocations);
    CHECK(f.take(10, 500, stream).counters != other.counters);
    CHECK(f.allocations() == allocations + 1);
}

TEST_CASE("graphs may outlive the backend", "[cuda][scratch]") {
    const FakeCuda fake;
    {
        Fixture f;
        const StreamHandle stream = f.backend.create_stream({});
        f.begin_capture(&graph_a);
        f.take(100, 1000, stream);
        f.take(100, 1000, stream);
    }
    fake.destroy_graph(&graph_a);
    CHECK(fake.calls("cuUserObjectRelease") == 2);
}

TEST_CASE("where the driver knows no owners a captured launch keeps its scratch memory for ever",
          "[cuda][scratch]") {
    for (const char* missing : {"cuStreamGetCaptureInfo",
                                "cuUserObjectCreate",
                                "cuUserObjectRelease",
                                "cuGraphRetainUserObject"}) {
        const ScopedVariable absent("FAKE_CUDA_MISSING", missing);
        Fixture f;
        const StreamHandle stream = f.backend.create_stream({});
        f.begin_capture(&graph_a);
        const Scratch first = f.take(100, 1000, stream);
        const Scratch second = f.take(100, 1000, stream);
        CHECK(first.counters != second.counters);
        CHECK(is_zero(second, 100));
        CHECK(f.fake.calls("cuMemFreeAsync") == 0);
    }
}

TEST_CASE("a graph that refuses to own scratch memory is an error, and the memory is not lost",
          "[cuda][scratch]") {
    Fixture f;
    const StreamHandle stream = f.backend.create_stream({});
    f.begin_capture(&graph_a);
    for (const char* call : {"cuUserObjectCreate", "cuGraphRetainUserObject", "cuMemsetD8Async"}) {
        const std::string variable = std::string(call) + ":1";
        const ScopedVariable fail("FAKE_CUDA_FAIL", variable.c_str());
        CHECK(KGEN_MESSAGE_OF(DeviceError, f.take(100, 1000, stream)) ==
              "cuda:0: " + std::string(call) +
                  " failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    }
    f.take(100, 1000, stream);
    CHECK(f.allocations() == 1);
    f.begin_capture(nullptr);
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.take(100, 1000, stream)) ==
          "cuda:0: cuStreamGetCaptureInfo failed: error 901");
    CHECK(f.allocations() == 1);
    f.fake.destroy_graph(&graph_a);
}

TEST_CASE("scratch memory that is not there is an error that says what it was for",
          "[cuda][scratch]") {
    Fixture f;
    const auto message = [&](int counters, std::size_t bytes, StreamHandle stream) {
        return KGEN_MESSAGE_OF(DeviceError, f.take(counters, bytes, stream));
    };
    const std::string free_text = "; 2.0 of 80.0 GiB are free";
    const StreamHandle created = f.backend.create_stream({});
    f.take(100, 1000);
    f.fake.record().memory_bytes = f.fake.record().live_bytes + mib;
    CHECK(
        message(100, std::size_t{3} << 30, nullptr) ==
        "cuda:0: out of memory: cannot allocate 3221225472 bytes (3.0 GiB) of scratch memory for a "
        "reduction" +
            free_text);
    CHECK(
        message(100, std::size_t{3} << 30, foreign(0)) ==
        "cuda:0: out of memory: cannot allocate 3221225472 bytes (3.0 GiB) of scratch memory for a "
        "reduction" +
            free_text);
    CHECK(
        message(1 << 30, 0, created) ==
        "cuda:0: out of memory: cannot allocate 4294967296 bytes (4.0 GiB) of scratch memory for a "
        "reduction" +
            free_text);
    f.begin_capture(&graph_a);
    CHECK(
        message(64, (std::size_t{3} << 30) - 256, created) ==
        "cuda:0: out of memory: cannot allocate 3221225472 bytes (3.0 GiB) of scratch memory for a "
        "reduction" +
            free_text);
    CHECK(
        message(64, SIZE_MAX, created) ==
        "cuda:0: out of memory: cannot allocate 18446744073709551615 bytes (17179869184.0 GiB) of "
        "scratch memory for a reduction" +
            free_text);
    f.end_capture();
    // The existing memory stays usable.
    const Scratch scratch = f.take(100, 1000);
    CHECK(is_zero(scratch, 100));
    use(scratch, 100, 1000);
}

TEST_CASE("where there is no room for doubling, scratch memory grows by what is needed",
          "[cuda][scratch]") {
    Fixture f;
    f.take(100, 10 * mib);
    f.fake.record().memory_bytes = f.fake.record().live_bytes + 15 * mib;
    const Scratch scratch = f.take(100, 12 * mib);
    CHECK(f.fake.record().last_allocation == 12 * mib);
    use(scratch, 100, 12 * mib);
    CHECK(are_same(f.take(100, 12 * mib), scratch));
}

TEST_CASE("a capture without memory takes what graphs that are gone have left", "[cuda][scratch]") {
    Fixture f;
    const StreamHandle stream = f.backend.create_stream({});
    f.begin_capture(&graph_a);
    f.take(100, 10 * mib, stream);
    f.take(100, 20 * mib, stream);
    f.fake.record().memory_bytes = f.fake.record().live_bytes;
    f.fake.destroy_graph(&graph_a);
    f.begin_capture(&graph_b);
    const Scratch scratch = f.take(100, 25 * mib, stream);
    CHECK(is_zero(scratch, 100));
    use(scratch, 100, 25 * mib);
    CHECK(f.fake.calls("cuMemFreeAsync") == 2);
    f.fake.destroy_graph(&graph_b);
}

TEST_CASE("a device that is lost while scratch memory is made is lost for ever",
          "[cuda][scratch]") {
    Fixture f;
    const std::string message =
        "cuda:0: cuMemsetD8Async failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
        "encountered)\ncuda:0 can no longer be used by this process: start the process again";
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuMemsetD8Async:700");
        CHECK(KGEN_MESSAGE_OF(DeviceError, f.take(100, 1000)) == message);
    }
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.take(100, 1000)) == message);
}
