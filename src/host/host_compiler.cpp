// SPDX-License-Identifier: MIT
#include "host/host_compiler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <kgen/error.hpp>
#include <string_view>
#include <utility>

#include "host/header_folder.hpp"
#include "host/host_options.hpp"
#include "host/host_target.hpp"
#include "host/run_child.hpp"
#include "host/temporary_directory.hpp"
#include "host/vector_math.hpp"
#include "text/bounded_log.hpp"
#include "text/environment.hpp"
#include "text/log.hpp"

namespace kgen {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds default_timeout{600};
constexpr std::chrono::seconds longest_timeout{86400};

std::chrono::seconds compile_timeout() {
    const std::optional<std::string> text = environment("KGEN_COMPILE_TIMEOUT");
    if (!text) return default_timeout;
    long seconds = 0;
    const char* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, seconds);
    if (error != std::errc() || stop != end || seconds < 1 || seconds > longest_timeout.count()) {
        throw DeviceError(
            fmt::format("KGEN_COMPILE_TIMEOUT: got '{}', expected a whole number of seconds from 1 "
                        "to {}",
                        *text,
                        longest_timeout.count()));
    }
    return std::chrono::seconds(seconds);
}

[[noreturn]] void fail_io(const std::string& path, const char* call) {
    const int code = errno;
    throw DeviceError(
        fmt::format("temporary file '{}': {} failed: {}", path, call, std::strerror(code)),
        call,
        code);
}

void write_source(const std::string& path, std::string_view text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) fail_io(path, "open");
    ::fchmod(file, 0600);  // whatever the umask took away
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const int code = errno;
            ::close(file);
            errno = code;
            fail_io(path, "write");
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::close(file) != 0) fail_io(path, "close");
}

// Empty if there is no such file or it is no ELF file.
std::vector<std::byte> read_object(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    if (text.substr(0, 4) !=
        "\x7f"
        "ELF") {
        return {};
    }
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

// The source comes through stdin so that no temporary name gets into messages or the object; -pipe
// saves the detour of the assembly through a file.
std::vector<std::string> command_line(const HostToolchain& toolchain,
                                      const std::vector<std::string>& header_options,
                                      const std::vector<std::string>& options,
                                      const std::string& output_path) {
    std::vector<std::string> arguments = {toolchain.path};
    arguments.insert(arguments.end(), toolchain.arguments.begin(), toolchain.arguments.end());
    arguments.insert(arguments.end(), header_options.begin(), header_options.end());
    for (const std::string& option : options) arguments.push_back(with_absolute_path(option));
    if (toolchain.family == CompilerFamily::clang) {
        // Out of range, float to integer saturates, as on a GPU; g++ has nothing like it.
        arguments.emplace_back("-fno-strict-float-cast-overflow");
        const std::string macro = fmt::format("-D{}", vector_math_macro);
        const bool vectorises = std::find(options.begin(), options.end(), macro) != options.end();
        if (vectorises && takes_veclib(toolchain)) arguments.emplace_back("-fveclib=libmvec");
    }
    for (const char* argument : {"-pipe", "-o"}) arguments.emplace_back(argument);
    arguments.push_back(output_path);
    for (const char* argument : {"-x", "c++", "-"}) arguments.emplace_back(argument);
    return arguments;
}

}  // namespace

const HostCompiler::Found& HostCompiler::found() const {
    const std::lock_guard lock(mutex_);
    if (!found_) {
        HostToolchain toolchain = find_host_toolchain();
        Producer producer{toolchain.name, toolchain.path, toolchain.identity};
        found_ = Found{std::move(toolchain), std::move(producer)};
    }
    return *found_;
}

const Producer& HostCompiler::producer() const {
    return found().producer;
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
                                       "'{}', and not for '{}'",
                                       job.kernel,
                                       host_target().arch,
                                       job.target.arch),
                           {},
                           job.source);
    }
    const HostToolchain& toolchain = found().toolchain;
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
    child.timeout = compile_timeout();
    ChildResult result = run_child(child);
    headers.hide_path(result.output);
    result.output = bounded_log(std::move(result.output));

    if (result.timed_out) {
        throw CompileError(
            fmt::format(
                "kernel '{}': {} did not end within {} s; KGEN_COMPILE_TIMEOUT sets the limit",
                job.kernel,
                full_name(toolchain),
                std::chrono::duration_cast<std::chrono::seconds>(child.timeout).count()),
            result.output,
            job.source);
    }
    if (result.signal != 0) {
        throw CompileError(fmt::format("kernel '{}': {} was ended by signal {} ({})",
                                       job.kernel,
                                       full_name(toolchain),
                                       result.signal,
                                       ::strsignal(result.signal)),
                           result.output,
                           job.source);
    }
    std::vector<std::byte> object = read_object(object_path);
    if (result.exit_status.value_or(0) != 0 && result.output.empty()) {
        throw DeviceError(fmt::format("kernel '{}': {} at '{}' ended with status {} and no message",
                                      job.kernel,
                                      full_name(toolchain),
                                      toolchain.path,
                                      *result.exit_status));
    }
    if (result.exit_status.value_or(0) != 0 || (object.empty() && !result.exit_status)) {
        throw CompileError(fmt::format("kernel '{}': {} refused the source for {}",
                                       job.kernel,
                                       full_name(toolchain),
                                       job.target.arch.substr(0, job.target.arch.find('-'))),
                           result.output,
                           job.source);
    }
    if (object.empty()) {
        throw DeviceError(
            fmt::format("kernel '{}': {} at '{}' reported success but wrote no object",
                        job.kernel,
                        full_name(toolchain),
                        toolchain.path));
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
    return {finding};
}

}  // namespace kgen
