// SPDX-License-Identifier: MIT
//
// The user's own programs on the host: how their arguments are laid out, and how they are named and launched.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <kgen/graph.hpp>
#include <kgen/raw_kernel.hpp>
#include <string>
#include <vector>

#include "host/host_backend.hpp"
#include "program/parameter_type.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/raw_programs.hpp"
#include "support/raw_sources.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using test::HostProgram;
using test::message_of;

namespace {

std::string launch_message(const LaunchConfig& config) {
    static const HostProgram program("__global__ void k() {}");
    return message_of([&] { program.launch("k", config); });
}

template <typename T>
T& variable(const HostProgram& program, const std::string& symbol) {
    const auto region = program.module().variable(symbol);
    REQUIRE(region.has_value());
    CHECK(region->bytes == sizeof(T));
    return *static_cast<T*>(region->pointer);
}

}  // namespace

TEST_CASE("a kernel without barriers is a loop over threads and blocks", "[host_raw]") {
    const HostProgram program(test::saxpy_source);
    for (const int n : {1, 255, 256, 257, 100000}) {
        std::vector<float> x(static_cast<std::size_t>(n));
        std::vector<float> y(x.size(), 3);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
        std::vector<float> z(x.size() + 1, -1);
        program.launch("saxpy",
                       {.grid = {(n + 255) / 256}, .block = {256}},
                       2.0F,
                       x.data(),
                       y.data(),
                       z.data(),
                       n);
        bool right = z.back() == -1;
        for (std::size_t i = 0; i < x.size(); ++i) right &= z[i] == 2 * static_cast<float>(i) + 3;
        INFO(n);
        CHECK(right);
    }
}

TEST_CASE("threads beyond 2^31 have their indices", "[host_raw]") {
    if (is_sanitized) return;  // takes most of a minute there
    const HostProgram program(R"(__global__ void k(unsigned* count, unsigned from) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= from) atomicAdd(count, i - from + 1);
})");
    unsigned count = 0;
    constexpr unsigned from = (1U << 31) - 2;
    program.launch("k", {.grid = {(1 << 21) + 1}, .block = {1024}}, &count, from);
    CHECK(count == 1026U * 1027 / 2);
}

TEST_CASE("parameters lie as in CUDA, and their kinds are known", "[host_raw]") {
    const HostProgram program(R"(
enum class Color : short { red };
struct Triple { char a; double b; };
__global__ void k(char a, double b, const float* c, Triple d, short e, bool f, Color g, int& h, const int i,
                  unsigned long long j, float4 m, int* __restrict__ l) {})");
    using Kind = ParameterKind;
    const std::vector<KernelParameter> expected = {{0, 1, Kind::integer, {}, 1},
                                                   {8, 8, Kind::floating, {}, 8},
                                                   {16, 8, Kind::pointer, {}, 8},
                                                   {24, 16, Kind::aggregate, {}, 8},
                                                   {40, 2, Kind::integer, {}, 2},
                                                   {42, 1, Kind::integer, {}, 1},
                                                   {44, 2, Kind::integer, {}, 2},
                                                   {48, 8, Kind::pointer, {}, 8},
                                                   {56, 4, Kind::integer, {}, 4},
                                                   {64, 8, Kind::integer, {}, 8},
                                                   {80, 16, Kind::aggregate, {}, 16},
                                                   {96, 8, Kind::pointer, {}, 8}};
    const auto kernel = program.module().kernel("k");
    REQUIRE(kernel != nullptr);
    std::vector<KernelParameter> told(kernel->parameters().begin(), kernel->parameters().end());
    const std::vector<std::string> types = {"char",
                                            "double",
                                            "const float*",
                                            "Triple",
                                            "short",
                                            "bool",
                                            "Color",
                                            "int&",
                                            "int",
                                            "unsigned long long",
                                            "float4",
                                            "int*"};
    REQUIRE(told.size() == types.size());
    for (std::size_t k = 0; k < told.size(); ++k) {
        CHECK(read_parameter_type(told[k].type).text == types[k]);
        told[k].type.clear();
    }
    CHECK(told == expected);
    CHECK(program.module().kernel("nothing") == nullptr);
}

TEST_CASE("structs, references and wide types arrive as they were given", "[host_raw]") {
    const HostProgram program(R"(
struct alignas(32) Wide { double x[4]; };
__global__ void k(bool first, Wide wide, double& out, short last) {
    out = wide.x[0] + wide.x[3] + last + first;
})");
    struct alignas(32) Wide {
        double x[4];
    };
    double out = 0;
    program.launch("k", {}, true, Wide{{1, 2, 3, 40}}, &out, short{500});
    CHECK(out == 542);
}

TEST_CASE("kernels are found wherever they are written out", "[host_raw]") {
    const HostProgram program(R"cu(
extern "C" { __global__ void in_c(int* x) { *x = 1; } }
namespace a { namespace b::c {
__global__ void __launch_bounds__(256, 2) deep(int* x) { *x = 2; }
} inline namespace v1 { __global__ void inlined(int* x) { *x = 3; } } }
namespace { __global__ void hidden(int* x) { *x = 4; } }
static void __global__ turned(int* x)
{ if (x) { *x = 5; } }
__global__ void declared(int* x);
#define KERNEL(name) extern "C" __global__ void name
KERNEL(by_macro)(int* x) { *x = 6; }
#define GLOBAL __global__
GLOBAL void marked(int* x) { *x = 7; }
#ifdef WITH
__global__ void chosen(int* x) { *x = 8; }
#else
__global__ void chosen(long* x, int) { *x = 80; }
#endif
__global__ void same(int* x) { *x = 9; }
__global__ void same(float* x, int n = 3) { *x = 10; }
template <class T> __global__ void generic(T* x) { *x = 11; }
template <> __global__ void generic<int>(int* x) { *x = 12; }
void a_function(int) { auto text = "__global__ void quoted() {}"; }
// __global__ void commented() {}
)cu",
                              {"generic<float>", "a::b::c::deep", "by_macro"},
                              {"-DWITH"});
    CHECK(program.module().kernel_symbols() == std::vector<std::string>{"a::b::c::deep",
                                                                        "a::v1::inlined",
                                                                        "chosen",
                                                                        "hidden",
                                                                        "in_c",
                                                                        "kgen_raw_0",
                                                                        "kgen_raw_1",
                                                                        "kgen_raw_2",
                                                                        "marked",
                                                                        "same(float * x, int n)",
                                                                        "same(int * x)",
                                                                        "turned"});
    CHECK(program.image().lowered_names ==
          std::vector<LoweredName>{{"generic<float>", "kgen_raw_0"},
                                   {"a::b::c::deep", "kgen_raw_1"},
                                   {"by_macro", "kgen_raw_2"}});
    const auto value_of = [&](const std::string& symbol) {
        int value = 0;
        program.launch(symbol, {}, &value);
        return value;
    };
    CHECK(value_of("in_c") == 1);
    CHECK(value_of("a::b::c::deep") == 2);
    CHECK(value_of("kgen_raw_1") == 2);
    CHECK(value_of("a::v1::inlined") == 3);
    CHECK(value_of("hidden") == 4);
    CHECK(value_of("turned") == 5);
    CHECK(value_of("kgen_raw_2") == 6);
    CHECK(value_of("marked") == 7);
    CHECK(value_of("chosen") == 8);
    CHECK(value_of("same(int * x)") == 9);
}

TEST_CASE("variables are found by their names and by expressions", "[host_raw]") {
    const HostProgram program(R"cu(
__device__ int counter = 3, other;
namespace ns { __constant__ float table[4] = {1, 2}; }
static __device__ double2 pair{1, 2};
__managed__ unsigned char flags[2][3];
template <class T> __device__ T scale = T(5);
__device__ const float* pointer = nullptr;
__device__ int add(int a, int b) { return a + b; }
extern __device__ int elsewhere;
__global__ void k(float* out) {
    *out = add(counter, other) + ns::table[1] + (float)pair.x + flags[1][2] + scale<float> + scale<double>;
}
)cu",
                              {"k", "&scale<double>", "&ns::table"});
    CHECK(program.module().variable_symbols() == std::vector<std::string>{"counter",
                                                                          "flags",
                                                                          "kgen_raw_1",
                                                                          "kgen_raw_2",
                                                                          "ns::table",
                                                                          "other",
                                                                          "pair",
                                                                          "pointer"});
    CHECK(variable<int>(program, "counter") == 3);
    variable<int>(program, "other") = 100;
    variable<float[4]>(program, "ns::table")[1] = 1000;
    CHECK(variable<float[4]>(program, program.symbol("&ns::table"))[1] == 1000);
    variable<unsigned char[2][3]>(program, "flags")[1][2] = 7;
    variable<double>(program, program.symbol("&scale<double>")) = 20000;
    CHECK_FALSE(program.module().variable("elsewhere").has_value());
    float out = 0;
    program.launch("k", {}, &out);
    CHECK(out == 21116);
}

TEST_CASE("macros of the options count in the user's text alone", "[host_raw]") {
    const HostProgram program(
        "__global__ void k(T* x) { *x = N + KIND(2); }\n#ifdef A\n#error A is defined\n#endif\n",
        {"k"},
        {"-DT=float", "-D", "N=4", "--define-macro=KIND(x)=(10*x)", "-DA", "-UA", "-Dvalue=F"});
    float x = 0;
    program.launch("k", {}, &x);
    CHECK(x == 24);
}

TEST_CASE("a program knows that it is compiled for the host", "[host_raw]") {
    const HostProgram program(R"(
#if !defined(__CUDACC__) || !defined(__CUDACC_RTC__) || !defined(KGEN_ON_HOST) || __CUDA_ARCH__ != 700
#error no
#endif
typedef long int64_t;
#include <cuda_runtime.h>
constexpr int M_PI = 3;
__global__ void k(int* x) { dim3 d = blockIdx; uint3 u = threadIdx; *x = warpSize + (int)d.x + (int)u.y; })");
    int x = 0;
    program.launch("k", {}, &x);
    CHECK(x == 32);
}

TEST_CASE("each name that CUDA C++ has built in is there alone", "[host_raw]") {
    for (const char* statement : {
             "x[0] = sqrtf(x[1]);",
             "x[0] = max(1, 2) + fmaxf(x[1], 2);",
             "x[0] = __expf(x[1]);",
             "x[0] = __popc(3) + __clz(1);",
             "x[0] = __int_as_float(7);",
             "x[0] = erfinv(x[1]);",
             "float4 v = make_float4(1, 2, 3, 4); x[0] = v.w;",
             "atomicAdd(x, 1.0f);",
             "__threadfence_block();",
             "x[0] = (float)clock64();",
             "__nanosleep(5);",
             "x[0] = __ldg(x + 1);",
             "x[0] = umin(1u, 2u);",
             "memcpy(x, x + 1, 4); memset(x, 0, 4);",
             "new (x) float(std::move(x[1]));",
             "dim3 d(1, 2); x[0] = d.z + warpSize + gridDim.x + blockDim.y;",
             "x[0] = normcdff(x[1]) + rsqrtf(x[2]);",
             "float* y = (float*)malloc(4); y[0] = 1; x[0] = y[0]; free(y);",
             "float s, c; sincosf(x[0], &s, &c); x[0] = s + c;",
             "__syncwarp(); x[0] = __any_sync(__activemask(), 1);",
         }) {
        INFO(statement);
        const HostProgram program("__global__ void k(float* x) { " + std::string(statement) + " }");
        std::vector<float> x(8, 0.5F);
        program.launch("k", {}, x.data());
    }
}

TEST_CASE("headers in memory are compiled as the user's own files", "[host_raw]") {
    const std::vector<Header> headers = {
        {"lib/outer.cuh", "#pragma once\n#include \"inner.cuh\"\n__device__ int seven = 7;\n"},
        {"lib/inner.cuh",
         "#pragma once\n__global__ void from_header(int* x) { extern __shared__ int s[]; s[0] = 5; "
         "*x "
         "= s[0]; }\n"},
        {"../up.h", "constexpr int up = 30;\n"}};
    const HostProgram program(
        "#include <lib/outer.cuh>\n#include \"../up.h\"\n#include \"lib/outer.cuh\"\n"
        "__global__ void k(int* x) { *x = seven + up; }\n",
        {},
        {},
        headers);
    int x = 0;
    program.launch("k", {}, &x);
    CHECK(x == 37);
    program.launch("from_header", {.shared_bytes = 4}, &x);
    CHECK(x == 5);
    variable<int>(program, "seven") = 8;

    try {
        const HostProgram wrong("#include <lib/wrong.cuh>\n__global__ void k() {}\n",
                                {},
                                {},
                                {{"lib/wrong.cuh", "\n__device__ int f() { return wrong; }\n"}});
        FAIL("it compiles");
    } catch (const CompileError& error) {
        CHECK(error.log().find("lib/wrong.cuh:2:29: error: ") != std::string::npos);
        CHECK(error.log().find("/tmp") == std::string::npos);
    }
}

TEST_CASE("shared memory takes all its spellings", "[host_raw]") {
    const HostProgram program(R"cu(
extern __shared__ float everywhere[];
extern __shared__ alignas(16) int rows[][4];
__shared__ int of_all[2];
template <class T> __device__ T* mine() { extern __shared__ __align__(16) unsigned char bytes[]; return (T*)bytes; }
__device__ float first() { return everywhere[0]; }
__global__ void k(float* out) {
    extern __shared__ volatile float s[];
    extern
    __shared__ float2 pairs[];
    extern __shared__ int table[][2];
    static __shared__ int a;
    __shared__ alignas(16) float b[4];
    volatile __shared__ double c, d[2];
    __shared__ struct { int x; } e;
    s[0] = 1; s[1] = 2; table[1][1] = 4;
    a = b[1] = c = d[1] = e.x = of_all[1] = 1;
    out[0] = first() + pairs[0].y + *mine<float>() + everywhere[1] + (float)rows[0][3];
    out[1] = a + b[1] + c + d[1] + e.x + of_all[1];
}
)cu");
    std::vector<float> out(2);
    program.launch("k", {.shared_bytes = 64}, out.data());
    CHECK(out == std::vector<float>{10, 6});
}

TEST_CASE("lines of the text stay, whatever is put into it", "[host_raw]") {
    const std::string text =
        "#include \\\n"
        "\\\n"
        "  <cuda_runtime.h>\n"
        "template <char c> struct Letter { char value; };\n"
        "extern __shared__ /* of\n"
        "letters */ Letter<'\\\n"
        "a'> letters[];\n"
        "__global__ void a() {} __global__ void b() {}\n"
        "__global__ void c() {\n"
        "    extern __shared__\n"
        "    float s[];\n"
        "    s[0] = wrong;\n"
        "}\n";
    try {
        const HostProgram program(text);
        FAIL("it compiles");
    } catch (const CompileError& error) {
        CHECK(error.log().find("k.cu:12:12: error: ") != std::string::npos);
    }
}

TEST_CASE("a name that names nothing is told as it was given", "[host_raw]") {
    try {
        const HostProgram program("template <class T> __global__ void k(T* x) {}",
                                  {"k<int>", "k<floot>"});
        FAIL("it compiles");
    } catch (const CompileError& error) {
        CHECK(error.log().find("names:2:3: error: ") != std::string::npos);
    }
    const RawSource source = make_raw_source({.program = "k",
                                              .texts = {{"k.cu", "text"}},
                                              .names = {"k<int>", "k<\nfloot>"},
                                              .device = DeviceKind::host});
    REQUIRE(source.user_texts.size() == 2);
    CHECK(source.user_texts[1].label == "names");
    CHECK(source.user_texts[1].text == "k<int>\nk< floot>\n");
}

TEST_CASE("what a launch asks for is bounded as on a GPU", "[host_raw]") {
    struct Row {
        LaunchConfig config;
        const char* message;
    };
    const Row rows[] = {
        {{.block = {1024}}, ""},
        {{.grid = {0, 5}, .block = {1024}}, ""},
        {{.block = {16, 1, 64}}, ""},
        {{.shared_bytes = 232448}, ""},
        {{.block = {1025}},
         "kernel 'k': block (1025, 1, 1): 1025 threads along x, host has at most 1024"},
        {{.block = {1, 1, 65}},
         "kernel 'k': block (1, 1, 65): 65 threads along z, host has at most 64"},
        {{.block = {33, 32}},
         "kernel 'k': 1056 threads in a block (33, 32, 1), host has at most 1024"},
        {{.block = {0}}, "kernel 'k': block (0, 1, 1): an extent is 0, expected at least 1"},
        {{.block = {-1}}, "kernel 'k': block (-1, 1, 1): an extent is negative"},
        {{.grid = {1, -2}}, "kernel 'k': grid (1, -2, 1): an extent is negative"},
        {{.grid = {1, 65536}},
         "kernel 'k': grid (1, 65536, 1): 65536 blocks along y, host has at most 65535"},
        {{.grid = {std::int64_t{1} << 31}},
         "kernel 'k': grid (2147483648, 1, 1): 2147483648 blocks along x, host has at most "
         "2147483647"},
        {{.shared_bytes = 232449},
         "kernel 'k': 232449 bytes of shared memory, host has at most 232448"},
        {{.shared_bytes = -1}, "kernel 'k': -1 bytes of shared memory: expected 0 or more"},
        {{.cluster = {2}},
         "kernel 'k': the host device does not support clusters\n"
         "run it on a GPU (KGEN_DEVICE=cuda)"},
        {{.cooperative = true},
         "kernel 'k': the host device does not support cooperative launches\n"
         "run it on a GPU (KGEN_DEVICE=cuda)"},
        {{.programmatic_dependent = true},
         "kernel 'k': the host device does not support programmatic dependent launches\n"
         "run it on a GPU (KGEN_DEVICE=cuda)"},
    };
    for (const Row& row : rows) CHECK(launch_message(row.config) == row.message);
}

TEST_CASE("a loop tells what failed in which thread", "[host_raw]") {
    const HostProgram program(R"(__global__ void k(int* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i != n && "never");
    if (i == n + 1) __trap();
    x[i] /= x[i] - 7;
})");
    std::vector<int> x(64, 8);
    const auto message = [&](int n) {
        return message_of([&] { program.launch("k", {.grid = {2}, .block = {32}}, x.data(), n); });
    };
    CHECK(message(100) == "");
    CHECK(message(40) ==
          "kernel 'k': assertion 'i != n && \"never\"' failed at k.cu(3), in thread (8, 0, 0) of "
          "block (1, 0, 0)");
    x.assign(64, 8);
    CHECK(message(-1) == "kernel 'k': __trap() at k.cu(4), in thread (0, 0, 0) of block (0, 0, 0)");
    x[3] = 7;
    CHECK(message(100) ==
          "kernel 'k': integer division by zero: 7 / 0 at k.cu(5:10), in thread (3, 0, 0) of block "
          "(0, 0, 0)");
}

TEST_CASE("printf of a kernel goes to the standard output", "[host_raw]") {
    std::fflush(stdout);  // so that the child does not print it again
    const std::string printed = said_by_child([] {
        const HostProgram program(R"(
__global__ void plain(int n) { printf("plain %d %s\n", n, "text"); }
__global__ void waits(double x) { __syncthreads(); if (threadIdx.x == 2) printf("waits %.3f\n", x); })");
        std::FILE* file = std::tmpfile();
        ::dup2(::fileno(file), 1);
        program.launch("plain", {}, 7);
        program.launch("waits", {.block = {3}}, 2.5);
        std::fflush(stdout);
        std::rewind(file);
        char text[100] = {};
        const std::size_t count = std::fread(text, 1, sizeof(text) - 1, file);
        return std::string(text, count);
    });
    CHECK(printed == "plain 7 text\nwaits 2.500\n");
}

TEST_CASE("static shared memory is counted for its kernel", "[host_raw]") {
    const HostProgram program(R"(
__device__ float of_both(float x) {
    __shared__ float s[8];
    s[threadIdx.x] = x;
    __syncthreads();
    return s[7 - threadIdx.x];
}
__global__ void a(float* x) { __shared__ double t[10]; t[threadIdx.x] = of_both(*x); __syncthreads(); *x = t[1]; }
extern "C" __global__ void b(float* x) {
    __shared__ char t[100]; t[threadIdx.x] = of_both(*x); __syncthreads(); *x = t[1];
}
template <class T> __global__ void c(T* x) { __shared__ T t[4]; t[threadIdx.x] = *x; __syncthreads(); *x = t[1]; })",
                              {"c<double>"});
    const auto bytes = [&](const std::string& symbol) {
        return host_backend().raw().attributes(*program.module().kernel(symbol)).shared_bytes;
    };
    CHECK(bytes("a") == 80 + 32);
    CHECK(bytes("b") == 100 + 32);
    CHECK(bytes("kgen_raw_0") == 32 + 32);
}

TEST_CASE("launches are captured with their arguments", "[host_raw]") {
    const RawKernel add("__global__ void add(int* x, int n) { x[threadIdx.x] += n; }", "add");
    const DeviceScope scope(Device::host());
    Array x = from_vector(std::vector<int>{1, 2, 3});
    const Stream stream = Stream::create(Device::host());
    const Graph graph = capture(stream, [&] {
        add.launch({.block = {3}, .stream = stream}, x, 10);
        add.launch({.block = {2}, .stream = stream}, x, 100);
    });
    CHECK(x.to_vector<int>() == std::vector<int>{1, 2, 3});
    graph.launch(stream);
    graph.launch(stream);
    CHECK(x.to_vector<int>() == std::vector<int>{221, 222, 23});
}
