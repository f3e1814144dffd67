// SPDX-License-Identifier: MIT
//
// Threads that each allocate on two of the GPUs, run kernels and copy both ways at once. KGEN_STRESS_SECONDS sets for how
// long.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <kgen/kgen.hpp>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

constexpr int thread_count = 16;
constexpr int threads_with_large_arrays = 4;

std::chrono::seconds chosen_seconds() {
    const char* value = std::getenv("KGEN_STRESS_SECONDS");
    return std::chrono::seconds(value == nullptr ? 3 : std::atoi(value));
}

// What all threads share.
struct Stress {
    ElementwiseKernel add_index{"int32 x", "int32 y", "y = x * 3 + (int)i", "stress_add_index"};
    std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + chosen_seconds();
    std::atomic<std::int64_t> rounds = 0;
    std::atomic<bool> has_failed = false;
    std::mutex mutex;
    std::string failure;  // the first one; guarded by mutex

    void fail(const std::string& what) {
        const std::lock_guard lock(mutex);
        if (failure.empty()) failure = what;
        has_failed = true;
    }
};

// Sends numbers through kernels on both GPUs. Sources and destinations are overwritten and freed while the
// work is still queued. Compares all elements on the GPU, and the last ones on the host.
void run_round(Stress& stress, Device near, Device far, std::int64_t count, std::int32_t seed) {
    Array back;
    {
        const Array x = full({count}, seed, int32, {.device = near});
        const Array y = stress.add_index(x);
        const Array there = y.to(far);
        y.assign(Scalar(-1));
        const Array answer = stress.add_index(there);
        there.assign(y);
        back = empty({count}, int32, {.device = near});
        back.assign(answer);
        answer.assign(Scalar(-2));
        // This waits, so only some rounds do it.
        if (seed % 4 == 0 && !array_equal(there, full({count}, -1, int32, {.device = far})))
            stress.fail("a second copy to the same array differs");
    }
    const Array first = stress.add_index(full({count}, seed, int32, {.device = near}));
    if (!array_equal(back, stress.add_index(first)))
        stress.fail("what came back differs from the same kernels on one GPU");
    const std::int64_t seen = std::min<std::int64_t>(count, 1 << 16);
    const std::vector<std::int32_t> values =
        back.slice({{count - seen, count}}).to_vector<std::int32_t>();
    for (std::int64_t k = 0; k < seen; ++k) {
        const std::int64_t index = count - seen + k;
        if (values[static_cast<std::size_t>(k)] != 9 * seed + 4 * index)
            stress.fail("element " + std::to_string(index) + " that came back is wrong");
    }
}

void run_thread(Stress& stress, int number) {
    const int gpus = device_count(DeviceKind::cuda);
    const int first = number % gpus;
    const Device near = Device::cuda(first);
    const Device far = Device::cuda((first + 1 + number / gpus % (gpus - 1)) % gpus);
    std::mt19937 random(static_cast<unsigned>(number));
    const std::int64_t most = number < threads_with_large_arrays ? 40'000'000 : 60'000;
    // Some threads use the legacy default streams, which they share.
    const bool has_own_streams = number % 4 != 3;
    const StreamScope use_near(has_own_streams ? Stream::create(near) : Stream::legacy(near));
    const StreamScope use_far(has_own_streams ? Stream::create(far) : Stream::legacy(far));
    try {
        do {
            const std::int64_t count = 1000 + random() % most;
            run_round(stress, near, far, count, static_cast<std::int32_t>(random() % 100'000));
            ++stress.rounds;
        } while (!stress.has_failed && std::chrono::steady_clock::now() < stress.end);
    } catch (const std::exception& error) {
        stress.fail(error.what());
    }
}

}  // namespace

TEST_CASE("gpu: threads that allocate and copy between GPUs without pause read what was sent",
          "[cuda][gpu][peer]") {
    if (device_count(DeviceKind::cuda) < 2) {
        WARN("skipped: this test needs two GPUs, and there are " << device_count(DeviceKind::cuda));
        return;
    }
    Stress stress;
    std::vector<std::thread> threads;
    for (int number = 0; number < thread_count; ++number)
        threads.emplace_back([&stress, number] { run_thread(stress, number); });
    for (std::thread& thread : threads) thread.join();
    CHECK(stress.failure == "");
    CHECK(stress.rounds >= thread_count);
    WARN(stress.rounds << " rounds of " << thread_count << " threads");
}
