// SPDX-License-Identifier: MIT
//
// Tests of linking several sources to one module with the real NVRTC and nvJitLink. They need no GPU.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <kgen/error.hpp>
#include <sstream>

#include "cuda/nvrtc/nvrtc_library.hpp"
#include "cuda/nvrtc/nvrtc_location.hpp"
#include "cuda/nvrtc/nvrtc_options.hpp"
#include "image/find_or_compile.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/nvrtc.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

const std::string apply = R"(#line 1 "apply.cu"
__device__ float scale_by(float x, float a);
extern __device__ float factor;
static __device__ float local(float x) { return x + 1; }
namespace { __device__ float hidden = 3; }
template <typename T> __global__ void apply(T* x) {
    x[0] = scale_by(x[0], factor) + local(x[0]) + hidden;
}
)";
const std::string scale = R"(#line 1 "scale.cu"
__device__ float factor = 2;
namespace { __device__ float hidden = 4; }
static __device__ float local(float x) { return x + 2; }
__device__ float scale_by(float x, float a) { return x * a + local(x) * hidden; }
template <int N> __global__ void other(float* x) { x[0] = scale_by(N, 2); }
)";

CompileJob linked_job(const std::vector<ModuleSource>& sources,
                      const std::vector<std::string>& names = {}) {
    CompileJob job = raw_job("filters", sources.front().text, names);
    job.linked_sources.assign(sources.begin() + 1, sources.end());
    return job;
}

// Returns NVRTC if nvJitLink is there too.
const NvrtcCompiler* linking_compiler() {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return nullptr;
    if (compiler->linker_location()) return compiler;
    WARN("skipped: no nvJitLink on this machine");
    return nullptr;
}

NvrtcSearch fake_search() {
    NvrtcSearch search;
    search.file = KGEN_FAKE_NVRTC;
    search.use_loader_cache = false;
    return search;
}

int count(const std::string& text, std::string_view part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

}  // namespace

TEST_CASE("calls between linked sources are inlined, and what is local stays apart",
          "[cuda][raw][link]") {
    const NvrtcCompiler* compiler = linking_compiler();
    if (compiler == nullptr) return;
    const CompileJob job = linked_job({{"apply.cu", apply}, {"scale.cu", scale}},
                                      {"other<7>", "apply<float>", "&factor"});
    const Image image = compiler->compile(job);
    CHECK(image.lowered_names == std::vector<LoweredName>{{"other<7>", "_Z5otherILi7EEvPf"},
                                                          {"apply<float>", "_Z5applyIfEvPT_"},
                                                          {"&factor", "factor"}});
    const std::string ptx = section_text(image, ImageKind::ptx);
    INFO(ptx);
    CHECK(count(ptx, ".entry _Z5applyIfEvPT_(") == 1);
    CHECK(count(ptx, ".entry _Z5otherILi7EEvPf(") == 1);
    CHECK(count(ptx, "call") == 0);
    CHECK(count(ptx, "hidden") >= 4);                    // two variables, declared and read
    CHECK(count(ptx, "0f40400000") == 1);                // 3
    CHECK(ptx.find("0f40800000") != std::string::npos);  // 4
    CHECK(ptx.back() != '\0');
    CHECK(has_text(image, ImageKind::cubin, "_Z5applyIfEvPT_"));
    CHECK(image.log.empty());
    const Image again = compiler->compile(job);
    CHECK(section_text(again, ImageKind::cubin) == section_text(image, ImageKind::cubin));
}

TEST_CASE("a name is looked for in every source", "[cuda][raw][link]") {
    const NvrtcCompiler* compiler = linking_compiler();
    if (compiler == nullptr) return;
    // In the first source the name is a struct. The third source includes the kernel from a header.
    CompileJob job = linked_job({{"a.cu", "#line 1 \"a.cu\"\nnamespace a { struct k {}; }\n"},
                                 {"b.cu", "#line 1 \"b.cu\"\n__device__ int b;\n"},
                                 {"c.cu", "#line 1 \"c.cu\"\n#include \"k.h\"\n"}},
                                {"k<int>", "&b"});
    job.headers = {{"k.h", "template <typename T> __global__ void k(T* x) { *x = 1; }\n"}};
    const Image image = compiler->compile(job);
    CHECK(image.lowered_names == std::vector<LoweredName>{{"k<int>", "_Z1kIiEvPT_"}, {"&b", "b"}});
    CHECK(has_text(image, ImageKind::ptx, ".entry _Z1kIiEvPT_("));

    job.name_expressions = {"&b", "k<double>", "nowhere"};
    const std::string message = KGEN_MESSAGE_OF(CompileError, compiler->compile(job));
    INFO(message);
    CHECK(message.find("kernel 'filters': the name expression 'nowhere' does not instantiate for "
                       "sm_90\n__nv_name_map(3): error: identifier \"nowhere\" is undefined\n") ==
          0);
}

TEST_CASE("errors of any source are those of the compiler", "[cuda][raw][link]") {
    const NvrtcCompiler* compiler = linking_compiler();
    if (compiler == nullptr) return;
    const std::string bad = "#line 1 \"bad.cu\"\n__device__ int f() { return missing; }\n";
    try {
        compiler->compile(linked_job({{"apply.cu", apply}, {"bad.cu", bad}}, {"apply<float>"}));
        FAIL("compiled");
    } catch (const CompileError& error) {
        CHECK(error.source() == bad);
        CHECK(std::string(error.what())
                  .find(fmt::format("kernel 'filters': {} rejected the source for sm_90\n"
                                    "bad.cu(1): error: identifier \"missing\" is undefined\n",
                                    compiler->library().name())) == 0);
    }
}

TEST_CASE("linked sources are compiled for a real architecture that is known",
          "[cuda][raw][link]") {
    const NvrtcCompiler* compiler = linking_compiler();
    if (compiler == nullptr) return;
    CompileJob job = linked_job({{"apply.cu", apply}, {"scale.cu", scale}});
    const std::string nvrtc = compiler->library().name();
    job.target.arch = "compute_90";
    CHECK(KGEN_MESSAGE_OF(CompileError, compiler->compile(job)) ==
          fmt::format("kernel 'filters': {} made no code for 'compute_90': expected a real "
                      "architecture, such as sm_90",
                      nvrtc));
    job.target.arch = "sm_35";
    CHECK(KGEN_MESSAGE_OF(CompileError, compiler->compile(job))
              .find(fmt::format("kernel 'filters': {} has no target sm_35: it has sm_", nvrtc)) ==
          0);
    job.target.arch = "sm_90a";
    CHECK(has_text(compiler->compile(job), ImageKind::ptx, ".target sm_90a"));
}

TEST_CASE("what no source defines is named in C++", "[cuda][raw][link]") {
    const NvrtcCompiler* compiler = linking_compiler();
    if (compiler == nullptr) return;
    const std::string two = "#line 1 \"two.cu\"\n__device__ int two() { return 2; }\n";
    try {
        // The variable must be reported too. nvJitLink alone would replace it by zero.
        compiler->compile(
            linked_job({{"two.cu", two},
                        {"user.cu",
                         "#line 1 \"user.cu\"\nnamespace ns { __device__ float scale(float); }\n"
                         "extern __device__ float factor;\n"
                         "__global__ void k(float* x) { x[0] = ns::scale(x[1]) + factor; }\n"}}));
        FAIL("linked");
    } catch (const CompileError& error) {
        CHECK(error.what() ==
              fmt::format("kernel 'filters': {} cannot link the sources for sm_90\n"
                          "error   : Undefined reference to 'ns::scale(float)' in 'filters'\n"
                          "error   : Undefined reference to 'factor' in 'filters'\n"
                          "ERROR 9: finish\n",
                          compiler->linker().name()));
        CHECK(error.log() ==
              "error   : Undefined reference to '_ZN2ns5scaleEf' in 'filters'\n"
              "error   : Undefined reference to 'factor' in 'filters'\n"
              "ERROR 9: finish\n");
    }
}

TEST_CASE("what two sources define is refused with the name of the second", "[cuda][raw][link]") {
    const NvrtcCompiler* compiler = linking_compiler();
    if (compiler == nullptr) return;
    const auto source = [](const std::string& name) {
        return ModuleSource{name + ".cu",
                            fmt::format("#line 1 \"{}.cu\"\n__device__ float twice(float x) {{ "
                                        "return 2 * x; }}\n__global__ void {}(float* x) {{ x[0] = "
                                        "twice(x[0]); }}\n",
                                        name,
                                        name)};
    };
    CHECK(
        KGEN_MESSAGE_OF(CompileError, compiler->compile(linked_job({source("a"), source("b")}))) ==
        fmt::format("kernel 'filters': {} cannot link the sources for sm_90\n"
                    "ERROR in nvvmCompileProgram: NVVM_ERROR_COMPILATION\n"
                    "b.cu: link error: error: Linking globals named 'twice(float)': symbol "
                    "multiply defined!\n\n",
                    compiler->linker().name()));
}

TEST_CASE("what the user says of code generation reaches the linker", "[cuda][raw][link]") {
    CompileJob job = linked_job({{"a.cu", ""}, {"b.cu", ""}});
    job.target.arch = "sm_90a";
    job.options = {"-DA=1",
                   "-ftz=true",
                   "--prec-div=false",
                   "-fmad",
                   "false",
                   "-maxrregcount=32",
                   "--ptxas-options=-v",
                   "-Xptxas",
                   "-w",
                   "--generate-line-info",
                   "-G",
                   "-I/ftz=true"};
    using Options = std::vector<std::string>;
    CHECK(resolve_link_options(job) == Options{"-arch=sm_90a",
                                               "-ftz=1",
                                               "-prec-div=0",
                                               "-fma=0",
                                               "-maxrregcount=32",
                                               "-Xptxas=-v",
                                               "-Xptxas=-w",
                                               "-lineinfo",
                                               "-g"});
    job.options = {"--use_fast_math", "-ftz=false"};
    CHECK(resolve_link_options(job) ==
          Options{"-arch=sm_90a", "-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1", "-ftz=0"});

    const NvrtcCompiler* compiler = linking_compiler();
    if (compiler == nullptr) return;
    job = linked_job({{"a.cu",
                       "__device__ float f(float, float);\n__global__ void k(float* x) { "
                       "x[0] = f(x[0], x[1]) / x[2]; }"},
                      {"b.cu", "__device__ float f(float x, float y) { return x * y + x; }"}});
    CHECK(has_text(compiler->compile(job), ImageKind::ptx, "fma.rn.f32"));
    CHECK(has_text(compiler->compile(job), ImageKind::ptx, "div.rn.f32"));
    job.options = {"-fmad=false", "-ftz=true"};
    CHECK_FALSE(has_text(compiler->compile(job), ImageKind::ptx, "fma.rn"));
    CHECK(has_text(compiler->compile(job), ImageKind::ptx, "div.rn.ftz.f32"));
    job.options = {"-use_fast_math"};
    CHECK(has_text(compiler->compile(job), ImageKind::ptx, "fma.rn.ftz.f32"));
}

TEST_CASE("printf, assert and dynamic shared memory of linked sources need no library",
          "[cuda][raw][link]") {
    const NvrtcCompiler* compiler = linking_compiler();
    if (compiler == nullptr) return;
    const Image image = compiler->compile(linked_job(
        {{"a.cu",
          "__device__ float f(float);\nextern __shared__ float dynamic[];\n"
          "__global__ void k(float* x) { dynamic[threadIdx.x] = x[threadIdx.x]; __syncthreads(); "
          "assert(x != nullptr); printf(\"%f\", f(dynamic[0])); }"},
         {"b.cu", "__device__ float f(float x) { return x + 1; }"}}));
    CHECK(has_text(image, ImageKind::cubin, "vprintf"));
    CHECK(has_text(image, ImageKind::cubin, "__assertfail"));
}

TEST_CASE("the linker is looked for beside NVRTC, then where NVRTC is", "[cuda][raw][link]") {
    const TempDir folder;
    namespace fs = std::filesystem;
    for (const char* name : {"nvrtc", "real", "path", "toolkit-13.0/lib64", "toolkit-13.1/lib64"})
        fs::create_directories(folder / name);
    const auto put = [&](const std::string& file) {
        fs::create_symlink(KGEN_FAKE_NVRTC, folder / file);  // any library serves the test
    };
    std::ofstream(folder / "real/libnvrtc.so.13.0.88") << "x";
    fs::create_symlink(folder / "real/libnvrtc.so.13.0.88", folder / "nvrtc/libnvrtc.so.13");
    NvrtcLocation nvrtc;
    nvrtc.path = folder / "nvrtc/libnvrtc.so.13";
    nvrtc.version = "13.0.88";
    NvrtcSearch search;
    search.use_loader_cache = false;
    search.library_path = {folder / "path"};
    search.toolkits = {folder / "toolkit-*"};
    const auto found = [&] {
        return locate_nvjitlink(nvrtc, search).value_or(NvJitLinkLocation()).path;
    };
    put("path/libnvJitLink.so.12");  // of another major version
    CHECK(found().empty());
    put("toolkit-13.0/lib64/libnvJitLink.so.13");
    CHECK(found() == folder / "toolkit-13.0/lib64/libnvJitLink.so.13");
    put("toolkit-13.1/lib64/libnvJitLink.so.13");
    CHECK(found() == folder / "toolkit-13.1/lib64/libnvJitLink.so.13");
    put("path/libnvJitLink.so.13");
    CHECK(found() == folder / "path/libnvJitLink.so.13");
    put("real/libnvJitLink.so.13");
    CHECK(found() == folder / "real/libnvJitLink.so.13");
    std::ofstream(folder / "nvrtc/libnvJitLink.so.13") << "no library";  // skipped
    CHECK(found() == folder / "real/libnvJitLink.so.13");
    fs::remove(folder / "nvrtc/libnvJitLink.so.13");
    put("nvrtc/libnvJitLink.so.13");
    CHECK(found() == folder / "nvrtc/libnvJitLink.so.13");
    nvrtc.version = "12.9";
    CHECK(found() == folder / "path/libnvJitLink.so.12");
}

TEST_CASE("a machine without a linker says so before anything is compiled", "[cuda][raw][link]") {
    const NvrtcCompiler compiler(fake_search());
    const CompileJob job = linked_job({{"a.cu", "int a;"}, {"b.cu", "int b;"}});
    const std::string absence = fmt::format(
        "no nvJitLink, which links the sources of a module: looked for libnvJitLink.so.13 in {}; "
        "install the one of NVRTC's toolkit (package libnvjitlink-13-* of NVIDIA's repository)",
        std::filesystem::path(KGEN_FAKE_NVRTC).parent_path().string());
    CHECK(KGEN_MESSAGE_OF(DeviceError, compiler.compile(job)) == absence);
    CHECK(KGEN_MESSAGE_OF(DeviceError, compiler.linking_producer()) == absence);
    CHECK(compiler.producer().path == KGEN_FAKE_NVRTC);
}

TEST_CASE("a linker that does not fit NVRTC is named with both versions", "[cuda][raw][link]") {
    CHECK(KGEN_MESSAGE_OF(DeviceError, NvJitLinkLibrary("/nowhere/x.so", 13, 0))
              .find("nvJitLink '/nowhere/x.so' cannot be opened: ") == 0);
    CHECK(KGEN_MESSAGE_OF(DeviceError, NvJitLinkLibrary(FakeCuda::path(), 13, 0)) ==
          fmt::format("'{}' is not nvJitLink 12.4 or newer: it has no nvJitLinkVersion",
                      FakeCuda::path()));
    const NvrtcCompiler* compiler = linking_compiler();
    if (compiler == nullptr) return;
    const std::string path = compiler->linker_location()->path;
    const std::string version = compiler->linker().name().substr(10);  // of "nvJitLink 13.0"
    CHECK(KGEN_MESSAGE_OF(DeviceError, NvJitLinkLibrary(path, 13, 99)) ==
          fmt::format("nvJitLink of the wrong version: got {} in '{}', expected 13.99 or a newer "
                      "13.x, which fits NVRTC; install both from one toolkit",
                      version,
                      path));
    CHECK(KGEN_MESSAGE_OF(DeviceError, NvJitLinkLibrary(path, 11, 0)) ==
          fmt::format("nvJitLink of the wrong version: got {} in '{}', expected 11.0 or a newer "
                      "11.x, which fits NVRTC; install both from one toolkit",
                      version,
                      path));
}

TEST_CASE("images that were linked are known by their linker too", "[cuda][raw][link]") {
    const NvrtcCompiler* compiler = linking_compiler();
    if (compiler == nullptr) return;
    CHECK(compiler->linking_producer().identity ==
          compiler->producer().identity + "+" + compiler->linker_location()->build_id);
    CHECK(compiler->linker_location()->build_id.size() >= 40);

    const TempDir folder;
    cache::StoreSettings settings;
    settings.mode = cache::StoreMode::read_write;
    settings.root = folder / "cache";
    cache::Store store(settings);
    const CompileJob job = linked_job({{"apply.cu", apply}, {"scale.cu", scale}},
                                      {"other<7>", "apply<float>", "&factor"});
    const ImageRequest request = make_request(job, *compiler);
    const FoundImage made = find_or_compile(job, request, *compiler, store);
    CHECK(made.producer_identity == compiler->linking_producer().identity);
    const FoundImage found = find_or_compile(job, request, *compiler, store);
    CHECK(found.origin == ImageOrigin::cache);
    CHECK(found.image.lowered_names == made.image.lowered_names);
    CHECK(found.image.lowered_names.size() == 3);
}
