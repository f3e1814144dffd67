// SPDX-License-Identifier: MIT
//
// Threads that wait for each other on the host. Behaviour that CUDA leaves undefined is reported, and an
// error in one thread ends only its launch.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "host/kernel/host_module.hpp"
#include "support/catch.hpp"
#include "support/raw_programs.hpp"
#include "support/raw_sources.hpp"

using namespace kgen;
using test::HostProgram;
using test::message_of;

namespace {

std::string launch_message(const std::string& text, const LaunchConfig& config) {
    const HostProgram program(text);
    return message_of([&] { program.launch("k", config); });
}

bool uses_fibers(const HostProgram& program, const std::string& symbol) {
    const auto kernel = program.module().kernel(symbol);
    REQUIRE(kernel != nullptr);
    return static_cast<const HostRawKernel&>(*kernel).row->uses_fibers;
}

}  // namespace

TEST_CASE("threads at different barriers are told where they are", "[host_fibers]") {
    const std::string text = R"(__global__ void k() {
    if (blockIdx.x == 0) return;
    if (threadIdx.x < 32) {
        __syncthreads();
    } else {
        __syncthreads();
    }
})";
    CHECK(launch_message(text, {.grid = {2}, .block = {64}}) ==
          "kernel 'k': threads of block (1, 0, 0) wait at different barriers: thread (0, 0, 0) in "
          "__syncthreads at k.cu(4), thread (32, 0, 0) in __syncthreads at k.cu(6)");
}

TEST_CASE("different barriers in one line are different", "[host_fibers]") {
    CHECK(launch_message("__global__ void k() { if (threadIdx.x) __syncthreads(); else "
                         "__syncthreads_or(1); }",
                         {.block = {2}}) ==
          "kernel 'k': threads of block (0, 0, 0) wait at different barriers: thread (0, 0, 0) in "
          "__syncthreads_or at k.cu(1), thread (1, 0, 0) in __syncthreads at k.cu(1)");
}

TEST_CASE("a shuffle that waits for a thread at a barrier names both", "[host_fibers]") {
    const std::string text = R"(__global__ void k() {
    if (threadIdx.x != 3)
        __shfl_sync(0xffffffff, 1, 0);
    __syncthreads();
})";
    CHECK(launch_message(text, {.block = {8, 4}}) ==
          "kernel 'k': threads of block (0, 0, 0) wait for each other: thread (0, 0, 0) in "
          "__shfl_sync with mask 0xffffffff at k.cu(3) for thread (3, 0, 0), which is in "
          "__syncthreads at k.cu(4)\n"
          "all threads of a mask must call the same function with the same mask");
}

TEST_CASE("lanes that name different masks wait for each other", "[host_fibers]") {
    const std::string text = R"(__global__ void k() {
    const unsigned mask = threadIdx.x < 16 ? 0x0001ffff : 0xffffffff;
    __ballot_sync(mask, 1);
})";
    CHECK(launch_message(text, {.block = {32}}) ==
          "kernel 'k': threads of block (0, 0, 0) wait for each other: thread (0, 0, 0) in "
          "__ballot_sync with mask 0x0001ffff at k.cu(3) for thread (16, 0, 0), which is in "
          "__ballot_sync with mask 0xffffffff at k.cu(3)\n"
          "all threads of a mask must call the same function with the same mask");
}

TEST_CASE("a mask names the thread that passes it", "[host_fibers]") {
    CHECK(launch_message("__global__ void k() {\n    __any_sync(0xf, 1);\n}", {.block = {8}}) ==
          "kernel 'k': thread (4, 0, 0) of block (0, 0, 0) is lane 4, which the mask of its "
          "__any_sync with mask 0x0000000f at k.cu(2) does not include");
}

TEST_CASE("a failed assertion, a trap and a division end the launch alone", "[host_fibers]") {
    const HostProgram program(R"(__global__ void asserts(int n) {
    __syncthreads();
    assert(threadIdx.x != n);
}
__global__ void traps(int n) {
    __syncthreads();
    if (threadIdx.x == n) __trap();
}
__global__ void divides(int* x) {
    __syncthreads();
    x[threadIdx.x] = 100 / x[threadIdx.x];
    __syncthreads();
}
)");
    CHECK(message_of([&] { program.launch("asserts", {.grid = {3}, .block = {64}}, 40); }) ==
          "kernel 'asserts': assertion 'threadIdx.x != n' failed at k.cu(3), in thread (40, 0, 0) "
          "of block (0, 0, 0)");
    CHECK(message_of([&] { program.launch("traps", {.block = {64}}, 7); }) ==
          "kernel 'traps': __trap() at k.cu(7), in thread (7, 0, 0) of block (0, 0, 0)");
    std::vector<int> x(64, 5);
    x[9] = 0;
    CHECK(message_of([&] { program.launch("divides", {.block = {64}}, x.data()); }) ==
          "kernel 'divides': integer division by zero: 100 / 0 at k.cu(11:26), in thread (9, 0, 0) "
          "of block (0, 0, 0)");
    program.launch("asserts", {.grid = {3}, .block = {64}}, 64);
    std::fill(x.begin(), x.end(), 5);
    program.launch("divides", {.block = {64}}, x.data());
    CHECK(x == std::vector<int>(64, 20));
}

TEST_CASE("the active lanes are those of a branch", "[host_fibers]") {
    const HostProgram program(R"(__global__ void k(unsigned* out) {
    const int lane = threadIdx.x;
    if (lane % 3 == 0) {
        out[lane] = __activemask();
    } else {
        const unsigned mask = __activemask();
        out[lane] = __shfl_sync(mask, (unsigned)lane, __ffs(mask) - 1) + mask;
    }
})");
    std::vector<unsigned> out(40);
    program.launch("k", {.block = {40}}, out.data());
    std::vector<unsigned> expected;
    for (unsigned i = 0; i < 40; ++i) {
        unsigned mask = 0;
        unsigned first = 0;
        for (unsigned other = i / 32 * 32; other < std::min(40U, i / 32 * 32 + 32); ++other) {
            if ((other % 3 == 0) != (i % 3 == 0)) continue;
            if (mask == 0) first = other;
            mask |= 1U << other % 32;
        }
        expected.push_back(i % 3 == 0 ? mask : first + mask);
    }
    CHECK(out == expected);
}

TEST_CASE("a warp waits for no lane that has returned", "[host_fibers]") {
    const HostProgram program(R"(__global__ void k(int* out) {
    const int i = threadIdx.x;
    if (i % 4 == 3) return;
    out[i] = __reduce_add_sync(0xffffffff, i);
})");
    std::vector<int> out(32, -1);
    program.launch("k", {.block = {32}}, out.data());
    for (int i = 0; i < 32; ++i) CHECK(out[static_cast<std::size_t>(i)] == (i % 4 == 3 ? -1 : 360));
}

TEST_CASE("only kernels that may wait run on fibers", "[host_fibers]") {
    const HostProgram program(R"(
#define WAIT __syncthreads()
#define JOINED(a, b) a##b
__device__ void deep() { __syncthreads(); }
__device__ void wrapped() { deep(); }
struct Waits { __device__ void run() { deep(); } __device__ int count() const { return 3; } };
struct Silent { __device__ void run() {} };
using Alias = Waits;
__device__ auto lambda = [](int x) { deep(); return x; };
// __syncthreads() in a comment does not count
__global__ void plain(int* x) { x[threadIdx.x] = 1; const char* s = "__syncthreads"; }
__global__ void direct() { __syncthreads(); }
__global__ void by_macro() { WAIT; }
__global__ void by_joined() { JOINED(__sync, threads)(); }
__global__ void by_function() { wrapped(); }
__global__ void by_class() { Alias().run(); }
__global__ void by_lambda() { lambda(1); }
template <class T> __global__ void by_parameter() { T().run(); }
#if 0
__global__ void not_there() { __syncthreads(); }
#endif
)",
                              {"by_parameter<Waits>", "by_parameter<Silent>", "plain"});
    CHECK(program.module().kernel_symbols() == std::vector<std::string>{"by_class",
                                                                        "by_function",
                                                                        "by_joined",
                                                                        "by_lambda",
                                                                        "by_macro",
                                                                        "direct",
                                                                        "kgen_raw_0",
                                                                        "kgen_raw_1",
                                                                        "kgen_raw_2",
                                                                        "plain"});
    for (const char* name :
         {"by_class", "by_function", "by_joined", "by_lambda", "by_macro", "direct"}) {
        INFO(name);
        CHECK(uses_fibers(program, name));
        program.launch(name, {.grid = {2}, .block = {40}});
    }
    CHECK(uses_fibers(program, program.symbol("by_parameter<Waits>")));
    CHECK_FALSE(uses_fibers(program, "plain"));
    CHECK_FALSE(uses_fibers(program, program.symbol("plain")));
    std::vector<int> x(40);
    program.launch("plain", {.block = {40}}, x.data());
    CHECK(x == std::vector<int>(40, 1));
}

TEST_CASE("macros of options and headers wait and make kernels", "[host_fibers]") {
    const HostProgram program(
        "#include \"own.cuh\"\nKERNEL void k(int* x) { x[threadIdx.x] = COUNT(1); }\n"
        "OTHER(void) w(int* x) { WAIT; *x = 1; }\nLOUD void v(int* x) { *x = 2; }\n",
        {"w"},
        {"-DCOUNT(x)=__syncthreads_count(x)", "-DLOUD=extern \"C\" __global__"},
        {{"own.cuh",
          "#define KERNEL extern \"C\" __global__\n#define OTHER(T) __global__ T\n"
          "#define WAIT __syncthreads()\n"}});
    CHECK(uses_fibers(program, "k"));
    CHECK(uses_fibers(program, program.symbol("w")));
    CHECK_FALSE(uses_fibers(program, "v"));
    std::vector<int> x(40);
    program.launch("k", {.block = {40}}, x.data());
    CHECK(x == std::vector<int>(40, 40));
}

TEST_CASE("a header of which nothing is known may wait, one that is known counts",
          "[host_fibers]") {
    const std::string text =
        "#include \"sum.cuh\"\n__global__ void k(int* x) { x[threadIdx.x] = one(); }\n"
        "__global__ void w(int* x) { x[threadIdx.x] = sum(); }\n";
    const HostProgram known(text,
                            {},
                            {},
                            {{"sum.cuh",
                              "__device__ int one() { return 1; }\n__device__ int sum() { return "
                              "__syncthreads_count(1); }\n"}});
    CHECK_FALSE(uses_fibers(known, "k"));
    CHECK(uses_fibers(known, "w"));
    std::vector<int> x(40);
    known.launch("w", {.block = {40}}, x.data());
    CHECK(x == std::vector<int>(40, 40));
}

TEST_CASE("stacks are as large as the program asks for", "[host_fibers]") {
    const std::string text = R"(__global__ void k(int* out, int n) {
    volatile char large[N];
    for (int i = 0; i < N; i += 512) large[i] = (char)i;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < N; i += 512) sum += large[i] == (char)i;
    out[threadIdx.x] = sum;
})";
    const HostProgram program(text, {}, {"-DN=400000", "-DKGEN_HOST_STACK_BYTES=524288"});
    std::vector<int> out(64);
    program.launch("k", {.block = {64}}, out.data(), 0);
    CHECK(out == std::vector<int>(64, (400000 + 511) / 512));
}

TEST_CASE("fibers by contexts do the same", "[host_fibers]") {
    const std::vector<std::string> options = {"-DKGEN_FIBERS_BY_CONTEXT"};
    const HostProgram sums(test::block_sum_source, {}, options);
    std::vector<float> x(1000);
    std::iota(x.begin(), x.end(), 1.0F);
    std::vector<float> out(4);
    sums.launch("block_sum", {.grid = {4}, .block = {256}}, x.data(), out.data(), 1000);
    std::vector<float> expected;
    for (int k = 0; k < 4; ++k)
        expected.push_back(
            std::accumulate(x.begin() + k * 256, x.begin() + std::min(1000, k * 256 + 256), 0.0F));
    CHECK(out == expected);
    const HostProgram fails(
        "__global__ void k(int n) { __syncthreads(); assert(threadIdx.x < n); }", {}, options);
    CHECK(
        message_of([&] { fails.launch("k", {.block = {33}}, 32); }) ==
        "kernel 'k': assertion 'threadIdx.x < n' failed at k.cu(1), in thread (32, 0, 0) of block "
        "(0, 0, 0)");
    fails.launch("k", {.block = {33}}, 33);
}

TEST_CASE("threads take turns in the same order in every run", "[host_fibers]") {
    const HostProgram program(R"(__device__ int next;
__global__ void k(int* order) {
    for (int i = 0; i < 3; ++i) {
        order[atomicAdd(&next, 1)] = threadIdx.x;
        __syncthreads();
    }
})");
    std::vector<int> first;
    for (int run = 0; run < 3; ++run) {
        *static_cast<int*>(program.module().variable("next")->pointer) = 0;
        std::vector<int> order(3 * 70, -1);
        program.launch("k", {.block = {70}}, order.data());
        if (run == 0) first = order;
        CHECK(order == first);
    }
}
