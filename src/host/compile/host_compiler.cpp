// SPDX-License-Identifier: MIT
#include "host/compile/host_compiler.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <kgen/error.hpp>
#include <string_view>
#include <utility>

#include "digest.hpp"
#include "file_descriptor.hpp"
#include "host/compile/compile_limits.hpp"
#include "host/compile/header_folder.hpp"
#include "host/compile/host_options.hpp"
#include "host/compile/host_target.hpp"
#include "host/compile/run_child.hpp"
#include "host/compile/stack_usage.hpp"
#include "host/compile/temporary_directory.hpp"
#include "host/compile/vector_math.hpp"
#include "text/bounded_log.hpp"
#include "text/compiler_log.hpp"
#include "text/list.hpp"

namespace kgen {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Throws unless `code`, an errno, is 0.
void check_io(int code, const std::string& path, const char* call) {
    if (code == 0) return;
    throw DeviceError(
        fmt::format("temporary file '{}': {} failed: {}", path, call, std::strerror(code)),
        call,
        code);
}

void write_source(const std::string& path, std::string_view text) {
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    cache::FileDescriptor file(::open(path.c_str(), flags, 0600));
    check_io(file.is_open() ? 0 : errno, path, "open");
    ::fchmod(file.get(), 0600);  // the umask may have removed bits
    check_io(cache::write_all(file.get(), 0, cache::as_bytes(text)), path, "write");
    check_io(file.close(), path, "close");
}

// Returns the file's bytes. Empty if it does not exist or is not an ELF file.
std::vector<std::byte> read_object(const std::string& path) {
    const cache::FileDescriptor file = cache::open_to_read(path);
    if (!file.is_open() && errno == ENOENT) return {};
    check_io(file.is_open() ? 0 : errno, path, "open");
    std::string object;
    check_io(cache::read_to_end(file.get(), object), path, "read");
    const auto bytes = cache::as_bytes(object);
    if (!object.starts_with(ELFMAG)) return {};
    return {bytes.begin(), bytes.end()};
}

// Options that only affect how the object is loaded. They enter no key of the cache.
void add_loading_options(const HostToolchain& toolchain, std::vector<std::string>& arguments) {
    // Objects with unique symbols are never unloaded. clang makes none.
    if (toolchain.family == CompilerFamily::gnu) arguments.emplace_back("-fno-gnu-unique");
    // Two memory mappings instead of five, and an object of 3 KB instead of 14. gold does not separate code
    // and refuses the first option.
    if (std::ranges::count(toolchain.arguments, "-fuse-ld=gold") == 0)
        arguments.emplace_back("-Wl,-z,noseparate-code");
    arguments.emplace_back("-Wl,-z,norelro");
}

// The source comes through stdin, so no temporary name gets into messages or the object. With -pipe the
// assembly does not go through a file.
std::vector<std::string> command_line(const HostToolchain& toolchain,
                                      const std::vector<std::string>& header_options,
                                      const std::vector<std::string>& options,
                                      const std::string& output_path) {
    std::vector<std::string> arguments = {toolchain.path};
    arguments.insert(arguments.end(), toolchain.arguments.begin(), toolchain.arguments.end());
    arguments.insert(arguments.end(), header_options.begin(), header_options.end());
    for (const std::string& option : options) {
        arguments.push_back(with_absolute_path(option));
        // In the GNU dialects g++ declares the functions of the sanitizers itself, which the source defines. The
        // strict dialects declare no function that is not in ISO C, as this option does.
        if (toolchain.family == CompilerFamily::gnu && option.starts_with("-std=gnu"))
            arguments.emplace_back("-fno-nonansi-builtins");
    }
    if (toolchain.family == CompilerFamily::clang) {
        // An out-of-range conversion from float to integer saturates, as on a GPU. g++ has no such option.
        arguments.emplace_back("-fno-strict-float-cast-overflow");
        const bool vectorises = is_one_of(fmt::format("-D{}", vector_math_macro), options);
        if (vectorises && takes_veclib(toolchain, find_vector_math()))
            arguments.emplace_back("-fveclib=libmvec");
    }
    add_loading_options(toolchain, arguments);
    if (takes_stack_usage(toolchain)) {
        // Makes a frame larger than a page touch each of its pages, so that it cannot step over a guard page.
        for (const char* argument : {"-fstack-clash-protection", "-fstack-usage"})
            arguments.emplace_back(argument);
    }
    for (const char* argument : {"-pipe", "-o"}) arguments.emplace_back(argument);
    arguments.push_back(output_path);
    for (const char* argument : {"-x", "c++", "-"}) arguments.emplace_back(argument);
    return arguments;
}

// Throws CompilerFailure if the compiler was ended by a signal or exceeded a limit.
void check_end(const ChildResult& result,
               const CompileLimits& limits,
               const CompileJob& job,
               const HostToolchain& toolchain,
               const std::string& directory) {
    const auto fail = [&](const std::string& what) {
        throw CompilerFailure(
            fmt::format("kernel '{}': {} {}", job.kernel, full_name(toolchain), what),
            result.output,
            job.source);
    };
    if (result.timed_out) {
        fail(fmt::format("did not end within {} s; KGEN_COMPILE_TIMEOUT sets this limit",
                         limits.time.count()));
    }
    ShortResource shortage = result.exit_status.value_or(1) == 0
                                 ? ShortResource::none
                                 : find_short_resource(result.output);
    if (result.signal == SIGXFSZ) shortage = ShortResource::file_size;
    if (limits.memory_bytes != 0 && shortage == ShortResource::memory) {
        fail(fmt::format("ran out of memory: its limit is {}; KGEN_COMPILE_MEMORY sets it",
                         limits.memory));
    }
    if (shortage == ShortResource::disk) {
        fail(
            fmt::format("found no space for its files in '{}': {}; free some, or set TMPDIR to "
                        "another directory",
                        fs::path(directory).parent_path().string(),
                        first_error(result.output)));
    }
    rlimit own{};  // of this process, which the compiler inherits
    if (shortage == ShortResource::file_size && ::getrlimit(RLIMIT_FSIZE, &own) == 0 &&
        own.rlim_cur < (limits.memory_bytes != 0 ? limits.memory_bytes : RLIM_INFINITY)) {
        fail(
            fmt::format("wrote too large a file: the limit of this process is {} bytes (ulimit -f)",
                        own.rlim_cur));
    }
    if (limits.memory_bytes != 0 && shortage == ShortResource::file_size) {
        fail(fmt::format("wrote too large a file: its limit is {}; KGEN_COMPILE_MEMORY sets it",
                         limits.memory));
    }
    if (result.signal != 0) {
        fail(fmt::format("was ended by signal {} ({})", result.signal, ::strsignal(result.signal)));
    }
}

// The local memory of a CUDA thread, plus a margin: a CPU has fewer registers, so more values are in the
// frame.
constexpr std::uint64_t most_frame_bytes = most_local_bytes + 4096;

void check_frames(const StackUsage& usage, const CompileJob& job) {
    if (usage.largest_frame <= most_frame_bytes) return;
    throw CompileError(fmt::format("kernel '{}': the local variables of a thread take {} bytes in "
                                   "one function, expected at most {}; move them to an array",
                                   job.kernel,
                                   usage.largest_frame,
                                   most_local_bytes),
                       {},
                       job.source);
}

}  // namespace

const HostToolchain& HostCompiler::toolchain() const {
    const std::lock_guard lock(mutex_);
    if (!toolchain_) toolchain_ = find_host_toolchain();
    return *toolchain_;
}

const Producer& HostCompiler::producer() const {
    return toolchain();
}

std::vector<std::string> HostCompiler::resolve_options(const CompileJob& job) const {
    std::vector<std::string> options = resolve_host_options(job.kernel, job.options);
    for (std::string& option : vector_math_options(job.source))
        options.push_back(std::move(option));
    return options;
}

Image HostCompiler::compile(const CompileJob& job) const {
    const std::vector<std::string> options = resolve_options(job);
    if (job.target != host_target()) {
        throw CompileError(fmt::format("kernel '{}': the host compiler compiles for this machine, "
                                       "'{}', but the target is '{}'",
                                       job.kernel,
                                       host_target().arch,
                                       job.target.arch),
                           {},
                           job.source);
    }
    const HostToolchain& toolchain = this->toolchain();
    const CompileLimits limits = read_compile_limits();
    const auto start = Clock::now();
    const TemporaryDirectory directory;
    const std::string source_path = directory.path() + "/kernel.cpp";
    const std::string object_path = directory.path() + "/kernel.so";
    write_source(source_path, job.source);
    const HeaderFolder headers(directory.path(), job);

    ChildJob child;
    child.arguments = command_line(toolchain, headers.options(), options, object_path);
    child.working_directory = headers.path();
    child.input_path = source_path;
    child.temporary_directory = directory.path();
    child.timeout = limits.time;
    child.memory_limit_bytes = limits.memory_bytes;
    ChildResult result = run_child(child);
    headers.hide_path(result.output);
    result.output = bounded_log(std::move(result.output));
    check_end(result, limits, job, toolchain, directory.path());
    std::vector<std::byte> object = read_object(object_path);
    if (result.exit_status.value_or(0) != 0 && result.output.empty()) {
        throw DeviceError(fmt::format("kernel '{}': {} at '{}' ended with status {} and no message",
                                      job.kernel,
                                      full_name(toolchain),
                                      toolchain.path,
                                      *result.exit_status));
    }
    if (result.exit_status.value_or(0) != 0 || (object.empty() && !result.exit_status)) {
        const std::string message =
            fmt::format("kernel '{}': {} {} the source for {}",
                        job.kernel,
                        full_name(toolchain),
                        blames_machine(result.output) ? "failed to compile" : "rejected",
                        job.target.arch.substr(0, job.target.arch.find('-')));
        // A compiler that refuses a source exits with 1; one that fails itself exits with another status.
        if (result.exit_status.value_or(1) != 1)
            throw CompilerFailure(message, result.output, job.source);
        throw_refusal(message, result.output, job.source);
    }
    if (object.empty()) {
        throw DeviceError(
            fmt::format("kernel '{}': {} at '{}' reported success but wrote no object",
                        job.kernel,
                        full_name(toolchain),
                        toolchain.path));
    }
    if (const auto usage = read_stack_usage({directory.path(), headers.path()})) {
        check_frames(*usage, job);
        write_stack_usage(object, *usage);
    }
    Image image;
    image.target = job.target;
    image.symbol = job.symbol;
    image.accumulator_symbol = job.accumulator_symbol;
    image.lowered_names = job.lowered_names;
    image.sections.push_back({ImageKind::host_object, std::move(object)});
    image.log = std::move(result.output);
    image.compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    return image;
}

const Compiler& host_compiler() {
    static const auto* const compiler = new HostCompiler();  // outlives every static destructor
    return *compiler;
}

std::vector<Finding> inspect_host() {
    Finding finding;
    finding.subject = "host compiler";
    try {
        const HostToolchain toolchain = find_host_toolchain();
        ChildJob job;
        job.arguments = {toolchain.path, "--version"};
        job.timeout = std::chrono::seconds(10);
        const ChildResult result = run_child(job);
        finding.detail = fmt::format("{}, {}", full_name(toolchain), toolchain.path);
        const std::string first_line = result.output.substr(0, result.output.find('\n'));
        finding.found = result.exit_status.value_or(0) == 0 && result.signal == 0 &&
                        !result.timed_out && !first_line.empty();
        if (finding.found) {
            finding.detail += fmt::format(" ({})", first_line);
        } else {
            finding.detail +=
                " does not run: " + (first_line.empty() ? "it prints no version" : first_line);
            finding.remedy = "apt-get install g++, or name a working compiler in KGEN_HOST_CXX";
        }
    } catch (const std::exception& error) {
        finding.found = false;
        finding.detail = error.what();
        finding.remedy = "apt-get install g++, or name a compiler in KGEN_HOST_CXX";
    }
    std::vector<Finding> findings = {finding};
    for (const std::string& problem : wrong_compile_limits()) {
        findings.push_back({.subject = "valid setting",
                            .found = false,
                            .detail = problem,
                            .remedy = "set an expected value, or unset it"});
    }
    return findings;
}

}  // namespace kgen
