// SPDX-License-Identifier: MIT
//
// Tests of raw kernel launches on the fake CUDA driver (support/fake_cuda.hpp). raw_gpu_test.cpp tests them
// on a GPU.
#include "cuda/kernel/cuda_raw.hpp"

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/fake_raw_kernels.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("a plain launch passes its extents and one block of parameters", "[cuda][raw]") {
    RawFixture f;
    const auto axpy = f.kernel("axpy");
    const std::array<unsigned char, 32> parameters = {7, 8, 9};
    f.raw.launch(*axpy,
                 {.grid = {70000, 3, 2}, .block = {32, 4, 2}, .shared_bytes = 64},
                 parameters.data(),
                 parameters.size(),
                 nullptr,
                 "axpy");
    CHECK(f.fake.calls("cuLaunchKernel") == 1);
    CHECK(is(f.seen().grid, 70000, 3, 2));
    CHECK(is(f.seen().block, 32, 4, 2));
    CHECK(f.fake.record().shared_bytes == 64);
    CHECK(f.fake.record().parameters_bytes == 32);
    CHECK(f.fake.record().parameters[2] == 9);
    CHECK(std::string(f.fake.record().kernel) == "axpy");
    CHECK(f.fake.calls("cuFuncSetAttribute") == 0);
    CHECK(KGEN_MESSAGE_OF(
              DeviceError,
              f.raw.launch(*axpy, {}, parameters.data(), parameters.size() - 4, nullptr, "axpy")) ==
          "kernel 'axpy': 28 bytes of parameters, its code expects 32");
}

TEST_CASE("a kernel without parameters is given none", "[cuda][raw]") {
    RawFixture f;
    f.launch("empty", {.grid = {2}, .block = {64}});
    CHECK(f.fake.record().parameters_bytes == 0);
    CHECK(is(f.seen().grid, 2, 1, 1));
}

TEST_CASE("an empty grid launches nothing, but its block is looked at", "[cuda][raw]") {
    RawFixture f;
    for (const LaunchDims& grid : {LaunchDims(0), LaunchDims(5, 0), LaunchDims(5, 5, 0)})
        f.launch("empty", {.grid = grid, .block = {64}, .cluster = {2}, .cooperative = true});
    CHECK(f.launches() == 0);
    CHECK(f.refusal("empty", {.grid = {0}, .block = {2048}}) ==
          "kernel 'empty': block (2048, 1, 1): 2048 threads along x, cuda:0 has at most 1024");
}

TEST_CASE("extents that a GPU does not have are refused with both numbers", "[cuda][raw]") {
    RawFixture f;
    struct Row {
        LaunchDims grid;
        LaunchDims block;
        const char* message;
    };
    const Row rows[] = {
        {{-1}, {1}, "kernel 'empty': grid (-1, 1, 1): an extent is negative"},
        {{0, -1}, {1}, "kernel 'empty': grid (0, -1, 1): an extent is negative"},
        {{1}, {1, -3}, "kernel 'empty': block (1, -3, 1): an extent is negative"},
        {{1}, {0}, "kernel 'empty': block (0, 1, 1): an extent is 0, expected at least 1"},
        {{2147483648u},
         {1},
         "kernel 'empty': grid (2147483648, 1, 1): 2147483648 blocks along x, cuda:0 has at most "
         "2147483647"},
        {{1, 65536},
         {1},
         "kernel 'empty': grid (1, 65536, 1): 65536 blocks along y, cuda:0 has at most 65535"},
        {{1, 1, 70000},
         {1},
         "kernel 'empty': grid (1, 1, 70000): 70000 blocks along z, cuda:0 has at most 65535"},
        {{1},
         {1, 2000},
         "kernel 'empty': block (1, 2000, 1): 2000 threads along y, cuda:0 has at most 1024"},
        {{1},
         {1, 1, 65},
         "kernel 'empty': block (1, 1, 65): 65 threads along z, cuda:0 has at most 64"},
        {{1},
         {64, 32},
         "kernel 'empty': 2048 threads in a block (64, 32, 1), cuda:0 has at most 1024"},
    };
    for (const Row& row : rows)
        CHECK(f.refusal("empty", {.grid = row.grid, .block = row.block}) == row.message);
    f.launch("empty", {.grid = {2147483647, 65535, 65535}, .block = {16, 1, 64}});
    CHECK(is(f.seen().grid, 2147483647, 65535, 65535));
}

TEST_CASE("a kernel's registers and launch bounds limit its threads", "[cuda][raw]") {
    RawFixture f;
    CHECK(f.refusal("large", {.block = {32, 32}}) ==
          "kernel 'large': 1024 threads in a block (32, 32, 1), at most 640 with its 96 registers");
    CHECK(f.refusal("bound", {.block = {512}}) ==
          "kernel 'bound': 512 threads in a block (512, 1, 1), at most 256 by its "
          "__launch_bounds__");
    f.launch("large", {.block = {640}});
    CHECK(f.launches() == 1);
}

TEST_CASE("shared memory is limited with what the kernel has of its own", "[cuda][raw]") {
    RawFixture f;
    CHECK(f.refusal("empty", {.shared_bytes = 232449}) ==
          "kernel 'empty': 232449 bytes of shared memory, cuda:0 has at most 232448");
    CHECK(f.refusal("sharing", {.shared_bytes = 232448}) ==
          "kernel 'sharing': 232448 bytes of shared memory and 1024 static bytes, cuda:0 has at "
          "most 232448");
    CHECK(f.refusal("empty", {.shared_bytes = -1}) ==
          "kernel 'empty': -1 bytes of shared memory: expected 0 or more");
    f.launch("sharing", {.shared_bytes = 232448 - 1024});
    CHECK(f.fake.record().shared_bytes == 232448 - 1024);
}

TEST_CASE("shared memory beyond what a kernel may have at first is allowed once", "[cuda][raw]") {
    RawFixture f;
    f.launch("sharing", {.shared_bytes = 48 * 1024 - 1024});
    CHECK(f.fake.calls("cuFuncSetAttribute") == 0);
    f.launch("sharing", {.shared_bytes = 48 * 1024 - 1000});  // more than 48 KiB with the static
    CHECK(f.fake.calls("cuFuncSetAttribute") == 1);
    f.launch("sharing", {.shared_bytes = 100000});
    f.launch("sharing", {.shared_bytes = 90000});
    CHECK(f.fake.calls("cuFuncSetAttribute") == 2);
    CHECK(f.raw.attributes(*f.kernel("sharing")).max_dynamic_shared_bytes == 100000);
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuFuncSetAttribute:1");
    CHECK(f.refusal("empty", {.grid = {2}, .block = {32}, .shared_bytes = 50000}) ==
          "kernel 'empty' on cuda:0, grid (2, 1, 1), block (32, 1, 1), 50000 bytes of shared "
          "memory: cuFuncSetAttribute failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_CASE("each attribute of a launch reaches the driver", "[cuda][raw]") {
    RawFixture f;
    f.launch("empty", {.grid = {8, 4}, .block = {64}, .cluster = {2, 4}});
    CHECK(is(f.seen().cluster, 2, 4, 1));
    CHECK_FALSE(f.seen().is_cooperative);
    f.launch("empty", {.grid = {8}, .block = {64}, .cooperative = true});
    CHECK(f.seen().is_cooperative);
    CHECK(is(f.seen().cluster, 0, 0, 0));
    f.launch("empty", {.programmatic_dependent = true});
    CHECK(f.seen().is_programmatic);
    CHECK_FALSE(f.seen().has_priority);
    f.launch("empty", {.priority = -3});
    CHECK(f.seen().has_priority);
    CHECK(f.seen().priority == -3);
    f.launch("empty",
             {.grid = {4},
              .cluster = {2},
              .cooperative = true,
              .priority = 0,
              .programmatic_dependent = true});
    CHECK(f.seen().is_cooperative);
    CHECK(f.seen().is_programmatic);
    CHECK(f.seen().has_priority);
    CHECK(is(f.seen().cluster, 2, 1, 1));
    CHECK(f.fake.calls("cuLaunchKernel") == 0);
    CHECK(f.fake.calls("cuLaunchKernelEx") == 5);
}

TEST_CASE("a cooperative launch passes its parameters one by one, as captures need them",
          "[cuda][raw]") {
    RawFixture f;
    const auto axpy = f.kernel("axpy");
    std::array<unsigned char, 32> parameters = {7, 8, 9};
    parameters[8] = 10;
    parameters[31] = 11;
    const StreamHandle stream = f.backend.create_stream({});
    f.fake.begin_capture(stream, 2);
    f.raw.launch(
        *axpy, {.cooperative = true}, parameters.data(), parameters.size(), stream, "axpy");
    void* graph = nullptr;
    CHECK(f.fake.end_capture(stream, &graph) == 0);
    f.fake.destroy_graph(graph);
    f.backend.destroy_stream(stream);
    CHECK(f.seen().is_cooperative);
    CHECK(f.fake.record().parameters_bytes == 32);
    CHECK(f.fake.record().parameters[2] == 9);
    CHECK(f.fake.record().parameters[8] == 10);
    CHECK(f.fake.record().parameters[31] == 11);
}

TEST_CASE("a priority that is out of range counts as the nearest end", "[cuda][raw]") {
    RawFixture f;
    f.launch("empty", {.priority = 7});
    CHECK(f.seen().priority == 0);
    f.launch("empty", {.priority = -100});
    CHECK(f.seen().priority == -5);
}

TEST_CASE("a launch allocates nothing, and asks the driver for nothing but the launch",
          "[cuda][raw]") {
    RawFixture f;
    const auto kernel = f.kernel("empty");
    const std::string name = "empty";
    const LaunchConfig plain = {.grid = {2, 2}, .block = {64}, .shared_bytes = 1000};
    const LaunchConfig special = {
        .grid = {4}, .block = {64}, .cluster = {2}, .cooperative = true, .priority = -1};
    for (const LaunchConfig& config : {plain, special}) {
        const auto launch = [&] { f.raw.launch(*kernel, config, nullptr, 0, nullptr, name); };
        launch();
        const int calls = f.fake.calls();
        launch();
        CHECK(f.fake.calls() - calls == 2);  // cuCtxGetCurrent and the launch
        CHECK(allocations_of(launch) == 0);
    }
}

TEST_CASE("threads launch one kernel at once", "[cuda][raw]") {
    RawFixture f;
    const auto kernel = f.kernel("empty");
    std::atomic<int> refused = 0;
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) {
        threads.emplace_back([&, index] {
            for (int round = 0; round < 200; ++round) {
                const LaunchConfig config = {.grid = {8},
                                             .block = {32 + (round + index) % 40},
                                             .shared_bytes = 40000 + 500 * (round % 50),
                                             .cooperative = true};
                try {
                    f.raw.launch(*kernel, config, nullptr, 0, nullptr, "empty");
                } catch (const DeviceError&) {
                    ++refused;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(refused == 0);
    CHECK(f.launches() == 800);
}
