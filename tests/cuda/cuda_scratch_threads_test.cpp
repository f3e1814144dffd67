// SPDX-License-Identifier: MIT
//
// Tests of threads that take scratch memory of one GPU at the same time, on the fake CUDA driver
// (support/fake_cuda.hpp).
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "cuda/cuda_backend.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"

using namespace kgen;

namespace {

StreamHandle foreign(int number) {
    return reinterpret_cast<StreamHandle>(std::uintptr_t{0x7000000} +
                                          static_cast<std::uintptr_t>(number) * 0x100);
}

template <typename Run>
void on_threads(int count, Run run) {
    std::vector<std::thread> threads;
    for (int index = 0; index < count; ++index) threads.emplace_back([=] { run(index); });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("threads that grow the scratch memory of one stream find zeros and enough of it",
          "[cuda][scratch]") {
    const FakeCuda fake;
    const DriverLibrary driver(FakeCuda::path());
    const CudaBackend backend(driver, 0);
    const StreamHandle created = backend.create_stream({});
    for (StreamHandle stream : {StreamHandle(), created, foreign(0)}) {
        std::atomic<int> wrong = 0;
        on_threads(4, [&](int index) {
            for (int round = 0; round < 200; ++round) {
                const int counters = 1 + ((round * 7 + index) % 50) * 1000;
                const std::size_t bytes = 1000 + static_cast<std::size_t>(round + index) * 10000;
                const Scratch scratch = backend.scratch(counters, bytes, stream);
                if (scratch.counters[0] != 0 || scratch.counters[counters - 1] != 0) ++wrong;
                if (reinterpret_cast<std::uintptr_t>(scratch.partials) % 256 != 0) ++wrong;
            }
        });
        CHECK(wrong == 0);
    }
    // Counters double from 8192 to at least 49001, partials from 256 KiB to 2 MB. These are at most 8
    // allocations for each stream.
    CHECK(fake.calls("cuMemAllocFromPoolAsync") <= 3 * 8);
    CHECK(fake.calls("cuMemFreeAsync") == 0);
}

TEST_CASE("of more foreign streams than keep their scratch memory no two share any",
          "[cuda][scratch]") {
    const FakeCuda fake;
    const DriverLibrary driver(FakeCuda::path());
    const CudaBackend backend(driver, 0);
    Image image;
    image.target = {DeviceKind::cuda, "sm_90"};
    image.symbol = "sum";
    image.sections.push_back({ImageKind::ptx, {std::byte{'p'}, std::byte{0}}});
    const auto kernel = backend.load(image);
    std::atomic<int> clashes = 0;
    std::atomic<bool> launching = false;
    on_threads(4, [&](int index) {
        for (int round = 0; round < 300; ++round) {
            const StreamHandle stream = foreign(index * 1000 + round);
            const Scratch scratch = backend.scratch(10, 1000, stream);
            if (++scratch.counters[0] != 1) ++clashes;
            std::memset(scratch.partials, index, 1000);
            std::this_thread::yield();
            if (static_cast<char*>(scratch.partials)[999] != index) ++clashes;
            if (--scratch.counters[0] != 0) ++clashes;
            while (launching.exchange(true))
                std::this_thread::yield();  // the fake driver serves one call at a time
            const unsigned char parameters[16] = {};
            backend.launch(
                *kernel, {.grid = 1, .block = 32}, parameters, sizeof parameters, stream, "sum");
            launching = false;
        }
    });
    CHECK(clashes == 0);
}

TEST_CASE("threads capture into graphs that go while others capture", "[cuda][scratch]") {
    const FakeCuda fake;
    const DriverLibrary driver(FakeCuda::path());
    const CudaBackend backend(driver, 0);
    const StreamHandle stream = backend.create_stream({});
    int graph = 0;
    fake.record().is_capturing = true;
    fake.record().graph = &graph;
    std::atomic<int> wrong = 0;
    std::atomic<int> capturing = 3;
    on_threads(4, [&](int index) {
        if (index == 3) {  // the driver's own thread
            while (capturing > 0) fake.destroy_graph(&graph);
            return;
        }
        for (int round = 0; round < 300; ++round) {
            const std::size_t bytes = 1000 + static_cast<std::size_t>(round % 10) * 10000;
            if (backend.scratch(10, bytes, stream).partials == nullptr) ++wrong;
        }
        --capturing;
    });
    fake.destroy_graph(&graph);
    CHECK(wrong == 0);
    CHECK(fake.calls("cuUserObjectRelease") == 900);
}
