// SPDX-License-Identifier: MIT
#include "host/compile/host_compiler.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <kgen/error.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "host/compile/compile_limits.hpp"
#include "host/compile/host_target.hpp"
#include "host/host_backend.hpp"
#include "host/kernel/shared_object.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/host_kernels.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
namespace fs = std::filesystem;

namespace {

CompileJob job_of(const std::string& source, std::vector<std::string> options = {}) {
    return {"diff", source, "kgen_diff", std::move(options), host_target()};
}

CompileJob good_job() {
    return job_of(test::binary_kernel("kgen_diff", "float", "z = (x - y) * (x - y)", "diff"));
}

// Compiles, loads and calls a source whose entry writes one int to the address in `parameters`.
int value_of(const std::string& body, const std::vector<std::string>& options = {}) {
    const Image image = HostCompiler().compile(
        job_of(test::host_prologue + "KGEN_ENTRY(kgen_diff) { *(int*)parameters = " + body + "; }",
               options));
    int value = -1;
    LaunchShape shape;
    shape.count = 1;
    host_backend().launch(
        *host_backend().load(image), shape, &value, sizeof value, nullptr, "diff");
    return value;
}

bool is_empty(const std::string& directory) {
    return fs::is_empty(directory);
}

std::string script(const TempDir& directory, const std::string& body) {
    const std::string path = directory / "compiler";
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
}

struct Refusal {
    std::string message;
    std::string log;
    std::string source;
};

Refusal refusal_of(const CompileJob& job) {
    try {
        HostCompiler().compile(job);
    } catch (const CompileError& error) {
        return {error.what(), error.log(), error.source()};
    }
    return {};
}

}  // namespace

TEST_CASE("a source becomes a shared object for this machine, and no file stays behind") {
    const TempDir temporary;
    const ScopedVariable tmpdir("TMPDIR", temporary.path());
    const Image image = HostCompiler().compile(good_job());
    CHECK(image.target == host_target());
    CHECK(image.symbol == "kgen_diff");
    CHECK(image.log.empty());
    CHECK(image.compile_ms > 0);
    REQUIRE(image.sections.size() == 1);
    REQUIRE(image.find(ImageKind::host_object) != nullptr);
    CHECK(image.find(ImageKind::host_object)->bytes.size() > 64);
    CHECK(is_empty(temporary.path()));
}

TEST_CASE("equal sources compile to equal objects") {
    const HostCompiler compiler;
    CHECK(compiler.compile(good_job()).sections[0].bytes ==
          compiler.compile(good_job()).sections[0].bytes);
}

TEST_CASE("the user's options reach the compiler") {
    CHECK(value_of("N", {"-DN=42"}) == 42);
    CHECK(value_of("(int)__cplusplus") == 201703);
    CHECK(value_of("(int)__cplusplus", {"-std=c++20"}) > 201703);
    const TempDir directory;
    std::ofstream(directory / "seven.h") << "static const int seven = 7;\n";
    CHECK(value_of("1;\n#include <seven.h>\n*(int*)parameters = seven",
                   {"-I" + directory.path()}) == 7);
}

TEST_CASE("a refused source is a CompileError with the compiler's words about the user's text") {
    const TempDir temporary;
    const ScopedVariable tmpdir("TMPDIR", temporary.path());
    const HostCompiler compiler;
    const std::string source =
        test::binary_kernel("kgen_diff", "float", "z = (x - w) * (x - y)", "diff");
    const Refusal refusal = refusal_of(job_of(source));
    CHECK(refusal.message == "kernel 'diff': " + full_name(find_host_toolchain()) +
                                 " rejected the source for " +
                                 host_target().arch.substr(0, host_target().arch.find('-')));
    CHECK(refusal.log.find("diff (operation):1:10: error:") != std::string::npos);
    CHECK(refusal.log.find(temporary.path()) == std::string::npos);
    CHECK(refusal.source == source);
    CHECK(is_empty(temporary.path()));
}

TEST_CASE("warnings about the user's text are not printed and refuse nothing") {
    const Image image = HostCompiler().compile(
        job_of(test::binary_kernel("kgen_diff", "int", "int unused; z = 1 << 40", "diff")));
    CHECK(image.log.empty());
}

TEST_CASE("the standard headers are not there unless the user names their directory") {
    CHECK(refusal_of(job_of("#include <vector>\n")).log.find("vector") != std::string::npos);
}

TEST_CASE("an image for another machine is refused before compiling") {
    CompileJob job = good_job();
    job.target.arch = "x86_64-00000000";
    CHECK(refusal_of(job).message ==
          "kernel 'diff': the host compiler compiles for this machine, '" + host_target().arch +
              "', but the target is 'x86_64-00000000'");
}

TEST_CASE("a compiler that fails in its own ways is named with what it did") {
    const TempDir directory;
    const TempDir temporary;
    const ScopedVariable tmpdir("TMPDIR", temporary.path());
    const auto message_with = [&](const std::string& body) -> std::string {
        const ScopedVariable named("KGEN_HOST_CXX", script(directory, body));
        try {
            HostCompiler().compile(good_job());
        } catch (const Error& error) {
            return error.what();
        }
        return "(compiled)";
    };
    const std::string path = directory / "compiler";
    CHECK(message_with("exit 3") ==
          "kernel 'diff': g++ at '" + path + "' ended with status 3 and no message");
    CHECK(message_with("exit 0") ==
          "kernel 'diff': g++ at '" + path + "' reported success but wrote no object");
    CHECK(message_with("echo internal error; exit 4") ==
          "kernel 'diff': g++ failed to compile the source for " +
              host_target().arch.substr(0, host_target().arch.find('-')));
    CHECK(message_with("kill -SEGV $$") ==
          "kernel 'diff': g++ was ended by signal 11 (Segmentation fault)");
    const ScopedVariable limit("KGEN_COMPILE_TIMEOUT", "1");
    CHECK(message_with("sleep 100") ==
          "kernel 'diff': g++ did not end within 1 s; KGEN_COMPILE_TIMEOUT sets this limit");
    CHECK(is_empty(temporary.path()));
}

TEST_CASE("KGEN_COMPILE_TIMEOUT is a whole number of seconds") {
    for (const char* value : {"0", "-1", "1.5", "10s", "86401"}) {
        const ScopedVariable limit("KGEN_COMPILE_TIMEOUT", value);
        CHECK(read_compile_limits().time == std::chrono::seconds(600));
        CHECK(wrong_compile_limits() ==
              std::vector<std::string>{"KGEN_COMPILE_TIMEOUT is '" + std::string(value) +
                                       "'; expected a whole number of seconds from 1 to 86400; the "
                                       "default 600 is used"});
    }
}

TEST_CASE("a preloaded library and include paths of the environment do not reach the compiler") {
    const TempDir directory;
    std::ofstream(directory / "seven.h") << "static const int seven = 7;\n";
    const ScopedVariable preload("LD_PRELOAD", "/nonexistent.so");
    const ScopedVariable path("CPATH", directory.path());
    const ScopedVariable include("CPLUS_INCLUDE_PATH", directory.path());
    CHECK(HostCompiler().compile(good_job()).log.empty());
    CHECK(refusal_of(job_of("#include <seven.h>\n")).log.find("seven.h") != std::string::npos);
}

TEST_CASE("a compiler that is installed later is found later, one that was found is kept") {
    const HostCompiler compiler;
    {
        const ScopedVariable named("KGEN_HOST_CXX", "/nonexistent/g++");
        CHECK_THROWS_AS(compiler.producer(), DeviceError);
        CHECK_THROWS_AS(compiler.compile(good_job()), DeviceError);
    }
    const std::string identity = compiler.producer().identity;
    CHECK_FALSE(identity.empty());
    const ScopedVariable named("KGEN_HOST_CXX", "/nonexistent/g++");
    CHECK(compiler.producer().identity == identity);
}

TEST_CASE("compiles work where SIGCHLD is ignored") {
    CHECK(said_by_child([]() -> std::string {
              ::signal(SIGCHLD, SIG_IGN);
              const HostCompiler compiler;
              const bool compiled = !compiler.compile(good_job()).sections.empty();
              const std::string message = refusal_of(job_of("no C++")).message;
              return std::string(compiled ? "compiled, " : "failed, ") +
                     (message.find("rejected the source") != std::string::npos ? "refused"
                                                                               : message);
          }) == "compiled, refused");
}

TEST_CASE("a compiler that the limit of processes does not let start is named with the cause") {
    const ScopedVariable tmpdir("TMPDIR", std::nullopt);
    const HostCompiler compiler;
    const std::string path = compiler.producer().path;
    const std::string message = said_by_child([&]() -> std::string {
        if (!forbid_processes()) return "no limit";
        try {
            compiler.compile(good_job());
        } catch (const DeviceError& error) {
            return error.call() + ": " + error.what();
        }
        return "compiled";
    });
    if (message == "no limit") {
        WARN("skipped: this system does not limit processes");
        return;
    }
    CHECK(message == "vfork: '" + path + "' cannot be started: Resource temporarily unavailable");
}

TEST_CASE("compiles of several threads run at once") {
    const HostCompiler compiler;
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 8; ++k) {
        threads.emplace_back([&, k] {
            const std::string source =
                test::host_prologue +
                "KGEN_ENTRY(kgen_diff) { *(int*)parameters = " + std::to_string(k) + "; }";
            const Image image = compiler.compile(job_of(source));
            int value = -1;
            LaunchShape shape;
            shape.count = 1;
            host_backend().launch(
                *host_backend().load(image), shape, &value, sizeof value, nullptr, "diff");
            if (value == k) ++right;
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 8);
}

TEST_CASE("a kernel may call libm without linking it") {
    CHECK(value_of("(int)(100 * __builtin_exp(__builtin_sin(*(volatile int*)parameters)))") == 43);
}

TEST_CASE("an object that does not load says why, without its path") {
    CHECK(KGEN_MESSAGE_OF(DeviceError, value_of("1; extern int frobnicate(); frobnicate()")) ==
          "host kernel 'kgen_diff' cannot be loaded: undefined symbol: frobnicate");
    CHECK(KGEN_MESSAGE_OF(DeviceError, SharedObject({std::byte{1}, std::byte{2}}, "kgen_diff")) ==
          "host kernel 'kgen_diff' cannot be loaded: file too short");
    const Image image = HostCompiler().compile(good_job());
    CHECK(KGEN_MESSAGE_OF(DeviceError,
                          SharedObject(image.sections[0].bytes, "kgen_other").find("kgen_other")) ==
          "host kernel 'kgen_other' cannot be loaded: its object has no symbol 'kgen_other'");
}

TEST_CASE("the host compiler is inspected by running it") {
    const Finding finding = inspect_host().at(0);
    CHECK(finding.subject == "host compiler");
    CHECK(finding.found);
    CHECK(finding.remedy.empty());
    CHECK(finding.detail.find(find_host_toolchain().path) != std::string::npos);

    const TempDir directory;
    const ScopedVariable named("KGEN_HOST_CXX", script(directory, "echo broken; exit 1"));
    const Finding broken = inspect_host().at(0);
    CHECK_FALSE(broken.found);
    CHECK(broken.detail == "g++, " + directory / "compiler" + " does not run: broken");
    CHECK(broken.remedy == "apt-get install g++, or name a working compiler in KGEN_HOST_CXX");
    const ScopedVariable missing("KGEN_HOST_CXX", std::nullopt);
    const ScopedVariable cxx("CXX", std::nullopt);
    const ScopedVariable path("PATH", "/nonexistent");
    const Finding none = inspect_host().at(0);
    CHECK_FALSE(none.found);
    CHECK(none.detail ==
          "no C++ compiler for the host device: looked for g++, c++, clang++ on PATH, which is "
          "'/nonexistent'; install one (apt-get install g++) or name one in KGEN_HOST_CXX");
}
