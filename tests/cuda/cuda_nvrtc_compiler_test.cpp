// SPDX-License-Identifier: MIT
//
// Tests of NvrtcCompiler with the real NVRTC, if this machine has one, and with a fake one for errors that
// the real one does not show. They need no GPU.
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <kgen/error.hpp>
#include <string_view>
#include <thread>

#include "cuda/nvrtc/compile_guard.hpp"
#include "cuda/nvrtc/nvrtc_compiler.hpp"
#include "cuda/nvrtc/nvrtc_options.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_process.hpp"
#include "support/nvrtc.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr const char* good_source =
    "float square(float x) { return x * x; }\n"
    "extern \"C\" __global__ void axpy(float* x) { x[threadIdx.x] = square(x[threadIdx.x]); }\n";

CompileJob job_of(const std::string& source, const std::vector<std::string>& options = {}) {
    return {"axpy", source, "axpy", options, {DeviceKind::cuda, "sm_90"}};
}

NvrtcSearch search_file(const std::string& file) {
    NvrtcSearch search;
    search.file = file;
    search.use_loader_cache = false;
    return search;
}

}  // namespace

TEST_CASE("kgen's own options come first, then the user's in order", "[cuda]") {
    using Options = std::vector<std::string>;
    CHECK(resolve_nvrtc_options(job_of(good_source)) ==
          Options{"-arch=sm_90", "-std=c++17", "--device-as-default-execution-space", "-minimal"});
    CHECK(resolve_nvrtc_options(job_of(good_source, {"-DA=1", "--use_fast_math", "-ftz=true"})) ==
          Options{"-arch=sm_90",
                  "-std=c++17",
                  "--device-as-default-execution-space",
                  "-minimal",
                  "-DA=1",
                  "--use_fast_math",
                  "-ftz=true"});
    CHECK(
        resolve_nvrtc_options(job_of(good_source, {"--std=c++20", "-I/opt/include"})) ==
        Options{
            "-arch=sm_90", "--device-as-default-execution-space", "--std=c++20", "-I/opt/include"});
    CHECK(resolve_nvrtc_options(job_of("#include <cuda_fp16.h>\n")) ==
          Options{"-arch=sm_90", "-std=c++17", "--device-as-default-execution-space"});
}

TEST_CASE("options that kgen cannot allow are refused by name and reason", "[cuda]") {
    struct Row {
        const char* option;
        const char* reason;
    };
    const char* target =
        "the target is chosen by kgen; name another one with the option 'arch' of kgen";
    const char* file = "it writes a file";
    const char* pch = "precompiled headers depend on more than the source";
    const char* no_code = "it makes no code that can be loaded";
    const Row rows[] = {
        {"-arch=sm_80", target},
        {"--gpu-architecture=compute_80", target},
        {"-arch", target},
        {"-time=/tmp/x", file},
        {"--time=-", file},
        {"--fdevice-time-trace=/tmp/x", file},
        {"-create-pch=/tmp/x", file},
        {"--pch-dir=/tmp", pch},
        {"-pch", pch},
        {"--use-pch=/tmp/x", pch},
        {"-rdc=true", no_code},
        {"--relocatable-device-code=true", no_code},
        {"-dlto", no_code},
        {"--fdevice-syntax-only", no_code},
    };
    for (const Row& row : rows) {
        CHECK(KGEN_MESSAGE_OF(CompileError,
                              resolve_nvrtc_options(job_of(good_source, {row.option}))) ==
              fmt::format("kernel 'axpy': option '{}' is not allowed: {}", row.option, row.reason));
    }
    CHECK(KGEN_MESSAGE_OF(CompileError,
                          resolve_nvrtc_options(job_of(good_source, {std::string("-DA\0B", 5)}))) ==
          "kernel 'axpy': an option holds a NUL character");
}

TEST_CASE("a GNU dialect of C++ is refused, in both spellings", "[cuda]") {
    for (const std::vector<std::string>& options : {std::vector<std::string>{"-std=gnu++17"},
                                                    std::vector<std::string>{"--std=gnu++17"},
                                                    std::vector<std::string>{"--std", "gnu++17"}}) {
        CHECK(
            KGEN_MESSAGE_OF(CompileError, resolve_nvrtc_options(job_of(good_source, options))) ==
            "kernel 'axpy': option '-std=gnu++17' is not allowed: NVRTC has no GNU dialects; give "
            "-std=c++17");
    }
}

TEST_CASE("a GPU also runs the code for older GPUs of its major number", "[cuda]") {
    const NvrtcCompiler compiler{NvrtcSearch{}};
    CHECK(compiler.older_archs("sm_92") == std::vector<std::string>{"sm_91", "sm_90"});
    CHECK(compiler.older_archs("sm_100").empty());
    CHECK(compiler.older_archs("sm_90a").empty());
    CHECK(compiler.older_archs("").empty());
}

TEST_CASE("a source is compiled to a cubin with its PTX beside it", "[cuda]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const Image image = compiler->compile(job_of(good_source));
    CHECK(image.target == Target{DeviceKind::cuda, "sm_90"});
    CHECK(image.symbol == "axpy");
    CHECK(has_text(image, ImageKind::cubin, "\177ELF"));
    CHECK(has_text(image, ImageKind::ptx, ".visible .entry axpy("));
    CHECK(has_text(image, ImageKind::ptx, ".target sm_90"));
    CHECK(image.find(ImageKind::ptx)->bytes.back() != std::byte{0});
    CHECK(image.log.empty());
    CHECK(image.compile_ms > 0);
}

TEST_CASE("equal sources make equal images, and a suffix of the target is kept", "[cuda]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    CompileJob job = job_of(good_source);
    job.target.arch = "sm_90a";
    const Image first = compiler->compile(job);
    const Image second = compiler->compile(job);
    CHECK(first.find(ImageKind::cubin)->bytes == second.find(ImageKind::cubin)->bytes);
    CHECK(has_text(first, ImageKind::ptx, ".target sm_90a"));
}

TEST_CASE("warnings are kept in the image's log", "[cuda]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const Image image = compiler->compile(
        job_of("extern \"C\" __global__ void axpy(float* x) { int unused; x[0] = 1; }"));
    CHECK(image.log.find("was declared but never referenced") != std::string::npos);
}

TEST_CASE("a source that NVRTC refuses is a CompileError with its raw log", "[cuda]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const std::string source =
        "extern \"C\" __global__ void axpy(float* z) {\n#line 1 \"axpy (operation)\"\nz[0] = w\n;}";
    const std::string log =
        "axpy (operation)(1): error: identifier \"w\" is undefined\n  z[0] = w\n         ^\n\n1 "
        "error "
        "detected in the compilation of \"/kgen/axpy.cu\".\n";
    try {
        compiler->compile(job_of(source));
        FAIL("compiled");
    } catch (const CompileError& error) {
        CHECK(error.log() == log);
        CHECK(error.source() == source);
        CHECK(error.what() == fmt::format("kernel 'axpy': {} rejected the source for sm_90\n{}",
                                          compiler->library().name(),
                                          log));
    }
}

TEST_CASE("targets, options and sources that make no code are refused", "[cuda]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const std::string nvrtc = compiler->library().name();
    CompileJob job = job_of(good_source);
    job.target.arch = "compute_90";
    CHECK(KGEN_MESSAGE_OF(CompileError, compiler->compile(job)) ==
          fmt::format(
              "kernel 'axpy': {} made no code for 'compute_90': expected a real architecture, "
              "such as sm_90",
              nvrtc));
    job.target.arch = "sm_35";
    const std::string message = KGEN_MESSAGE_OF(CompileError, compiler->compile(job));
    CHECK(message.find(fmt::format("kernel 'axpy': {} has no target sm_35: it has sm_", nvrtc)) ==
          0);
    CHECK(message.find("sm_90, ") != std::string::npos);
    CHECK(KGEN_MESSAGE_OF(CompileError, compiler->compile(job_of(good_source, {"-nonsense"}))) ==
          fmt::format("kernel 'axpy': {} rejected the options for sm_90\n"
                      "nvrtc: error: unrecognized option -nonsense found\n",
                      nvrtc));
    CHECK(KGEN_MESSAGE_OF(CompileError,
                          compiler->compile(job_of(std::string("int a;\0int b;", 13)))) ==
          "kernel 'axpy': the source holds a NUL character at byte 6");
}

TEST_CASE("threads compile at once, each its own source", "[cuda]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) {
        threads.emplace_back([&, index] {
            CompileJob job = job_of(fmt::format(
                "extern \"C\" __global__ void axpy{}(int* x) {{ x[0] = {}; }}", index, index));
            if (index == 3) {
                const std::string message =
                    KGEN_MESSAGE_OF(CompileError, compiler->compile(job_of("int a = b;")));
                if (message.find("identifier \"b\" is undefined") != std::string::npos) ++right;
                return;
            }
            const Image image = compiler->compile(job);
            if (has_text(image, ImageKind::ptx, fmt::format(".entry axpy{}(", index))) ++right;
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 4);
}

TEST_CASE("the producer is named and identified without opening NVRTC", "[cuda]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const NvrtcCompiler fresh(NvrtcSearch::from_environment());
    const Producer& producer = fresh.producer();
    CHECK(producer.name.find(compiler->library().name()) == 0);
    CHECK(producer.identity ==
          compiler->location()->build_id + "+" + compiler->location()->builtins_build_id);
    CHECK(producer.identity.size() >= 81);
}

TEST_CASE("fresh: identifies NVRTC and says whether it is mapped", "[.fresh]") {
    const NvrtcCompiler compiler(NvrtcSearch::from_environment());
    report(compiler.producer().identity.empty() ? "none|" : "identified|");
    std::ifstream maps("/proc/self/maps");
    const std::string text((std::istreambuf_iterator<char>(maps)),
                           std::istreambuf_iterator<char>());
    report(text.find("libnvrtc") == std::string::npos ? "not mapped" : "mapped");
}

TEST_CASE("a process that only identifies NVRTC does not map it", "[cuda]") {
    if (real_nvrtc_compiler() == nullptr) return;
    CHECK(run_fresh("fresh: identifies NVRTC and says whether it is mapped", {}).text ==
          "identified|not mapped");
}

TEST_CASE("NVRTC that is absent or of the wrong version is named with the way out", "[cuda]") {
    const NvrtcCompiler absent(search_file("/nowhere/libnvrtc.so.13"));
    const std::string absence =
        "no NVRTC: KGEN_NVRTC_PATH='/nowhere/libnvrtc.so.13' cannot be opened; set it to the file "
        "of "
        "libnvrtc.so.13";
    CHECK(KGEN_MESSAGE_OF(DeviceError, absent.producer()) == absence);
    CHECK(KGEN_MESSAGE_OF(DeviceError, absent.compile(job_of(good_source))) == absence);

    for (const char* version : {"12.3", "11.8", "14.0"}) {
        const ScopedVariable variable("FAKE_NVRTC_VERSION", version);
        const NvrtcCompiler wrong(search_file(KGEN_FAKE_NVRTC));
        CHECK(KGEN_MESSAGE_OF(DeviceError, wrong.compile(job_of(good_source))) ==
              fmt::format("NVRTC of the wrong version: got {} in '{}', expected 12.4 to 13; set "
                          "KGEN_NVRTC_PATH to the file of libnvrtc.so.13",
                          version,
                          KGEN_FAKE_NVRTC));
    }
    const NvrtcCompiler other(search_file(FakeCuda::path()));
    CHECK(KGEN_MESSAGE_OF(DeviceError, other.compile(job_of(good_source))) ==
          fmt::format("'{}' is not NVRTC 12.4 or newer: it has no nvrtcVersion; set "
                      "KGEN_NVRTC_PATH to the file of libnvrtc.so.13",
                      FakeCuda::path()));
}

TEST_CASE("what fails inside NVRTC is a DeviceError with its code", "[cuda]") {
    const NvrtcCompiler compiler(search_file(KGEN_FAKE_NVRTC));
    {
        const ScopedVariable result("FAKE_NVRTC_RESULT", "1");
        CHECK(KGEN_MESSAGE_OF(DeviceError, compiler.compile(job_of(good_source))) ==
              "kernel 'axpy': NVRTC 13.0 failed: NVRTC_ERROR_OUT_OF_MEMORY");
    }
    const ScopedVariable result("FAKE_NVRTC_RESULT", "7");
    CHECK(
        KGEN_MESSAGE_OF(DeviceError, compiler.compile(job_of(good_source))) ==
        fmt::format("kernel 'axpy': NVRTC 13.0 failed: NVRTC_ERROR_BUILTIN_OPERATION_FAILURE\n"
                    "libnvrtc-builtins.so.13.0 must be in the folder of '{}' and of the same build",
                    KGEN_FAKE_NVRTC));
}

TEST_CASE("what NVRTC refuses without a place in the source is no mistake of the source",
          "[cuda]") {
    const NvrtcCompiler compiler(search_file(KGEN_FAKE_NVRTC));
    const ScopedVariable refuse("FAKE_NVRTC_RESULT", "6");  // NVRTC_ERROR_COMPILATION
    const ScopedVariable tell("FAKE_NVRTC_LOG", "1");       // the log contains the source
    const auto is_failure = [&](const std::string& log) {
        try {
            compiler.compile(job_of("\n" + log + "\n"));
        } catch (const CompilerFailure&) {
            return true;
        } catch (const CompileError&) {
            return false;
        }
        return false;
    };
    CHECK(is_failure("ptxas fatal   : Memory allocation failure"));
    CHECK(is_failure("k(1): catastrophic error: out of memory"));
    CHECK(is_failure("nvrtc: internal error"));
    CHECK_FALSE(is_failure("k(1): error: identifier \"w\" is undefined"));
}

TEST_CASE("an NVRTC that is installed later is found later", "[cuda]") {
    const TempDir folder;
    const std::string file = folder / "libnvrtc.so.13";
    const NvrtcCompiler compiler(search_file(file));
    CHECK_FALSE(compiler.location());
    CHECK_THROWS_AS(compiler.producer(), DeviceError);
    std::filesystem::create_symlink(KGEN_FAKE_NVRTC, file);
    CHECK(compiler.location());
    CHECK(compiler.producer().path == file);
}

TEST_CASE("fresh: compiles with builtins that are no library", "[.fresh]") {
    const NvrtcCompiler compiler(NvrtcSearch::from_environment());
    report(compiler.producer().identity.empty() ? "none|" : "identified|");
    try {
        compiler.compile(job_of(good_source));
        report("compiled");
    } catch (const DeviceError& error) {
        report(std::string(error.what()));
    }
}

TEST_CASE("missing builtins are named, and such a compiler has no identity", "[cuda]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    // A folder with the real library and a broken file as its builtins. It is found before the NVRTC
    // of this machine.
    const TempDir folder;
    const std::string library = folder / "libnvrtc.so.13";
    std::filesystem::copy_file(compiler->location()->path, library);
    const std::string builtins = fmt::format(
        "libnvrtc-builtins.so.{}.{}", compiler->library().major(), compiler->library().minor());
    std::ofstream(folder / builtins) << "broken";
    const FreshResult result =
        run_fresh("fresh: compiles with builtins that are no library",
                  {{"KGEN_NVRTC_PATH", library}, {"LD_LIBRARY_PATH", folder.path()}});
    INFO(result.text);
    CHECK(result.text.find("NVRTC_ERROR_BUILTIN_OPERATION_FAILURE") != std::string::npos);
    CHECK(result.text.find(fmt::format(
              "{} must be in the folder of '{}' and of the same build", builtins, library)) !=
          std::string::npos);
}

TEST_CASE("a child forked during a compile is refused instead of waiting forever", "[cuda]") {
    std::string message;
    {
        const CompileGuard guard("parent");
        message = said_by_child([] { return KGEN_MESSAGE_OF(DeviceError, CompileGuard("child")); });
    }
    CHECK(message ==
          "kernel 'child': cannot compile: this process was forked while its parent was compiling, "
          "and "
          "NVRTC would wait forever; run another program (exec) in the child, or fork before the "
          "first "
          "kernel is compiled");
    // If no thread compiles during the fork, the child may compile.
    CHECK(said_by_child([] {
              const CompileGuard one("child");
              const CompileGuard two("child");
              return std::string("compiles");
          }) == "compiles");
    const CompileGuard still_fine("parent");
}

namespace {

void compile_at_exit() {
    static const NvrtcCompiler compiler(NvrtcSearch::from_environment());
    report(KGEN_MESSAGE_OF(DeviceError, compiler.compile(job_of(good_source))));
}

}  // namespace

TEST_CASE("fresh: compiles and again while the process exits", "[.fresh]") {
    // The handler runs after NVRTC's own, because it is registered before NVRTC is opened.
    std::atexit(compile_at_exit);
    const NvrtcCompiler compiler(NvrtcSearch::from_environment());
    compiler.compile(job_of(good_source));
    report("compiled|");
}

TEST_CASE("a compile while the process exits is refused instead of crashing", "[cuda]") {
    if (real_nvrtc_compiler() == nullptr) return;
    const FreshResult result = run_fresh("fresh: compiles and again while the process exits", {});
    CHECK(result.text ==
          "compiled|kernel 'axpy': cannot compile: the process is exiting and NVRTC is unloaded; "
          "compile before main returns");
    CHECK(result.exit_status == 0);
}

TEST_CASE("fresh: exits while threads compile", "[.fresh]") {
    static const NvrtcCompiler compiler(NvrtcSearch::from_environment());
    compiler.compile(job_of(good_source));
    for (int index = 0; index < 3; ++index) {
        std::thread([] {
            for (;;) {
                try {
                    compiler.compile(job_of(good_source));
                } catch (const DeviceError&) {  // the process is exiting
                    return;
                }
            }
        }).detach();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::exit(7);
}

TEST_CASE("a process that exits while threads compile keeps its exit status", "[cuda]") {
    if (real_nvrtc_compiler() == nullptr) return;
    CHECK(run_fresh("fresh: exits while threads compile", {}).exit_status == 7);
}

TEST_CASE("a compile for which no thread can be started says so", "[cuda]") {
    const std::string message = said_by_child([]() -> std::string {
        if (!forbid_processes()) return "no limit";
        run_on_nvrtc_thread("axpy", [] {});
        return "compiled";
    });
    if (message == "no limit") {
        WARN("skipped: this system does not limit processes");
        return;
    }
    CHECK(message ==
          "(child threw) kernel 'axpy': cannot compile: no thread could be started: Resource "
          "temporarily unavailable");
}

TEST_CASE("a thread with a small stack can compile", "[cuda]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    compiler->compile(job_of(good_source));  // opens the library before the test
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * 1024);
    struct Task {
        const NvrtcCompiler* compiler;
        bool has_cubin;
    } task = {compiler, false};
    pthread_t thread;
    const auto run = [](void* argument) -> void* {
        auto* it = static_cast<Task*>(argument);
        it->has_cubin =
            has_text(it->compiler->compile(job_of(good_source)), ImageKind::cubin, "ELF");
        return nullptr;
    };
    REQUIRE(pthread_create(&thread, &attributes, run, &task) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    CHECK(task.has_cubin);
}
