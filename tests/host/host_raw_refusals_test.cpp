// SPDX-License-Identifier: MIT
//
// Features that a CPU cannot run are rejected before compiling, with their position. Text that only looks
// like such a feature is accepted.
#include <kgen/error.hpp>
#include <string>
#include <vector>

#include "program/raw_source.hpp"
#include "support/catch.hpp"
#include "support/raw_programs.hpp"

using namespace kgen;

namespace {

std::string refusal(const std::string& text,
                    const std::vector<std::string>& options = {},
                    const std::vector<Header>& headers = {}) {
    return test::message_of([&] {
        make_raw_source({.program = "k",
                         .texts = {{"k.cu", text}},
                         .names = {},
                         .device = DeviceKind::host,
                         .options = options,
                         .headers = headers});
    });
}

const std::string remedy =
    "\n"
    "run it on a GPU (KGEN_DEVICE=cuda), or exclude it on the host with #ifndef KGEN_ON_HOST";

}  // namespace

TEST_CASE("a refusal shows the user's line", "[host_raw]") {
    CHECK(refusal("__global__ void k(int* x) {\n    int lane;\n"
                  "    asm(\"mov.u32 %0, %laneid;\" : \"=r\"(lane));\n    *x = lane;\n}\n") ==
          "program 'k': the host device cannot run inline PTX: k.cu(3:5)\n"
          "      asm(\"mov.u32 %0, %laneid;\" : \"=r\"(lane));\n"
          "      ^~~" +
              remedy);
    CHECK(refusal("#include <cub/cub.cuh>\n") ==
          "program 'k': the host device cannot run headers of the CUDA toolkit: k.cu(1:10)\n"
          "  #include <cub/cub.cuh>\n"
          "           ^~~~~~~~~~~~~" +
              remedy);
    CHECK(refusal("__global__ void k(int x) { x = __shfl_down(x, 1); }") ==
          "program 'k': the host device cannot run warp functions without a mask: k.cu(1:32)\n"
          "  __global__ void k(int x) { x = __shfl_down(x, 1); }\n"
          "                                 ^~~~~~~~~~~\n"
          "newer GPUs do not support them either: call __shfl_down_sync with a mask");
}

TEST_CASE("several sources are not linked on the host", "[host_raw]") {
    CHECK(test::message_of([] {
              make_raw_source({.program = "m",
                               .texts = {{"a.cu", "a"}, {"b.cu", "b"}},
                               .names = {},
                               .device = DeviceKind::host});
          }) ==
          "program 'm': the host device does not link several sources: got 2\n"
          "include them from one, or run it on a GPU (KGEN_DEVICE=cuda)");
}

TEST_CASE("everything that a CPU cannot do is named", "[host_raw]") {
    struct Row {
        const char* text;
        const char* what;
    };
    const Row rows[] = {
        {"__global__ void k() { __asm__ volatile(\"bar.sync 0;\"); }", "inline PTX"},
        {"#define PTX asm volatile(\"ret;\")\n__global__ void k() { PTX; }", "inline PTX"},
        {"__global__ void k(cudaTextureObject_t t) {}", "textures"},
        {"texture<float, 2> t;", "textures"},
        {"__device__ float f(unsigned long long t) { return tex2DLod<float>(t, 1, 2, 0); }",
         "textures"},
        {"__device__ void f(unsigned long long s) { surf2Dwrite(1.0f, s, 4, 0); }", "surfaces"},
        {"using namespace nvcuda;", "tensor core instructions"},
        {"namespace cg = cooperative_groups;", "cooperative groups"},
        {"__global__ void k() { other<<<1, 2>>>(); }", "launches from a kernel"},
        {"__global__ void k() { __pipeline_commit(); }", "asynchronous copies and their barriers"},
        {"__global__ void __cluster_dims__(2) k() {}", "clusters of blocks"},
        {"#  include <cuda/std/complex>", "headers of the CUDA toolkit"},
        {"#include \"mma.h\"", "headers of the CUDA toolkit"},
        {"#include <cooperative_groups.h>", "headers of the CUDA toolkit"},
        {"#include <cuda_fp16.h>", "headers of the CUDA toolkit"},
        {"__global__ void k(int x) { x = __any(x); }", "warp functions without a mask"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const std::string message = refusal(row.text);
        const std::string start =
            "program 'k': the host device cannot run " + std::string(row.what) + ": k.cu(";
        CHECK(message.substr(0, start.size()) == start);
    }
}

TEST_CASE("what only looks like it is not refused", "[host_raw]") {
    for (const char* text : {
             "// asm(\"ret;\")\n/* tex2D */ const char* s = \"wmma::fragment <<<1>>> asm\";",
             "const char* s = R\"(asm volatile(\"ret;\"))\";",
             "__device__ void f() { asm volatile(\"\" ::: \"memory\"); }",
             "#define UNUSED_PTX asm(\"ret;\")\n",
             "#if 0\nasm(\"ret;\");\n#endif\n",
             "#ifndef KGEN_ON_HOST\nasm(\"ret;\");\n#else\nint x;\n#endif\n",
             "#if __CUDA_ARCH__ >= 800 && defined(FAST)\nasm(\"ret;\");\n#elif "
             "1\n#else\nasm;\n#endif",
             "#if !defined(N) || N > 3\n#else\nasm(\"ret;\");\n#endif\n",
             "struct A { A& operator<<(int); }; struct B { template <class T> void "
             "operator<<<T>(); };",
             "int texture, surface; int x = 1 << 2;",
             "#include <cuda_runtime.h>\n#include <cmath>\n#include \"cuda_utils.h\"",
             "__device__ void f() { cudaGridDependencySynchronize(); __syncwarp(); }",
         }) {
        INFO(text);
        CHECK(refusal(text) == "");
    }
    CHECK(refusal("#if N == 4\nasm(\"ret;\");\n#endif\n", {"-DN=3"}) == "");
    CHECK(refusal("#if N == 4\nasm(\"ret;\");\n#endif\n", {"-DN=4"}) != "");
    CHECK(refusal("#ifdef N\nasm(\"ret;\");\n#endif\n", {"-DN", "-UN"}) == "");
    CHECK(refusal("#include <cub/cub.cuh>\n", {}, {{"cub/cub.cuh", "// the user's own"}}) == "");
}

TEST_CASE("what the text does not tell may be there", "[host_raw]") {
    // A header might define the macro.
    CHECK(refusal("#include \"config.h\"\n#ifdef FAST\nasm(\"ret;\");\n#endif\n") != "");
    CHECK(refusal("#ifdef __SOMETHING__\nasm(\"ret;\");\n#endif\n") != "");
    CHECK(
        refusal("#if __SOMETHING__\n#define FAST 1\n#endif\n#if FAST\nasm(\"ret;\");\n#endif\n") !=
        "");
    CHECK(refusal("#if MACRO(3)\nasm(\"ret;\");\n#endif\n") != "");
}

TEST_CASE("headers are refused as the source is", "[host_raw]") {
    CHECK(test::message_of([] {
              make_raw_header(
                  {"lib/ptx.cuh", "#pragma once\nasm(\"ret;\");\n"}, DeviceKind::host, "k");
          }) ==
          "program 'k': the host device cannot run inline PTX: lib/ptx.cuh(2:1)\n"
          "  asm(\"ret;\");\n"
          "  ^~~" +
              remedy);
    const std::string text = "asm(\"ret;\");\nextern __shared__ int s[];\n__device__ int x;\n";
    CHECK(make_raw_header({"a.cuh", text}, DeviceKind::cuda, "k") == text);
}
