// SPDX-License-Identifier: MIT
//
// Features of the GPU and the toolkit beyond plain kernels, in the user's own programs on a GPU: CUB, complex
// numbers, clusters with distributed shared memory, grid synchronization, the bulk copy engine of sm_90a.
#include <complex>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "device/registry.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using kgen::test::has_gpu;

namespace {

// Returns the architecture of the first GPU. Warns and returns "" if there is no GPU.
std::string gpu_arch() {
    if (has_gpu()) return backend(Device::cuda(0)).target().arch;
    WARN("SKIPPED: no CUDA device");
    return "";
}

bool has_clusters(const std::string& arch) {
    return !arch.empty() && std::stoi(arch.substr(3)) >= 90;
}

std::vector<float> whole_numbers(int count) {
    std::vector<float> values;
    for (int k = 0; k < count; ++k) values.push_back(static_cast<float>(k));
    return values;
}

}  // namespace

TEST_CASE("gpu: a block reduction of CUB runs", "[raw][gpu]") {
    if (gpu_arch().empty()) return;
    const DeviceScope gpu(Device::cuda(0));
    const RawKernel sum(
        "#include <cub/block/block_reduce.cuh>\n"
        "template <typename T, int threads>\n"
        "__global__ void block_sum(const T* x, T* y) {\n"
        "    using Reduce = cub::BlockReduce<T, threads>;\n"
        "    __shared__ typename Reduce::TempStorage storage;\n"
        "    const T total = Reduce(storage).Sum(x[blockIdx.x * threads + threadIdx.x]);\n"
        "    if (threadIdx.x == 0) y[blockIdx.x] = total;\n"
        "}\n",
        "block_sum<float, 128>");
    const Array x = from_vector(whole_numbers(256));
    const Array y = zeros({2}, float32);
    sum.launch({.grid = {2}, .block = {128}}, x, y);
    CHECK(y.to_vector<float>() == std::vector<float>{127 * 64, 255 * 128 - 127 * 64});
}

TEST_CASE("gpu: complex numbers of the toolkit run", "[raw][gpu]") {
    if (gpu_arch().empty()) return;
    const DeviceScope gpu(Device::cuda(0));
    const RawKernel square(
        "#include <cuda/std/complex>\n"
        "template <typename T> __global__ void square(const T* x, T* y) {\n"
        "    y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];\n"
        "}\n",
        "square<cuda::std::complex<float>>");
    using Complex = std::complex<float>;
    const Array x = from_vector<Complex>({{1, 2}, {0, 3}, {-2, 0.5F}});
    const Array y = zeros({3}, complex64);
    square.launch({.block = {3}}, x, y);
    CHECK(y.to_vector<Complex>() == std::vector<Complex>{{-3, 4}, {-9, 0}, {3.75F, -2}});
}

TEST_CASE("gpu: blocks of a cluster read each other's shared memory", "[raw][gpu]") {
    if (!has_clusters(gpu_arch())) return;
    const DeviceScope gpu(Device::cuda(0));
    const RawKernel rotate(
        "#include <cooperative_groups.h>\n"
        "namespace cg = cooperative_groups;\n"
        "__global__ void rotate(const float* x, float* y) {\n"
        "    extern __shared__ float own[];\n"
        "    cg::cluster_group cluster = cg::this_cluster();\n"
        "    own[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];\n"
        "    cluster.sync();\n"
        "    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();\n"
        "    const float* other = cluster.map_shared_rank(own, next);\n"
        "    y[blockIdx.x * blockDim.x + threadIdx.x] = other[threadIdx.x];\n"
        "    cluster.sync();\n"
        "}\n",
        "rotate");
    const Array x = from_vector(whole_numbers(8 * 32));
    const Array y = zeros({8 * 32}, float32);
    rotate.launch({.grid = {8}, .block = {32}, .shared_bytes = 32 * 4, .cluster = {4}}, x, y);
    const std::vector<float> got = y.to_vector<float>();
    for (int k = 0; k < 8 * 32; ++k) {
        const int block = k / 32;
        const int from = block / 4 * 4 + (block + 1) % 4;
        REQUIRE(got[static_cast<std::size_t>(k)] == static_cast<float>(from * 32 + k % 32));
    }
}

TEST_CASE("gpu: a cooperative grid synchronizes", "[raw][gpu]") {
    if (gpu_arch().empty()) return;
    const DeviceScope gpu(Device::cuda(0));
    const RawKernel reversed(
        "#include <cooperative_groups.h>\n"
        "__global__ void reversed(int* x, int* y, int n) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    x[i] = i * i;\n"
        "    cooperative_groups::this_grid().sync();\n"
        "    y[i] = x[n - 1 - i];\n"
        "}\n",
        "reversed");
    const int blocks = backend(Device::cuda(0)).limits().processor_count;
    const int n = blocks * 256;
    const Array x = zeros({n}, int32);
    const Array y = zeros({n}, int32);
    reversed.launch({.grid = {blocks}, .block = {256}, .cooperative = true}, x, y, n);
    const std::vector<std::int32_t> got = y.to_vector<std::int32_t>();
    for (int k = 0; k < n; ++k)
        REQUIRE(got[static_cast<std::size_t>(k)] == (n - 1 - k) * (n - 1 - k));
}

TEST_CASE("gpu: the bulk copy engine of sm_90a fills shared memory", "[raw][gpu]") {
    if (gpu_arch() != "sm_90") return;
    const DeviceScope gpu(Device::cuda(0));
    const RawKernel copy(
        "#include <cstdint>\n"
        "__global__ void bulk_copy(const float* x, float* y, int n) {\n"
        "    extern __shared__ __align__(128) float tile[];\n"
        "    __shared__ __align__(8) uint64_t barrier;\n"
        "    const uint32_t bar = (uint32_t)__cvta_generic_to_shared(&barrier);\n"
        "    const uint32_t to = (uint32_t)__cvta_generic_to_shared(tile);\n"
        "    if (threadIdx.x == 0) {\n"
        "        asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" ::\"r\"(bar));\n"
        "        asm volatile(\"fence.proxy.async.shared::cta;\");\n"
        "        asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" "
        "::\"r\"(bar),\n"
        "                     \"r\"(n * 4));\n"
        "        asm volatile(\n"
        "            \"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
        "[%1], %2, [%3];\"\n"
        "            ::\"r\"(to), \"l\"(x), \"r\"(n * 4), \"r\"(bar) : \"memory\");\n"
        "    }\n"
        "    __syncthreads();\n"
        "    uint32_t done = 0;\n"
        "    while (!done) {\n"
        "        asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], "
        "0;\"\n"
        "                     \" selp.u32 %0, 1, 0, p; }\" : \"=r\"(done) : \"r\"(bar) : "
        "\"memory\");\n"
        "    }\n"
        "    // Only sm_90a has it.\n"
        "    asm volatile(\"setmaxnreg.dec.sync.aligned.u32 40;\");\n"
        "    for (int k = threadIdx.x; k < n; k += blockDim.x) y[k] = 2 * tile[k];\n"
        "}\n",
        "bulk_copy",
        {.arch = "sm_90a"});
    const int n = 20000;  // more than 48 KiB
    const Array x = from_vector(whole_numbers(n));
    const Array y = zeros({n}, float32);
    copy.launch({.block = {128}, .shared_bytes = n * 4}, x, y, n);
    const std::vector<float> got = y.to_vector<float>();
    for (int k = 0; k < n; ++k)
        REQUIRE(got[static_cast<std::size_t>(k)] == 2 * static_cast<float>(k));
}
