// SPDX-License-Identifier: MIT
//
// Dynamic shared memory on the host. Using more than the launch provides is reported, however the kernel
// accesses it. Declaring more without using it is allowed.
#include <kgen/kgen.hpp>
#include <kgen/raw_kernel.hpp>
#include <random>
#include <string>
#include <vector>

#include "host/kernel/host_launch_limits.hpp"
#include "host/run/shared_memory.hpp"
#include "support/catch.hpp"
#include "support/raw_programs.hpp"

using namespace kgen;
using test::HostProgram;
using test::message_of;

namespace {

std::string too_small(std::int64_t given, std::int64_t used) {
    return "kernel 'k': its dynamic shared memory (extern __shared__) is too small: got "
           ".shared_bytes = " +
           std::to_string(given) + ", expected at least " + std::to_string(used);
}

}  // namespace

TEST_CASE("a launch without shared_bytes says so where a kernel uses them", "[host_raw]") {
    const std::vector<std::string> programs = {
        "__global__ void k(int* x) { extern __shared__ int s[]; s[threadIdx.x] = x[threadIdx.x];\n"
        "__syncthreads(); x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }",
        "__global__ void k(int* x) { extern __shared__ int s[]; s[threadIdx.x] = 1; *x = *s; }",
        "extern __shared__ int s[];\n"
        "__global__ void k(int* x) { s[threadIdx.x] = 1; __syncthreads(); *x = s[0]; }",
        "template <class T> __device__ void put(T* p, T value) { p[threadIdx.x] = value; }\n"
        "__global__ void k(int* x) { extern __shared__ char s[]; put((int*)s, 5); *x = *(int*)s; }",
        "__global__ void k(int* x) { extern __shared__ int s[]; atomicExch(&s[threadIdx.x], 1); }",
        "__device__ int* mine() { extern __shared__ int s[]; return s; }\n"
        "__global__ void k(int* x) { memset(mine(), 0, 4 * blockDim.x); __syncthreads(); }",
    };
    for (const std::string& text : programs) {
        INFO(text);
        const HostProgram program(text);
        std::vector<int> x(40, 3);
        CHECK(message_of([&] { program.launch("k", {.block = {40}}, x.data()); }) ==
              too_small(0, 160));
        CHECK(message_of([&] {
                  program.launch("k", {.block = {40}, .shared_bytes = 156}, x.data());
              }) == too_small(156, 160));
        CHECK_NOTHROW(program.launch("k", {.block = {40}, .shared_bytes = 160}, x.data()));
    }
}

TEST_CASE("a kernel that declares shared memory and does not use it needs none", "[host_raw]") {
    const HostProgram program(R"(__global__ void k(int* x, int count) {
    extern __shared__ int s[];
    if (count > 0) s[threadIdx.x] = count;
    __syncthreads();
    x[threadIdx.x] = count > 0 ? s[0] : -1;
})");
    std::vector<int> x(8);
    program.launch("k", {.block = {8}}, x.data(), 0);
    CHECK(x == std::vector<int>(8, -1));
    CHECK(message_of([&] { program.launch("k", {.block = {8}}, x.data(), 2); }) ==
          too_small(0, 32));
    program.launch("k", {.block = {8}, .shared_bytes = 32}, x.data(), 2);
    CHECK(x == std::vector<int>(8, 2));
}

TEST_CASE("writes behind dynamic shared memory are told at any distance", "[host_raw]") {
    const HostProgram program(R"(__global__ void k(int from, int count) {
    extern __shared__ unsigned char s[];
    for (int i = 0; i < count; ++i) s[from + i] = (unsigned char)i;
    __syncthreads();
})");
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        const int given = static_cast<int>(random() % 100000);
        const int far = static_cast<int>(random() % 100000);
        const int count = far < 2048 ? 1 : 2048;  // the first 2048 bytes are all checked
        const LaunchConfig config{.shared_bytes = given};
        CHECK(message_of([&] { program.launch("k", config, given + far, count); }) ==
              too_small(given, given + far + count));
        CHECK_NOTHROW(program.launch("k", config, 0, given));
    }
    CHECK_NOTHROW(program.launch("k", {.shared_bytes = host_shared_bytes}, 0, host_shared_bytes));
}

TEST_CASE("a bound launch and a graph have their shared memory looked at too", "[host_raw]") {
    const RawKernel kernel(
        "__global__ void k(int* x) { extern __shared__ int s[]; *s = 1; *x = *s; }", "k");
    const DeviceScope scope(Device::host());
    const Array x = zeros({1}, int32);
    const Stream stream = Stream::create(Device::host());
    const Graph graph = capture(stream, [&] { kernel.launch({.stream = stream}, x); });
    CHECK(message_of([&] { graph.launch(stream); }) == too_small(0, 4));
    CHECK(message_of([&] { kernel.launch({}, x); }) == too_small(0, 4));
}

TEST_CASE("shared memory of a kernel's own counts", "[host_raw]") {
    const HostProgram program(R"(
__device__ float of_other(float x) { __shared__ float s[12000]; s[threadIdx.x] = x; __syncthreads(); return s[0]; }
__global__ void other(float* x) { __shared__ char s[40000]; s[threadIdx.x] = 1; *x = of_other(s[0]); }
__global__ void k(float* x) { __shared__ float s[4096]; s[threadIdx.x] = 1; __syncthreads(); *x = s[0]; }
__global__ void large(float* x) { __shared__ float s[12289]; s[threadIdx.x] = 1; __syncthreads(); *x = s[0]; })");
    float x = 0;
    const auto message = [&](const char* kernel, std::int64_t bytes) {
        return message_of([&] { program.launch(kernel, {.shared_bytes = bytes}, &x); });
    };
    CHECK(message("k", host_shared_bytes - 16384).empty());
    CHECK(message("k", host_shared_bytes - 16383) ==
          "kernel 'k': 216065 bytes of shared memory and 16384 static bytes, host has at most "
          "232448");
    CHECK(message("other", 0).empty());
    CHECK(
        message("large", 0) ==
        "kernel 'large': 49156 bytes of __shared__ variables, host has at most 49152; more can be "
        "extern __shared__, with .shared_bytes in the launch");
}
