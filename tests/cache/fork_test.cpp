// SPDX-License-Identifier: MIT
//
// The child of a fork can use the host device, whatever the threads of its parent were doing.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <kgen/kgen.hpp>
#include <thread>
#include <vector>

#include "digest.hpp"
#include "image/flight_table.hpp"
#include "image/live_table.hpp"
#include "image/process_store.hpp"
#include "image/refused_sources.hpp"
#include "support/catch.hpp"
#include "support/sanitizers.hpp"

using namespace kgen;

TEST_CASE("the child of a fork finds no lock held by a thread of its parent") {
#if KGEN_SANITIZED
    // A thread of the parent may hold a lock of the sanitizer's own allocator. ThreadSanitizer
    // cannot start threads in the child of a fork.
    WARN("skipped: the sanitizers' own locks stay locked in the child of a fork");
    return;
#endif
    const DeviceScope host(Device::host());
    const ElementwiseKernel next("float32 x", "float32 y", "y = x + 1", "next_of_forks");
    const RawKernel raw("extern \"C\" __global__ void forked(float* x) { x[0] = 3; }", "forked");
    const Array x = zeros({8}, float32);
    next(x);
    FlightTable<int, int> flights;
    LiveTable<int, int, std::hash<int>> living(2);
    RefusedSources refusals(4);
    const RefusalKey key{cache::DigestBuilder(1).digest(), "nobody", "k"};
    // Functions that take locks of kgen. A thread of the parent repeats each of them, and each
    // child calls all.
    const std::vector<std::function<void()>> uses = {
        [&] {
            flights.get(3, [] { return 4; });
            flights.forget(3);
        },
        [&] { living.get(5, [] { return std::make_shared<const int>(6); }); },
        [&] {
            refusals.remember(key, CompileError("refused", "", ""));
            refusals.find(key);
        },
        [&] { std::thread([&] { next(x); }).join(); },  // registers a thread
        [&] { ElementwiseKernel("float32 x", "float32 y", "y = x + 1", "next_of_forks")(x); },
        [&] { empty({1 << 20}, float32); },
        [&] { kernel_template("add"); },
        [&] { raw.launch({}, zeros({1}, float32)); },
        [] { process_store_statistics(); },
    };
    for (const auto& use : uses) use();
    std::atomic<bool> ends = false;
    std::vector<std::thread> threads;
    for (const auto& use : uses) {
        threads.emplace_back([&] {
            const DeviceScope scope(Device::host());
            while (!ends) use();
        });
    }
    int failed = 0;
    for (int k = 0; k < 100 && failed == 0; ++k) {
        const ::pid_t child = ::fork();
        if (child == 0) {
            ::alarm(20);  // ends a child that waits forever
            for (const auto& use : uses) use();
            ::_exit(0);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        if (status != 0) ++failed;
    }
    ends = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(failed == 0);
}
