// SPDX-License-Identifier: MIT
//
// Tests of compiling raw programs with the real NVRTC, and of the inputs that a fake NVRTC receives. They
// need no GPU.
#include <fmt/format.h>

#include <cstdint>
#include <kgen/error.hpp>

#include "cuda/driver/debug_labels.hpp"
#include "cuda/nvrtc/name_expressions.hpp"
#include "cuda/nvrtc/nvrtc_options.hpp"
#include "support/catch.hpp"
#include "support/fresh_process.hpp"
#include "support/nvrtc.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

const std::string program = R"(#line 1 "axpby.cu"
template <typename T, int N> __global__ void axpby(T* x, T a) {
    static_assert(N < 10, "too many");
    x[threadIdx.x] *= a + N;
}
namespace ns {
enum class Mode { clamp, wrap };
__constant__ float scale = 2;
__device__ int counter;
template <typename T> __constant__ T table[4];
template <Mode M> __global__ void blur(float* x) { x[0] = scale * int(M) + counter; }
}  // namespace ns
__global__ void over(float* x) { x[0] = 1; }
__global__ void over(int* x) { x[0] = 2; }
extern "C" __global__ void plain(float* x) { x[0] = 1; }
)";

NvrtcCompiler fake_compiler() {
    NvrtcSearch search;
    search.file = KGEN_FAKE_NVRTC;
    search.use_loader_cache = false;
    return NvrtcCompiler(search);
}

// Returns the inputs of the fake NVRTC, from its log.
std::string given_to(const char* version, const CompileJob& job) {
    const ScopedVariable tell("FAKE_NVRTC_LOG", "1");
    const ScopedVariable refuse("FAKE_NVRTC_RESULT", "6");  // NVRTC_ERROR_COMPILATION
    const ScopedVariable is("FAKE_NVRTC_VERSION", version);
    try {
        fake_compiler().compile(job);
    } catch (const CompileError& error) {
        return error.log();
    }
    return {};
}

// Returns a 64-bit FNV-1a hash of the code, to compare the code of two processes.
std::string fingerprint(const Image& image) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const ImageSection& section : image.sections) {
        for (const std::byte byte : section.bytes)
            hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
    }
    return fmt::format("{:x}", hash);
}

}  // namespace

TEST_CASE("name expressions become symbols, in their order", "[cuda][raw]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const Image image = compiler->compile(raw_job("axpby",
                                                  program,
                                                  {"plain",
                                                   "axpby<float, 4>",
                                                   "ns::blur<ns::Mode::wrap>",
                                                   "&ns::scale",
                                                   "&ns::counter",
                                                   "&ns::table<double>",
                                                   "(void (*)(int*))over",
                                                   "(void (*)(float*))over",
                                                   " axpby<float,4> "}));
    CHECK(image.lowered_names ==
          std::vector<LoweredName>{{"plain", "plain"},
                                   {"axpby<float, 4>", "_Z5axpbyIfLi4EEvPT_S0_"},
                                   {"ns::blur<ns::Mode::wrap>", "_ZN2ns4blurILNS_4ModeE1EEEvPf"},
                                   {"&ns::scale", "_ZN2ns5scaleE"},
                                   {"&ns::counter", "_ZN2ns7counterE"},
                                   {"&ns::table<double>", "_ZN2ns5tableIdEE"},
                                   {"(void (*)(int*))over", "_Z4overPi"},
                                   {"(void (*)(float*))over", "_Z4overPf"},
                                   {" axpby<float,4> ", "_Z5axpbyIfLi4EEvPT_S0_"}});
    for (const LoweredName& name : image.lowered_names)
        CHECK(has_text(image, ImageKind::ptx, name.symbol));
    CHECK(has_text(image, ImageKind::cubin, "\177ELF"));
    CHECK(image.symbol.empty());
    CHECK(image.log.empty());
}

TEST_CASE("an expression that names nothing is named first, then NVRTC's log", "[cuda][raw]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const std::string log =
        "__nv_name_map(2): error: identifier \"foo\" is undefined\n"
        "  #pragma nv_mangled_name axpby<foo>\n"
        "                                ^\n\n"
        "__nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input "
        "name expression was: \" axpby < foo >\"\n"
        "  #pragma nv_mangled_name axpby<foo>\n"
        "                          ^\n\n"
        "2 errors detected in the compilation of \"/kgen/axpby.cu\".\n";
    try {
        compiler->compile(raw_job("axpby", program, {"plain", "axpby<foo>"}));
        FAIL("compiled");
    } catch (const CompileError& error) {
        CHECK(error.what() ==
              "kernel 'axpby': the name expression 'axpby<foo>' does not instantiate for sm_90\n" +
                  log);
        CHECK(error.log() == log);
        CHECK(error.source() == program);
    }
    // NVRTC reports each of these with another message.
    for (const char* expression : {"nowhere",
                                   "axpby",
                                   "axpby<float>",
                                   "axpby<float,",
                                   "axpby<float, 3>) void(",
                                   "over",
                                   "ns::scale",
                                   "(float)1",
                                   "axpby<float, 3>; int x"}) {
        const std::string message = KGEN_MESSAGE_OF(
            CompileError, compiler->compile(raw_job("axpby", program, {"plain", expression})));
        INFO(message);
        CHECK(message.find(fmt::format(
                  "kernel 'axpby': the name expression '{}' does not instantiate for sm_90\n",
                  expression)) == 0);
    }
}

TEST_CASE("what is wrong inside a template is told as the user's own error", "[cuda][raw]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const std::string message = KGEN_MESSAGE_OF(
        CompileError, compiler->compile(raw_job("axpby", program, {"axpby<float, 40>"})));
    INFO(message);
    CHECK(message.find(fmt::format("kernel 'axpby': {} rejected the source for sm_90\n"
                                   "axpby.cu(2): error: static assertion failed with \"too many\"",
                                   compiler->library().name())) == 0);
}

TEST_CASE("expressions that would be more than an expression are refused", "[cuda][raw]") {
    const NvrtcCompiler compiler = fake_compiler();
    struct Row {
        std::string expression;
        const char* problem;
    };
    const Row rows[] = {{"axpby<float>\nint x;", "holds a line break"},
                        {std::string("axpby\0", 6), "holds a NUL character"},
                        {" ", "is empty"}};
    for (const Row& row : rows) {
        CHECK(KGEN_MESSAGE_OF(
                  CompileError,
                  compiler.compile(raw_job("axpby", program, {"plain", row.expression}))) ==
              fmt::format("kernel 'axpby': a name expression {}", row.problem));
    }
}

TEST_CASE("a NUL character is refused wherever it stands", "[cuda][raw]") {
    const NvrtcCompiler compiler = fake_compiler();
    const std::string text("int a;\0int b;", 13);
    const auto message_of = [&](const CompileJob& job) {
        return KGEN_MESSAGE_OF(CompileError, compiler.compile(job));
    };
    CompileJob job = raw_job("axpby", program);
    job.source = text;
    CHECK(message_of(job) == "kernel 'axpby': the source holds a NUL character at byte 6");
    job = raw_job("axpby", program);
    job.linked_sources = {{"filters.cu", text}};
    CHECK(message_of(job) == "kernel 'axpby': 'filters.cu' holds a NUL character at byte 6");
    job = raw_job("axpby", program);
    job.headers = {{"a.h", text}};
    CHECK(message_of(job) == "kernel 'axpby': the header 'a.h' holds a NUL character at byte 6");
    job.headers = {{std::string("a\0.h", 4), ""}};
    CHECK(message_of(job) ==
          "kernel 'axpby': the name of a header holds a NUL character at byte 1");
    job = raw_job("axpby", program);
    job.include_directories = {std::string("/a\0b", 4)};
    CHECK(message_of(job) == "kernel 'axpby': an include directory holds a NUL character");
    job.include_directories = {""};
    CHECK(message_of(job) ==
          "kernel 'axpby': an include directory is empty: name the working directory with '.'");
    job = raw_job("axpby", program);
    job.options = {std::string("-DA\0B", 5)};
    CHECK(message_of(job) == "kernel 'axpby': an option holds a NUL character");
}

TEST_CASE("a program of the user's own is compiled with all of NVRTC", "[cuda][raw]") {
    using Options = std::vector<std::string>;
    CompileJob job = raw_job("axpby", program);
    CHECK(resolve_nvrtc_options(job) ==
          Options{"-arch=sm_90", "-std=c++17", "--device-as-default-execution-space"});
    job.target.arch = "sm_90a";
    job.options = {"-I/mine", "-std=c++20"};
    job.include_directories = {"/first", "second"};
    CHECK(resolve_nvrtc_options(job) ==
          Options{"-arch=sm_90a", "--device-as-default-execution-space", "-I/mine", "-std=c++20"});
    job = raw_job("axpby", program);
    job.linked_sources = {{"b.cu", ""}};
    CHECK(resolve_nvrtc_options(job) ==
          Options{"-arch=sm_90", "-std=c++17", "--device-as-default-execution-space", "-dlto"});
}

TEST_CASE("options of the target and of linking are refused with kgen's own way", "[cuda][raw]") {
    const auto message_of = [](const std::string& option) {
        CompileJob job = raw_job("axpby", program);
        job.options = {option};
        return KGEN_MESSAGE_OF(CompileError, resolve_nvrtc_options(job));
    };
    for (const char* option : {"-arch=sm_80", "--gpu-architecture=sm_90a"}) {
        CHECK(message_of(option) ==
              fmt::format("kernel 'axpby': option '{}' is not allowed: the target is chosen by "
                          "kgen; name another one with '.arch', as in {{.arch = \"sm_90a\"}}",
                          option));
    }
    for (const char* option :
         {"-rdc=true", "-dc", "--device-c", "--relocatable-device-code=true", "-dlto"}) {
        CHECK(message_of(option) ==
              fmt::format("kernel 'axpby': option '{}' is not allowed: it makes no code that can "
                          "be loaded; kgen itself links the sources that are given as '.sources'",
                          option));
    }
    CHECK(message_of("--time=/tmp/x") ==
          "kernel 'axpby': option '--time=/tmp/x' is not allowed: it writes a file");
}

TEST_CASE("NVRTC is given the headers, the names and what its version knows", "[cuda][raw]") {
    CompileJob job = raw_job("axpby", "#line 1 \"dir/saxpy.cu\"\nint a;", {"axpby<float>"});
    job.headers = {{"a.h", "int b;"}, {"sub/b.h", "int c;"}};
    const std::string given =
        "name /kgen/saxpy.cu\n"
        "source #line 1 \"dir/saxpy.cu\"\nint a;\n"
        "header a.h int b;\n"
        "header sub/b.h int c;\n"
        "expression axpby<float>\n"
        "option -arch=sm_90\n"
        "option -std=c++17\n"
        "option --device-as-default-execution-space\n";
    CHECK(given_to("12.8", job) == given);
    CHECK(given_to("12.9", job) == given + "option -no-cache\noption -frandom-seed=kgen0\n");
    // kgen adds no seed if the user gives one.
    job.options = {"--frandom-seed=7"};
    CHECK(given_to("13.0", job) == given + "option --frandom-seed=7\noption -no-cache\n");
}

TEST_CASE("the name of a program comes from its text alone", "[cuda][raw]") {
    const auto name_given = [](const std::string& kernel, const std::string& source) {
        const std::string given = given_to("12.8", raw_job(kernel, source));
        return given.substr(0, given.find('\n'));
    };
    CHECK(name_given("other", "#line 1 \"/home/me/x-1.cu\"\n") == "name /kgen/x-1.cu");
    CHECK(name_given("other", "#line 1 \"module.cu\"\n") == "name /kgen/module.cu");
    CHECK(name_given("axpby<float, 4>", "int a;") == "name /kgen/axpby.cu");
    CHECK(name_given("(void(*)())k", "int a;") == "name /kgen/source.cu");
}

TEST_CASE("headers in memory are found by both kinds of #include", "[cuda][raw]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    CompileJob job = raw_job("k",
                             "#line 1 \"k.cu\"\n#include \"two.h\"\n#include <in/three.h>\n"
                             "extern \"C\" __global__ void k(int* x) { x[0] = two() * three(); }");
    job.headers = {{"two.h", "__device__ int two() { return 211; }"},
                   {"in/three.h", "__device__ int three() { return 307; }"}};
    CHECK(has_text(compiler->compile(job), ImageKind::ptx, "64777"));
    job.headers.pop_back();
    const std::string message = KGEN_MESSAGE_OF(CompileError, compiler->compile(job));
    INFO(message);
    CHECK(message.find("k.cu(2): catastrophic error: ") != std::string::npos);
    CHECK(message.find("\"in/three.h\"") != std::string::npos);
}

TEST_CASE("line information brings no folder of this machine into the code", "[cuda][raw]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const std::string here = std::filesystem::current_path();
    for (const char* option : {"-lineinfo", "--generate-line-info", "-G"}) {
        INFO(option);
        CompileJob job = raw_job(
            "k",
            "#line 1 \"sub/k.cu\"\n#include \"two.h\"\n"
            "extern \"C\" __global__ void k(int* x) { x[0] = two(x[0]); printf(__FILE__); }");
        job.headers = {{"two.h", "__device__ int two(int a) { return a * a + 211; }"}};
        job.options = {option};
        const Image image = compiler->compile(job);
        if (option != std::string_view("-G")) {  // -G writes the working directory itself
            CHECK_FALSE(has_text(image, ImageKind::cubin, here));
            CHECK_FALSE(has_text(image, ImageKind::ptx, here));
        }
        CHECK(has_text(image, ImageKind::ptx, "\"/kgen/sub/k.cu\""));
        CHECK(has_text(image, ImageKind::ptx, "\"/kgen/two.h\""));
        // Error messages still name the user's files.
        job.headers = {{"two.h", "__device__ int two(int a) {\n return b; }"}};
        const std::string message = KGEN_MESSAGE_OF(CompileError, compiler->compile(job));
        INFO(message);
        CHECK(message.find("\ntwo.h(2): error: identifier \"b\" is undefined\n") !=
              std::string::npos);
    }
}

TEST_CASE("labels are made absolute in #line directives alone", "[cuda][raw]") {
    CHECK(with_absolute_labels("#line 1 \"a.cu\"\nint a;\n  # line 7 \"/b.cu\"\n#line 9\n"
                               "// #line 1 \"c\"\n#line 3 \"k (operation)\"") ==
          "#line 1 \"/kgen/a.cu\"\nint a;\n  # line 7 \"/b.cu\"\n#line 9\n"
          "// #line 1 \"c\"\n#line 3 \"/kgen/k (operation)\"");
    CHECK(with_absolute_labels("") == "");
    CHECK(with_user_labels("/kgen/a.cu(1): error in \"/kgen/a.cu\"\n/home/kgen/a.cu(2): /kgen/b") ==
          "a.cu(1): error in \"a.cu\"\n/home/kgen/a.cu(2): b");
    CHECK(first_label("#line 1 \"a/b.cu\"\n") == "a/b.cu");
    CHECK(first_label("\n#line 1 \"a.cu\"\n") == "");
    CHECK(first_label("#line 1 \"a.cu") == "");
}

TEST_CASE("a source mentions what an expression names, whatever else is in it", "[cuda][raw]") {
    CHECK(mentions_name("__global__ void blur(int)", "filters::blur<Mode::clamp>"));
    CHECK(mentions_name("void over(float*);", "(void (*)(float*))over"));
    CHECK(mentions_name("int scale;", "&ns::scale"));
    CHECK_FALSE(
        mentions_name("int blurry, Mode, clamp; /* myblur */", "filters::blur<Mode::clamp>"));
    CHECK_FALSE(mentions_name("int a;", ""));
}

TEST_CASE("sm_90a code compiles: wgmma and the bulk copy engine", "[cuda][raw]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    CompileJob job = raw_job("hopper",
                             R"(#line 1 "hopper.cu"
__global__ void hopper(float* out, const float* in, unsigned long long a, unsigned long long b) {
    __shared__ alignas(128) float tile[256];
    __shared__ alignas(8) unsigned long long barrier;
    const unsigned to = (unsigned)__cvta_generic_to_shared(tile);
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(to), "l"(in), "r"(1024), "r"(at) : "memory");
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, "
                 "1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;");
    asm volatile("wgmma.wait_group.sync.aligned 0;");
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3] + tile[threadIdx.x];
}
)",
                             {"hopper"});
    job.target.arch = "sm_90a";
    const Image image = compiler->compile(job);
    CHECK(image.target.arch == "sm_90a");
    CHECK(has_text(image, ImageKind::ptx, ".target sm_90a"));
    CHECK(has_text(image, ImageKind::ptx, "wgmma.mma_async"));
    job.target.arch = "sm_90";
    const std::string message = KGEN_MESSAGE_OF(CompileError, compiler->compile(job));
    INFO(message);
    CHECK(message.find("not supported on .target 'sm_90'") != std::string::npos);
}

namespace {

CompileJob block_reduce_job(const NvrtcCompiler& compiler) {
    CompileJob job = raw_job("total",
                             R"(#line 1 "total.cu"
#include <cub/block/block_reduce.cuh>
#include <cuda/std/complex>
template <typename T, int N> __global__ void total(const T* x, T* y) {
    using Reduce = cub::BlockReduce<T, N>;
    __shared__ typename Reduce::TempStorage storage;
    const T sum = Reduce(storage).Sum(x[threadIdx.x]);
    if (threadIdx.x == 0) *y = sum;
}
__global__ void squares(cuda::std::complex<float>* x) { x[threadIdx.x] *= x[threadIdx.x]; }
)",
                             {"total<float, 128>", "squares"});
    job.include_directories = toolkit_includes(compiler);
    job.options = {"-lineinfo"};  // without a seed the images would differ
    return job;
}

}  // namespace

TEST_CASE("fresh: the bytes of a program with CCCL", "[.fresh]") {
    const NvrtcCompiler compiler(NvrtcSearch::from_environment());
    const CompileJob job = block_reduce_job(compiler);
    std::filesystem::current_path("/");
    report(fingerprint(compiler.compile(job)));
}

TEST_CASE("a program with CCCL compiles, to the same bytes in two processes and folders",
          "[cuda][raw]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const CompileJob job = block_reduce_job(*compiler);
    if (job.include_directories.empty()) return;
    const Image image = compiler->compile(job);
    REQUIRE(image.lowered_names.size() == 2);
    CHECK(image.lowered_names[0].symbol == "_Z5totalIfLi128EEvPKT_PS0_");
    CHECK(has_text(image, ImageKind::ptx, "shfl.sync"));
    if (compiler->library().is_at_least(12, 9))
        CHECK(run_fresh("fresh: the bytes of a program with CCCL", {}).text == fingerprint(image));
}
