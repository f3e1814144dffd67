// SPDX-License-Identifier: MIT
//
// Tests of reading parameters and variables from PTX: from fixed texts as NVRTC writes them, and from the
// output of the installed NVRTC.
#include <algorithm>
#include <string>
#include <vector>

#include "cuda/nvrtc/ptx_parameters.hpp"
#include "support/catch.hpp"
#include "support/ptx.hpp"

using namespace kgen;

namespace {

// Returns for example "8p 4i": the size in bytes and the first letter of the kind.
std::string text_of(const std::vector<PtxParameter>& parameters) {
    std::string text;
    for (const PtxParameter& each : parameters) {
        if (!text.empty()) text += " ";
        text += std::to_string(each.bytes) + "?ifpa"[static_cast<int>(each.kind)];
    }
    return text;
}

std::string kinds(const std::string& ptx, const std::string& symbol) {
    return text_of(ptx_parameters(ptx, symbol));
}

// PTX as for sm_90, in which pointers are declared like integers.
constexpr const char* plain_ptx = R"(
// .visible .entry commented(.param .u32 no_param_0)
.version 9.0
.target sm_90
.address_size 64
	// .globl	axpy
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0,
	.param .b64 vprintf_param_1
)
;
.global .align 4 .u32 counter;
.const .align 4 .b8 table[256];
.visible .global .align 8 .u64 address = generic(counter);
.global .attribute(.managed) .align 4 .u32 total;
.global .align 16 .b8 _ZN2ns4deepE[16] = {0, 0, 0, 0, 0, 0, 240, 63, 0, 0, 0, 0, 0, 0, 0, 64};
.global .align 1 .b8 $str[9] = {37, 112, 32, 37, 108, 108, 100, 10};
.global .align 1 .b8 __unnamed_1[5] = {109, 97, 105, 110};
.extern .shared .align 16 .b8 dynamic[];

.visible .entry axpy(
	.param .f32 axpy_param_0,
	.param .u64 axpy_param_1,
	.param .u64 axpy_param_2,
	.param .u64 axpy_param_3
)
.maxntid 256, 1, 1
{
	.reg .b64 	%rd<9>;
	ld.param.f32 	%f1, [axpy_param_0];
	ld.param.u64 	%rd1, [axpy_param_1];
	ld.param.u64 	%rd2, [axpy_param_2];
	ld.param.u64 	%rd3, [axpy_param_3];
	setp.ge.s64 	%p1, %rd4, %rd3;
	@%p1 bra 	$L__BB0_2;

	cvta.to.global.u64 	%rd5, %rd1;
	shl.b64 	%rd6, %rd4, 2;
	add.s64 	%rd7, %rd5, %rd6;
	@!%p1 cvta.to.global.u64 	%rd8, %rd2;
	{ // callseq 0, 0
	.param .b64 param0;
	st.param.b64 	[param0+0], %rd3;
	} // callseq 0

$L__BB0_2:
	ret;
}
.weak .entry generic(.param .u64 generic_param_0, .param .u64 generic_param_1)
{
	ld.param.u64 %rd1, [generic_param_0];
	ld.param.u64 %rd2, [generic_param_1];
	st.u32 [%rd1+8], %r1;
	tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [%rd2, {%r1}];
	ret;
}
.entry none()
{
	ret;
}
.entry bare
{
	ret;
}
)";

// PTX as for sm_100, in which pointers are marked.
constexpr const char* marked_ptx = R"(
.target sm_100
.visible .entry k(
	.param .u64 .ptr .align 1 k_param_0,
	.param .u64 k_param_1,
	.param .align 8 .b8 k_param_2[24],
	.param .align 2 .b8 k_param_3[2],
	.param .u8 k_param_4,
	.param .s16 k_param_5,
	.param .f64 k_param_6,
	.param .b32 k_param_7,
	.param .u64 .ptr .global .align 16 k_param_8
)
{
	ld.param.u64 	%rd1, [k_param_1];
	cvta.to.global.u64 	%rd2, %rd1;
	ret;
}
)";

}  // namespace

TEST_CASE("parameters that a body follows are pointers, other 8-byte ones integers", "[ptx]") {
    CHECK(kinds(plain_ptx, "axpy") == "4f 8p 8p 8i");
    CHECK(kinds(plain_ptx, "generic") == "8p 8i");  // the handle of a texture is not an address
}

TEST_CASE("where the PTX marks pointers the body is not asked", "[ptx]") {
    CHECK(kinds(marked_ptx, "k") == "8p 8i 24a 2a 1i 2i 8f 4? 8p");
}

TEST_CASE("the alignment of a struct is read, and that of the memory behind a pointer is not",
          "[ptx][binding]") {
    std::vector<std::size_t> alignments;
    for (const PtxParameter& each : ptx_parameters(marked_ptx, "k"))
        alignments.push_back(each.alignment);
    CHECK(alignments == std::vector<std::size_t>{0, 0, 8, 2, 0, 0, 0, 0, 0});
}

TEST_CASE("a kernel without parameters, or one that is not there, has none", "[ptx]") {
    CHECK(kinds(plain_ptx, "none").empty());
    CHECK(kinds(plain_ptx, "bare").empty());
    CHECK(kinds(plain_ptx, "commented").empty());
    CHECK(kinds(plain_ptx, "axp").empty());
    CHECK(kinds("", "axpy").empty());
}

TEST_CASE("PTX that is cut off is read as far as it goes", "[ptx]") {
    const std::string whole = plain_ptx;
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::string cut = whole.substr(0, length);
        CHECK(ptx_parameters(cut, "axpy").size() <= 4);
        CHECK(ptx_variables(cut).size() <= 6);  // a user may have a variable "__unname"
    }
}

TEST_CASE("variables in global and constant memory are listed, the compiler's own are not",
          "[ptx]") {
    CHECK(ptx_variables(plain_ptx) ==
          std::vector<std::string>{"counter", "table", "address", "total", "_ZN2ns4deepE"});
    CHECK(ptx_variables("").empty());
}

TEST_CASE("the PTX of the NVRTC that is installed reads as the source says", "[ptx][nvrtc]") {
    if (!test::has_nvrtc()) return;
    const std::string source = R"(
struct S { float a; double b; char c; };
struct Pair { float* v; };
enum class Small : unsigned char { u, w };
__device__ int counter;
__constant__ float table[64];
#define KERNEL extern "C" __global__ void
KERNEL scalars(bool b, signed char c, unsigned short s, int i, unsigned u, long long l,
               unsigned long long ul, float f, double d, Small e, int* out) {
    *out = b + c + s + i + u + l + ul + f + d + (int)e + table[i];
    counter = 1;
}
KERNEL structs(S s, Pair p, float4 v, const __grid_constant__ S g, float* out) {
    *out = s.a + *p.v + v.x + g.b;
}
KERNEL pointers(int** pp, const volatile float* cv, const void* __restrict__ v, const float& r,
                unsigned char* bytes, long long at, size_t n) {
    if (at < n) **pp = *(const int*)v + *cv + r + bytes[at];
}
KERNEL strided(const char* a, long long sa, char* b, long long sb) {
    b[sb * threadIdx.x] = a[sa * threadIdx.x];
}
KERNEL textures(cudaTextureObject_t t, float* o, cudaSurfaceObject_t s) {
    o[0] = tex1Dfetch<float>(t, 3);
    surf1Dwrite(1.0f, s, 4);
}
KERNEL atomics(int* p, unsigned long long* q, unsigned long long v) {
    atomicAdd(p, 1);
    atomicAdd(q, v);
}
KERNEL shared_or_not(float* p, bool b) {
    __shared__ float s[4];
    float* q = b ? s : p;
    *q = 3;
}
namespace ns {
template <typename T, int n>
__global__ void k(T* p, T v) { p[n] = v; }
template __global__ void k<float, 4>(float*, float);
}
)";
    // Textures need the include folder, because it turns off NVRTC's -minimal.
    const Image image = test::nvrtc_image({.kernel = "kinds",
                                           .source = source,
                                           .symbol = "scalars",
                                           .options = {"-I/none"},
                                           .target = {DeviceKind::cuda, "sm_90"},
                                           .kind = SourceKind::raw});
    const ImageSection* section = image.find(ImageKind::ptx);
    REQUIRE(section != nullptr);
    const std::string ptx(reinterpret_cast<const char*>(section->bytes.data()),
                          section->bytes.size());
    CHECK(kinds(ptx, "scalars") == "1i 1i 2i 4i 4i 8i 8i 4f 8f 1i 8p");
    CHECK(kinds(ptx, "structs") == "24a 8a 16a 24a 8p");
    CHECK(kinds(ptx, "pointers") == "8p 8p 8p 8p 8p 8i 8i");
    CHECK(kinds(ptx, "strided") == "8p 8i 8p 8i");
    CHECK(kinds(ptx, "textures") == "8i 8p 8i");
    CHECK(kinds(ptx, "atomics") == "8p 8p 8i");
    // The code does not use it as a global address, but newer targets mark it as a pointer.
    CHECK((kinds(ptx, "shared_or_not") == "8i 1i" || kinds(ptx, "shared_or_not") == "8p 1i"));
    CHECK(kinds(ptx, "_ZN2ns1kIfLi4EEEvPT_S1_") == "8p 4f");
    std::vector<std::string> variables = ptx_variables(ptx);
    std::sort(variables.begin(), variables.end());
    CHECK(variables == std::vector<std::string>{"counter", "table"});
}
