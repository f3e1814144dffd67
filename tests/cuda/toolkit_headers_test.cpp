// SPDX-License-Identifier: MIT
//
// Tests of the CUDA toolkit's headers: that kgen finds them, and that NVRTC accepts them from memory.
#include "cuda/nvrtc/toolkit_headers.hpp"

#include <filesystem>
#include <fstream>
#include <kgen/error.hpp>
#include <string>
#include <vector>

#include "image/find_or_compile.hpp"
#include "image/included_files.hpp"
#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

void touch(const std::string& path) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << "x";
}

NvrtcLocation library_at(const std::string& path) {
    touch(path);
    NvrtcLocation location;
    location.path = path;
    return location;
}

CompileJob job_with(const std::string& source) {
    IncludedFiles files = find_included_files(
        {.texts = {{"k.cu", source}}, .headers = {}, .include_directories = {}, .options = {}});
    CompileJob job{.kernel = "k",
                   .source = source,
                   .symbol = "k",
                   .options = {},
                   .target = {DeviceKind::cuda, "sm_90"}};
    job.kind = SourceKind::raw;
    job.name_expressions = {"k"};
    job.headers = std::move(files.headers);
    job.include_directories = std::move(files.include_directories);
    job.included_digest = std::move(files.digest);
    return job;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("the toolkit's headers lie beside its NVRTC", "[include][cuda]") {
    const ::TempDir root;
    const NvrtcSearch nowhere;
    CHECK(find_toolkit_headers(std::nullopt, nowhere).empty());
    CHECK(find_toolkit_headers(library_at(root / "bare/lib64/libnvrtc.so.13"), nowhere).empty());

    touch(root / "cuda-13/include/cuda_fp16.h");
    touch(root / "cuda-13/include/cccl/cuda/std/version");
    CHECK(find_toolkit_headers(library_at(root / "cuda-13/lib64/libnvrtc.so.13"), nowhere) ==
          Paths{root / "cuda-13/include", root / "cuda-13/include/cccl"});

    touch(root / "cuda-12/targets/x86_64-linux/include/cuda_fp16.h");
    touch(root / "cuda-12/targets/x86_64-linux/include/cuda/std/version");
    const auto old = library_at(root / "cuda-12/targets/x86_64-linux/lib/libnvrtc.so.12");
    CHECK(find_toolkit_headers(old, nowhere) ==
          Paths{root / "cuda-12/targets/x86_64-linux/include"});

    // If the library is a link, the headers near its target are found.
    std::filesystem::create_directories(root / "links");
    std::filesystem::create_symlink(old.path, root / "links/libnvrtc.so.12");
    NvrtcLocation link;
    link.path = root / "links/libnvrtc.so.12";
    CHECK(find_toolkit_headers(link, nowhere) ==
          Paths{root / "cuda-12/targets/x86_64-linux/include"});

    // The layout of the Python wheels of CUDA 12.
    touch(root / "nvidia/cuda_runtime/include/cuda_fp16.h");
    touch(root / "nvidia/cuda_cccl/include/cuda/std/version");
    CHECK(
        find_toolkit_headers(library_at(root / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"), nowhere) ==
        Paths{root / "nvidia/cuda_runtime/include", root / "nvidia/cuda_cccl/include"});
}

TEST_CASE("without headers beside NVRTC those of the toolkits serve", "[include][cuda]") {
    const ::TempDir root;
    NvrtcSearch search;
    search.toolkits = {root / "none", root / "cuda-*"};
    touch(root / "cuda-13.0/include/cuda_fp16.h");
    touch(root / "cuda-12.9/include/cuda_fp16.h");
    touch(root / "cuda-12.9/include/cuda/std/version");
    CHECK(find_toolkit_headers(library_at(root / "bare/lib/libnvrtc.so.13"), search) ==
          Paths{root / "cuda-13.0/include", root / "cuda-12.9/include"});
}

TEST_CASE("NVRTC takes CUDA's headers from memory", "[include][nvrtc][toolkit]") {
    if (!has_nvrtc()) return;
    const Compiler& nvrtc = compiler(DeviceKind::cuda);
    if (nvrtc.toolkit_include_directories().empty()) {
        WARN("SKIPPED: no headers of CUDA");
        return;
    }
    struct Row {
        std::string headers;
        std::string kernel;
    };
    const Row rows[] = {
        {"#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n#include "
         "<mma.h>\n",
         "__global__ void k(__half* x, __nv_bfloat16* y, __nv_fp8_e4m3* z) {\n"
         "    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> f;\n"
         "    nvcuda::wmma::fill_fragment(f, 0.0f);\n"
         "    *x = __hadd(*x, *x); *y = *y * *y; *z = __nv_fp8_e4m3(f.x[0]);\n}\n"},
        {"#include <cuda_runtime.h>\n#include <math_constants.h>\n#include <cuComplex.h>\n",
         "__global__ void k(float* x, cuFloatComplex* c) {\n"
         "    *x = CUDART_PI_F; *c = cuCmulf(*c, *c);\n}\n"},
        {"#include <cuda/std/complex>\n#include <cuda/std/array>\n",
         "__global__ void k(cuda::std::complex<float>* x) { *x = cuda::std::exp(*x); }\n"},
        {"#include <cub/block/block_reduce.cuh>\n",
         "__global__ void k(const float* x, float* y) {\n"
         "    using Reduce = cub::BlockReduce<float, 128>;\n"
         "    __shared__ typename Reduce::TempStorage storage;\n"
         "    const float sum = Reduce(storage).Sum(x[threadIdx.x]);\n"
         "    if (threadIdx.x == 0) *y = sum;\n}\n"},
        {"#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
         "#include <cuda/barrier>\n",
         "__global__ void k(int* x) {\n"
         "    auto block = cooperative_groups::this_thread_block();\n"
         "    auto warp = cooperative_groups::tiled_partition<32>(block);\n"
         "    x[threadIdx.x] = cooperative_groups::reduce(warp, x[threadIdx.x], "
         "cooperative_groups::plus<int>());\n    block.sync();\n}\n"},
        {"#include <curand_kernel.h>\n",
         "__global__ void k(float* x) {\n    curandStatePhilox4_32_10_t state;\n"
         "    curand_init(1, threadIdx.x, 0, &state);\n"
         "    x[threadIdx.x] = curand_uniform(&state);\n}\n"},
    };
    for (const Row& row : rows) {
        INFO(row.headers);
        const CompileJob job = job_with(row.headers + row.kernel);
        CHECK(!job.included_digest.empty());
        CHECK(is_reproducible(job));
        try {
            CHECK(nvrtc.compile(job).log == "");
        } catch (const CompileError& error) {
            FAIL_CHECK(error.what());
        }
    }
}
