// SPDX-License-Identifier: MIT
//
// Tests of the scratch memory of direct and captured launches on a GPU. Without a GPU each test reports that
// it was skipped.
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <kgen/stream.hpp>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cuda/cuda_backend.hpp"
#include "cuda/memory/cuda_scratch.hpp"
#include "device/registry.hpp"
#include "support/captured_graph.hpp"
#include "support/catch.hpp"

using namespace kgen;
using test::CapturedGraph;

namespace {

// Each thread block writes one partial. The last block to finish adds them up and resets the counter.
constexpr const char* total_source = R"(
struct Parameters { unsigned* counters; unsigned long long* partials; unsigned long long* total; };
extern "C" __global__ void total(Parameters p) {
    p.partials[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    if (atomicAdd(p.counters, 1u) != gridDim.x - 1) return;
    __threadfence();
    unsigned long long sum = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) sum += ((volatile unsigned long long*)p.partials)[k];
    *p.total += sum;
    p.counters[0] = 0;
}
)";

constexpr int blocks = 300;
constexpr std::uint64_t sum_of_blocks = std::uint64_t{blocks} * (blocks + 1) / 2;

class Gpu {
public:
    Gpu() {
        if (device_count(DeviceKind::cuda) == 0) {
            WARN("skipped: this test needs a GPU");
            return;
        }
        try {
            kernel_ = backend(Device::cuda(0))
                          .load(compiler(DeviceKind::cuda)
                                    .compile({"total",
                                              total_source,
                                              "total",
                                              {},
                                              default_target(DeviceKind::cuda)}));
        } catch (const DeviceError& error) {
            if (error.call() == "cuLibraryLoadData") throw;
            WARN("skipped: this test needs NVRTC");
            return;
        }
        total_ = static_cast<std::uint64_t*>(device().allocate(8, nullptr));
        device().fill_bytes(total_, 0, 8, nullptr);
        device().synchronize();
    }
    ~Gpu() {
        if (total_ != nullptr) device().free(total_, 8, nullptr);
    }
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    bool is_there() const { return total_ != nullptr; }
    static const Backend& device() { return backend(Device::cuda(0)); }

    // Launches a kernel that adds sum_of_blocks to the total. Returns its scratch memory.
    Scratch add(StreamHandle stream) const { return add(stream, total_); }
    Scratch add(StreamHandle stream, std::uint64_t* total) const {
        const Scratch scratch = device().scratch(1, blocks * 8, stream);
        const struct {
            void* counters;
            void* partials;
            void* total;
        } parameters = {scratch.counters, scratch.partials, total};
        device().launch(*kernel_,
                        {.grid = blocks, .block = 1},
                        &parameters,
                        sizeof parameters,
                        stream,
                        "total");
        return scratch;
    }
    // Returns how many launches have added to the total, and resets it to zero.
    double take_count() const {
        device().synchronize();
        std::uint64_t total = 0;
        device().copy(&total, total_, 8, CopyDirection::device_to_host, nullptr);
        device().fill_bytes(total_, 0, 8, nullptr);
        device().synchronize();
        return static_cast<double>(total) / static_cast<double>(sum_of_blocks);
    }

private:
    std::shared_ptr<const LoadedKernel> kernel_;
    std::uint64_t* total_ = nullptr;
};

std::vector<std::uint32_t> counters_of(const Scratch& scratch, std::size_t count) {
    std::vector<std::uint32_t> values(count, 1);
    Gpu::device().copy(
        values.data(), scratch.counters, count * 4, CopyDirection::device_to_host, nullptr);
    return values;
}

}  // namespace

TEST_CASE("gpu: counters are zero when they are new and when they grew", "[cuda][gpu][scratch]") {
    const Gpu gpu;
    if (!gpu.is_there()) return;
    const Stream created = Stream::create(Device::cuda(0));
    for (StreamHandle stream : {StreamHandle(), created.handle(), CU_STREAM_PER_THREAD}) {
        for (const int count : {1, 8192, 8193, 100000}) {
            const Scratch scratch = Gpu::device().scratch(count, 1000, stream);
            Gpu::device().synchronize_stream(stream);
            CHECK(reinterpret_cast<std::uintptr_t>(scratch.partials) % 256 == 0);
            const auto size = static_cast<std::size_t>(count);
            CHECK(counters_of(scratch, size) == std::vector<std::uint32_t>(size, 0));
        }
    }
}

TEST_CASE("gpu: launches on many streams at once do not disturb each other",
          "[cuda][gpu][scratch]") {
    const Gpu gpu;
    if (!gpu.is_there()) return;
    const DriverApi& api = DriverLibrary::get().api();
    std::vector<CUstream> streams(CudaScratch::foreign_limit + 100);
    std::uint64_t* totals =
        static_cast<std::uint64_t*>(Gpu::device().allocate(streams.size() * 8, nullptr));
    Gpu::device().fill_bytes(totals, 0, streams.size() * 8, nullptr);
    Gpu::device().synchronize();
    for (CUstream& stream : streams)
        REQUIRE(api.stream_create(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    for (int round = 0; round < 20; ++round) {
        for (std::size_t k = 0; k < streams.size(); ++k) gpu.add(streams[k], totals + k);
    }
    Gpu::device().synchronize();
    std::vector<std::uint64_t> found(streams.size());
    Gpu::device().copy(
        found.data(), totals, found.size() * 8, CopyDirection::device_to_host, nullptr);
    CHECK(found == std::vector<std::uint64_t>(streams.size(), 20 * sum_of_blocks));
    for (CUstream stream : streams) CHECK(api.stream_destroy(stream) == CUDA_SUCCESS);
    Gpu::device().free(totals, streams.size() * 8, nullptr);
}

TEST_CASE("gpu: threads launch on one stream, and on their own default streams",
          "[cuda][gpu][scratch]") {
    const Gpu gpu;
    if (!gpu.is_there()) return;
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) {
        threads.emplace_back([&] {
            auto* own =
                static_cast<std::uint64_t*>(Gpu::device().allocate(8, CU_STREAM_PER_THREAD));
            Gpu::device().fill_bytes(own, 0, 8, CU_STREAM_PER_THREAD);
            for (int round = 0; round < 200; ++round) {
                gpu.add(nullptr);
                gpu.add(CU_STREAM_PER_THREAD, own);
            }
            std::uint64_t found = 0;
            Gpu::device().copy(&found, own, 8, CopyDirection::device_to_host, CU_STREAM_PER_THREAD);
            if (found == 200 * sum_of_blocks) ++right;
            Gpu::device().free(own, 8, CU_STREAM_PER_THREAD);
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 4);
    CHECK(gpu.take_count() == 800);
}

TEST_CASE("gpu: a captured launch is replayed beside eager ones on the same stream",
          "[cuda][gpu][scratch]") {
    const Gpu gpu;
    if (!gpu.is_there()) return;
    const Stream stream = Stream::create(Device::cuda(0));
    Scratch first;
    Scratch second;
    // The capture is in the strictest mode, and the stream has no scratch memory yet.
    CapturedGraph graph(stream.handle(), [&] {
        first = gpu.add(stream.handle());
        second = gpu.add(stream.handle());
    });
    CHECK(first.counters != second.counters);
    CHECK(gpu.take_count() == 0);
    for (int round = 0; round < 10; ++round) {
        graph.launch(stream.handle());
        const Scratch eager = gpu.add(stream.handle());
        CHECK(eager.counters != first.counters);
        CHECK(eager.counters != second.counters);
    }
    CHECK(gpu.take_count() == 30);
    // The executable graph outlives its graph and keeps the memory.
    graph.destroy_graph();
    CapturedGraph other(stream.handle(), [&] {
        const Scratch scratch = gpu.add(stream.handle());
        CHECK(scratch.counters != first.counters);
        CHECK(scratch.counters != second.counters);
    });
    graph.launch(stream.handle());
    other.launch(stream.handle());
    CHECK(gpu.take_count() == 3);
}

TEST_CASE("gpu: the scratch memory of graphs that are gone serves later ones",
          "[cuda][gpu][scratch]") {
    const Gpu gpu;
    if (!gpu.is_there()) return;
    const Stream stream = Stream::create(Device::cuda(0));
    std::set<const void*> seen;
    // The driver reports the end of a graph on its own thread, a little later, so a few blocks suffice.
    for (int round = 0; round < 100; ++round) {
        const CapturedGraph graph(stream.handle(),
                                  [&] { seen.insert(gpu.add(stream.handle()).counters); });
        graph.launch(stream.handle());
        stream.synchronize();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(gpu.take_count() == 100);
    CHECK(seen.size() < 50);
}
