// SPDX-License-Identifier: MIT
//
// Failures of the machine while g++ compiles a correct source are not remembered. Mistakes in a source are.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <kgen/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/compile/compile_limits.hpp"
#include "host/compile/host_compiler.hpp"
#include "host/compile/host_target.hpp"
#include "image/find_or_compile.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/host_kernels.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
namespace fs = std::filesystem;

namespace {

// A g++ that looks for its parts (cc1plus, as, ld) in a folder first, and counts its runs.
class Machine {
public:
    Machine() {
        fs::create_directory(folder_ / "parts");
        fs::create_directory(folder_ / "tmp");
        write_program(folder_ / "g++",
                      "echo >>" + folder_ / "runs" + "\nexec " + find_host_toolchain().path +
                          " -B" + folder_ / "parts/" + " \"$@\"");
        named_.emplace("KGEN_HOST_CXX", folder_ / "g++");
        tmpdir_.emplace("TMPDIR", folder_ / "tmp");
        cache::StoreSettings settings;
        settings.mode = cache::StoreMode::read_write;
        settings.root = folder_ / "cache";
        store_.emplace(settings);
    }

    void break_part(const std::string& part, const std::string& script) {
        write_program(folder_ / "parts/" + part, script);
    }
    void mend() { fs::remove_all(folder_ / "parts"), fs::create_directory(folder_ / "parts"); }

    // Returns the error message; empty if the source was compiled.
    std::string compile(const std::string& source) {
        const CompileJob job{"k", source, "kgen_k", {}, host_target()};
        try {
            find_or_compile(job, make_request(job, compiler_), compiler_, *store_);
            return {};
        } catch (const Error& error) {
            return error.what();
        }
    }
    int runs() const {
        std::ifstream file(folder_ / "runs");
        int count = 0;
        for (std::string line; std::getline(file, line);) ++count;
        return count;
    }
    std::string temporary_folder() const { return folder_ / "tmp"; }
    bool is_clean() const { return fs::is_empty(folder_ / "tmp"); }

private:
    static void write_program(const std::string& path, const std::string& script) {
        std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(path, fs::perms::owner_all);
    }

    TempDir folder_;
    std::optional<ScopedVariable> named_;
    std::optional<ScopedVariable> tmpdir_;
    std::optional<cache::Store> store_;
    HostCompiler compiler_;
};

std::string good_source(const std::string& name) {
    return test::binary_kernel("kgen_k", "float", "z = x + y", name);
}

// Some distributions' g++ is a wrapper that drops -B.
bool finds_broken_parts() {
    Machine machine;
    machine.break_part("cc1plus", "exit 1");
    if (!machine.compile(good_source("probe")).empty()) return true;
    WARN("skipped: this g++ does not take its parts from the folder of -B");
    return false;
}

std::string refused() {
    return "kernel 'k': " + full_name(find_host_toolchain()) + " rejected the source for " +
           host_target().arch.substr(0, host_target().arch.find('-'));
}

}  // namespace

TEST_CASE("what the machine did to g++ is forgotten: the same source compiles when it is mended") {
    if (find_host_toolchain().family != CompilerFamily::gnu) {
        WARN("skipped: the compiler is not g++");
        return;
    }
    if (!finds_broken_parts()) return;
    Machine machine;
    struct Failure {
        const char* part;
        const char* script;
    };
    const std::vector<Failure> failures = {
        {"cc1plus", "kill -KILL $$"},
        {"cc1plus", "kill -SEGV $$"},
        {"cc1plus", "kill -XCPU $$"},
        {"cc1plus", "kill -XFSZ $$"},
        {"cc1plus", "exit 1"},
        {"cc1plus", "echo 'virtual memory exhausted: Cannot allocate memory' >&2; exit 1"},
        {"cc1plus",
         "echo 'cc1plus: out of memory allocating 65536 bytes after a total of 9 bytes' >&2; exit "
         "1"},
        {"cc1plus",
         "echo 'k:7:1: fatal error: error writing to -: No space left on device' >&2; exit 1"},
        {"cc1plus", "echo 'k:2:10: fatal error: kgen.h: Too many open files' >&2; exit 1"},
        {"cc1plus", "echo 'k:2:10: fatal error: kgen.h: Input/output error' >&2; exit 1"},
        {"cc1plus", "echo 'k:3:4: internal compiler error: in finish, at a.cc:1' >&2; exit 1"},
        {"cc1plus", "echo 'k:3:4: error: half of it' >&2; kill -KILL $$"},
        {"as", "kill -KILL $$"},
        {"as", "cat >/dev/null; echo \"as: can't write x.o: No space left on device\" >&2; exit 1"},
        {"as", "cat >/dev/null; echo 'as: x.o: Disk quota exceeded' >&2; exit 1"},
        {"ld", "kill -BUS $$"},
        {"ld", "echo 'ld: final link failed: No space left on device' >&2; exit 1"},
        {"ld", "exit 0"},
        {"collect2", "exit 127"},
    };
    for (std::size_t k = 0; k < failures.size(); ++k) {
        INFO(failures[k].part << ": " << failures[k].script);
        const std::string source = good_source("failure " + std::to_string(k));
        machine.break_part(failures[k].part, failures[k].script);
        const int before = machine.runs();
        CHECK(machine.compile(source) != "");
        CHECK(machine.runs() == before + 1);
        machine.mend();
        CHECK(machine.compile(source) == "");
        CHECK(machine.runs() == before + 2);
        CHECK(machine.is_clean());
    }
}

TEST_CASE("a full disk is told as such, and other failures of the machine are no refusal") {
    if (!finds_broken_parts()) return;
    Machine machine;
    const std::string compiler = "kernel 'k': " + full_name(find_host_toolchain());
    const auto message_with = [&](const char* part, const std::string& line) {
        machine.break_part(part, "cat >/dev/null; echo '" + line + "' >&2; exit 1");
        const std::string message = machine.compile(good_source("disk " + line));
        machine.mend();
        return message;
    };
    for (const std::string line :
         {"as: x.o: No space left on device", "as: x.o: Disk quota exceeded"}) {
        CHECK(message_with("as", line) == compiler + " found no space for its files in '" +
                                              machine.temporary_folder() + "': " + line +
                                              "; free some, or set TMPDIR to another directory");
    }
    CHECK(message_with("as", "as: x.o: Input/output error") ==
          compiler + " failed to compile the source for " +
              host_target().arch.substr(0, host_target().arch.find('-')));
}

TEST_CASE("a compiler that meets the limit of file sizes of this process says so") {
    Machine machine;
    const std::string source = good_source("file size");
    CHECK(said_by_child([&]() -> std::string {
              std::signal(SIGXFSZ, SIG_DFL);
              const ::rlimit limit = {2048, 2048};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              return machine.compile(source);
          }) == "kernel 'k': " + full_name(find_host_toolchain()) +
                    " wrote too large a file: the limit of this process is 2048 bytes (ulimit -f)");
}

TEST_CASE("limits that a compile went beyond are forgotten: it is tried again with others") {
    if (!finds_broken_parts()) return;
    Machine machine;
    const std::string compiler = full_name(find_host_toolchain());
    std::string source = good_source("limits") + "static const int table[] = {";
    for (int k = 0; k < 100'000; ++k) source += "1,";
    source += "};\n";
    {
        const ScopedVariable memory("KGEN_COMPILE_MEMORY", "64M");
        const std::string message =
            "kernel 'k': " + compiler +
            " ran out of memory: its limit is 64M; KGEN_COMPILE_MEMORY sets it";
        CHECK(machine.compile(source) == message);
        CHECK(machine.compile(source) == message);
        CHECK(machine.runs() == 2);
    }
    {
        for (const std::string wrong :
             {"none", "0", "63M", "-64M", "64m", "64 MB", "1e9", " 64M"}) {
            const ScopedVariable memory("KGEN_COMPILE_MEMORY", wrong);
            CHECK(read_compile_limits().memory_bytes == std::uint64_t{2} << 30);
            CHECK(wrong_compile_limits() ==
                  std::vector<std::string>{
                      "KGEN_COMPILE_MEMORY is '" + wrong +
                      "'; expected a number of bytes such as 512M or 2 GiB, at least 64M, or "
                      "unlimited; the default 2 GiB is used"});
        }
    }
    {
        machine.break_part("cc1plus", "sleep 60");
        const ScopedVariable time("KGEN_COMPILE_TIMEOUT", "1");
        CHECK(machine.compile(source) ==
              "kernel 'k': " + compiler +
                  " did not end within 1 s; KGEN_COMPILE_TIMEOUT sets this limit");
        machine.mend();
    }
    {
        rlimit files{};
        CHECK(::getrlimit(RLIMIT_NOFILE, &files) == 0);
        const rlimit few = {3, files.rlim_max};
        CHECK(::setrlimit(RLIMIT_NOFILE, &few) == 0);
        CHECK(machine.compile(source) != "");
        CHECK(::setrlimit(RLIMIT_NOFILE, &files) == 0);
    }
    CHECK(machine.compile(source) == "");
    CHECK(machine.is_clean());
}

TEST_CASE("a mistake in the source is remembered, and refused again without a compile") {
    Machine machine;
    for (const char* mistake : {"z = w",
                                "z = x +",
                                "z = no_such(x)",
                                "\n#error out of memory, No space left on device, Killed\n",
                                "\n#include <no_such_header.h>\n"}) {
        INFO(mistake);
        const std::string source = test::binary_kernel("kgen_k", "float", mistake, "mistake");
        const int before = machine.runs();
        CHECK(machine.compile(source) == refused());
        CHECK(machine.compile(source) == refused());
        // The included file is not tracked and may have changed, so the source is compiled again.
        const bool reads_files = source.find("#include") != std::string::npos;
        CHECK(machine.runs() == before + (reads_files ? 2 : 1));
    }
}

TEST_CASE("the host's compiler may have 2 GiB and no more than the limit that is set") {
    const TempDir folder;
    const auto limits_with = [&](const char* limit) {
        const ScopedVariable memory(
            "KGEN_COMPILE_MEMORY",
            limit == nullptr ? std::nullopt : std::optional<std::string>(limit));
        const std::string script = folder / "g++";
        std::ofstream(script) << "#!/bin/sh\necho $(ulimit -v) $(ulimit -f) $(ulimit -c) >"
                              << folder / "limits"
                              << "\nexit 1\n";
        fs::permissions(script, fs::perms::owner_all);
        const ScopedVariable named("KGEN_HOST_CXX", script);
        CHECK_THROWS(HostCompiler().compile({"k", "", "kgen_k", {}, host_target()}));
        std::ifstream file(folder / "limits");
        std::string line;
        std::getline(file, line);
        return line;
    };
    // ulimit -v (memory) counts units of 1024 bytes, ulimit -f (file size) units of 512 bytes.
    CHECK(limits_with(nullptr) == "2097152 4194304 0");
    CHECK(limits_with("1048576000") == "1024000 2048000 0");
    CHECK(limits_with("512M") == "524288 1048576 0");
    CHECK(limits_with("1 GiB") == "1048576 2097152 0");
    CHECK(limits_with("unlimited") == "unlimited unlimited 0");
}

TEST_CASE("sources that take any amount of memory or disk are stopped at the limit") {
    const ScopedVariable memory("KGEN_COMPILE_MEMORY", "200M");
    const std::string compiler = full_name(find_host_toolchain());
    std::string macros = "#define A0 x x x x x x x x x x\n";
    for (int k = 1; k < 10; ++k) {
        const std::string before = "A" + std::to_string(k - 1) + " ";
        macros += "#define A" + std::to_string(k) + " ";
        for (int each = 0; each < 10; ++each) macros += before;
        macros += "\n";
    }
    const auto message_of = [&](const std::string& source) {
        return KGEN_MESSAGE_OF(
            CompileError, HostCompiler().compile({"bomb", source, "kgen_k", {}, host_target()}));
    };
    CHECK(message_of(macros + "int y = A9;\n") ==
          "kernel 'bomb': " + compiler +
              " ran out of memory: its limit is 200M; KGEN_COMPILE_MEMORY sets it");
    CHECK(message_of("asm(\".zero 4000000000\");\n") ==
          "kernel 'bomb': " + compiler +
              " wrote too large a file: its limit is 200M; KGEN_COMPILE_MEMORY sets it");
}

TEST_CASE("limits that do not read are found by the doctor") {
    CHECK(inspect_host().size() == 1);
    const ScopedVariable memory("KGEN_COMPILE_MEMORY", "-1");
    const ScopedVariable time("KGEN_COMPILE_TIMEOUT", "soon");
    const std::vector<Finding> findings = inspect_host();
    REQUIRE(findings.size() == 3);
    CHECK(findings[0].found);
    for (const Finding& finding : {findings[1], findings[2]}) {
        CHECK_FALSE(finding.found);
        CHECK(finding.subject == "valid setting");
        CHECK(finding.remedy == "set an expected value, or unset it");
    }
    CHECK(findings[1].detail ==
          "KGEN_COMPILE_TIMEOUT is 'soon'; expected a whole number of seconds from 1 to 86400; the "
          "default 600 is used");
    CHECK(findings[2].detail ==
          "KGEN_COMPILE_MEMORY is '-1'; expected a number of bytes such as 512M or 2 GiB, at least "
          "64M, or unlimited; the default 2 GiB is used");
}
