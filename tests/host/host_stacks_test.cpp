// SPDX-License-Identifier: MIT
//
// Local variables of threads on the host. A thread can use 512 KB, as on a GPU, with or without barriers. A
// kernel that needs more is rejected before it runs.
#include <pthread.h>

#include <csignal>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "host/compile/stack_usage.hpp"
#include "host/run/fiber_stacks.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/raw_programs.hpp"

using namespace kgen;
using test::HostProgram;
using test::message_of;

namespace {

// Each thread fills this many bytes, waits if there is a barrier, and counts its unchanged bytes.
std::string fills(int bytes, const std::string& barrier) {
    return "constexpr int bytes = " + std::to_string(bytes) + R"(;
__device__ int count(const volatile char* mine) {
    int same = 0;
    for (int i = 0; i < bytes; i += 61) same += mine[i] == (char)(i * 7 + threadIdx.x);
    return same;
}
__global__ void k(int* out) {
    volatile char mine[bytes];
    for (int i = 0; i < bytes; i += 61) mine[i] = (char)(i * 7 + threadIdx.x);
    )" + barrier +
           R"(
    out[blockIdx.x * blockDim.x + threadIdx.x] = count(mine);
})";
}

void check_fills(int bytes, int threads, const std::string& barrier) {
    INFO(bytes << " bytes of " << threads << " threads, " << barrier);
    const HostProgram program(fills(bytes, barrier));
    std::vector<int> out(static_cast<std::size_t>(2 * threads));
    program.launch("k", {.grid = {2}, .block = {threads}}, out.data());
    CHECK(out == std::vector<int>(out.size(), (bytes + 60) / 61));
}

}  // namespace

TEST_CASE("threads that wait have local variables of up to 512 KB", "[host_fibers]") {
    for (const int bytes : {16000, 60000, 65536, 524288})
        check_fills(bytes, bytes > 65536 ? 48 : 512, "__syncthreads();");
}

TEST_CASE("threads that do not wait have local variables of up to 512 KB", "[host_fibers]") {
    for (const int bytes : {60000, 524288}) check_fills(bytes, 64, "");
}

TEST_CASE("a thread whose stack is too small for the variables of a kernel is told",
          "[host_fibers]") {
    const HostProgram program(fills(400000, ""));
    struct Launch {
        const HostProgram& program;
        std::string message;
    } launch{program, {}};
    pthread_attr_t attributes;
    REQUIRE(::pthread_attr_init(&attributes) == 0);
    ::pthread_attr_setstacksize(&attributes, 262144);
    ::pthread_t thread{};
    REQUIRE(::pthread_create(
                &thread,
                &attributes,
                [](void* given) -> void* {
                    auto& its = *static_cast<Launch*>(given);
                    its.message = message_of([&] {
                        int out = 0;
                        its.program.launch("k", {}, &out);
                    });
                    return nullptr;
                },
                &launch) == 0);
    ::pthread_join(thread, nullptr);
    ::pthread_attr_destroy(&attributes);
    INFO(launch.message);
    CHECK(launch.message.starts_with("kernel 'k': its local variables need 400"));
    CHECK(launch.message.ends_with(
        ": launch it from a thread with a larger stack, and raise ulimit -s"));
}

TEST_CASE("a chain of calls has room for the variables of all its functions", "[host_fibers]") {
    const HostProgram program(R"(
template <int level> __noinline__ __device__ int deep(int seed) {
    volatile int mine[20000];
    for (int i = 0; i < 20000; i += 13) mine[i] = seed + i;
    __syncthreads();
    int wrong = 0;
    if constexpr (level > 0) wrong = deep<level - 1>(seed + 1);
    for (int i = 0; i < 20000; i += 13) wrong += mine[i] != seed + i;
    return wrong;
}
__global__ void k(int* out) { out[threadIdx.x] = deep<4>(threadIdx.x * 100); })");
    std::vector<int> out(100, -1);
    program.launch("k", {.block = {100}}, out.data());
    CHECK(out == std::vector<int>(100, 0));
}

TEST_CASE("local variables beyond 512 KB are refused when they are compiled", "[host_fibers]") {
    for (const std::string barrier : {"__syncthreads();", ""}) {
        const std::string message = message_of([&] { HostProgram(fills(600000, barrier)); });
        INFO(message);
        CHECK(message.starts_with("kernel 'k': the local variables of a thread take 600"));
        CHECK(message.find(" bytes in one function, expected at most 524288; move them to an "
                           "array") != std::string::npos);
    }
    const ElementwiseKernel kernel(
        "float32 x",
        "float32 y",
        "volatile float mine[200000]; mine[(int)x] = x; y = mine[(int)x]",
        "large");
    CHECK(message_of([&] {
              kernel(arange(3, float32, {Device::host()}));
          }).starts_with("kernel 'large': the local variables of a thread take 800"));
}

TEST_CASE("recursion that never ends stops at a guard, in no other thread's variables",
          "[host_fibers]") {
    const int status = wait_for(start_child([] {
        ::signal(SIGSEGV, SIG_DFL);  // replaces the test framework's handler
        const ::rlimit none = {0, 0};
        ::setrlimit(RLIMIT_CORE, &none);
        const HostProgram program(R"(
__device__ int deeper(volatile int* outer, int n) {
    volatile int mine[500];
    mine[n % 500] = *outer;
    return n == 0 ? 0 : deeper(mine, n + 1) + mine[3];
}
__global__ void k(int* out) {
    __syncthreads();
    volatile int first = 1;
    out[threadIdx.x] = deeper(&first, 1);
})");
        std::vector<int> out(64);
        program.launch("k", {.block = {64}}, out.data());
        return 0;
    }));
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGSEGV);
}

TEST_CASE("the compiler's list of frames is summed up", "[host_fibers]") {
    const StackUsage usage = parse_stack_usage(
        "<stdin>:2:42:static void E<T>::run(int) [with T = int]\t300016\tstatic\n"
        "<stdin>:3:17:void g(int)\t16\tdynamic\n"
        "no frame\n"
        "-:4:f\t128\tdynamic,bounded");
    CHECK(usage.largest_frame == 300016);
    CHECK(usage.all_frames == 300016 + 16 + 128);
}

TEST_CASE("stacks grow with large frames, up to what a thread may have", "[host_fibers]") {
    const std::size_t least = fiber_stack_bytes(65536, 0);
    CHECK(least >= 65536 + 4096);
    CHECK(fiber_stack_bytes(65536, 16384) == least);
    CHECK(fiber_stack_bytes(65536, 16385) >= least + 16385);
    CHECK(fiber_stack_bytes(65536, 524288) >= least + 524288);
    CHECK(fiber_stack_bytes(65536, ~0ULL) >= least + 524288 + 4096);
    CHECK(fiber_stack_bytes(65536, ~0ULL) <= least + 1048576);
    CHECK(fiber_stack_bytes(1048576, 0) == least + 1048576 - 65536);
}
