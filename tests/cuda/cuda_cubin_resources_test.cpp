// SPDX-License-Identifier: MIT
//
// Tests of the resources that are read from a cubin, with kernels whose needs are known.
#include <algorithm>
#include <random>
#include <string>

#include "image/cubin_resources.hpp"
#include "support/catch.hpp"
#include "support/nvrtc.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// One kernel has 1200 bytes of shared memory and a local array of 160 bytes; the other has neither.
constexpr const char* source = R"(
extern "C" __global__ void large(float* x, int n) {
    __shared__ float shared[300];
    float own[40];
    for (int k = 0; k < 40; ++k) own[k] = x[k * n];
    shared[threadIdx.x] = own[n % 40];
    __syncthreads();
    x[threadIdx.x] = shared[n];
    for (int k = 0; k < 40; ++k) x[k] += own[k];
}
extern "C" __global__ void small(float* x) { x[threadIdx.x] = 1; }
)";

std::string cubin_for(const NvrtcCompiler& compiler, const std::string& arch) {
    CompileJob job = raw_job("program", source);
    job.target.arch = arch;
    return section_text(compiler.compile(job), ImageKind::cubin);
}

}  // namespace

TEST_CASE("a cubin says what its kernels need", "[cuda]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    for (const char* arch : {"sm_80", "sm_90", "sm_120"}) {
        INFO(arch);
        std::vector<CubinKernel> kernels = cubin_resources(cubin_for(*compiler, arch));
        std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
            return a.symbol < b.symbol;
        });
        REQUIRE(kernels.size() == 2);
        CHECK(kernels[0].symbol == "large");
        CHECK(kernels[0].shared_bytes == 1200);
        CHECK(kernels[0].stack_bytes == 160);
        CHECK(kernels[0].registers > kernels[1].registers);
        CHECK(kernels[0].registers <= 255);
        CHECK(kernels[1].symbol == "small");
        CHECK(kernels[1].shared_bytes == 0);
        CHECK(kernels[1].stack_bytes == 0);
        CHECK(kernels[1].registers >= 4);
    }
}

TEST_CASE("a damaged cubin says nothing wrong of memory it does not have", "[cuda]") {
    CHECK(cubin_resources("").empty());
    CHECK(cubin_resources(std::string(1000, 'x')).empty());
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const std::string cubin = cubin_for(*compiler, "sm_90");
    for (std::size_t size = 0; size < cubin.size(); size += 7)
        cubin_resources(cubin.substr(0, size));
    // AddressSanitizer would find a read beyond the end.
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        std::string damaged = cubin;
        for (int k = 0; k < 3; ++k) {
            // The file header is at the start, the section headers are at the end.
            const std::size_t at =
                random() % 2 == 0 ? random() % 64 : damaged.size() - 1 - random() % 2000;
            damaged[at] = static_cast<char>(random());
        }
        cubin_resources(damaged);
    }
}
