// SPDX-License-Identifier: MIT
#include "cuda/nvrtc_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstring>
#include <kgen/error.hpp>
#include <utility>

#include "cuda/compile_guard.hpp"
#include "cuda/nvrtc_options.hpp"
#include "cuda/nvrtc_thread.hpp"
#include "cuda/toolkit_headers.hpp"
#include "text/log.hpp"

namespace kgen {

namespace {

// Owns one program; nvrtcDestroyProgram takes the address of the handle.
class Program {
public:
    Program(const NvrtcLibrary& library, const CompileJob& job)
        : library_(library), subject_(fmt::format("kernel '{}'", job.kernel)) {
        // The name is absolute: with -lineinfo a relative one would bring the working directory into
        // the code (NVRTC 13.0).
        const std::string name = fmt::format("/kgen/{}.cu", job.kernel);
        std::vector<const char*> header_names;
        std::vector<const char*> header_texts;
        for (const Header& header : job.headers) {
            header_names.push_back(header.name.c_str());
            header_texts.push_back(header.text.c_str());
        }
        check(api().create_program(&handle_,
                                   job.source.c_str(),
                                   name.c_str(),
                                   static_cast<int>(job.headers.size()),
                                   header_texts.data(),
                                   header_names.data()),
              "nvrtcCreateProgram");
    }
    ~Program() { api().destroy_program(&handle_); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    const NvrtcApi& api() const { return library_.api(); }
    nvrtcProgram handle() const { return handle_; }
    void check(nvrtcResult result, const char* call) const {
        library_.check(result, call, subject_);
    }

    // What the pair of functions (size, contents) returns.
    template <typename Bytes, typename GetSize, typename Get>
    Bytes read(GetSize get_size, Get get, const char* call) const {
        std::size_t size = 0;
        check(get_size(handle_, &size), call);
        Bytes bytes(size, typename Bytes::value_type{});
        if (size != 0) check(get(handle_, reinterpret_cast<char*>(bytes.data())), call);
        return bytes;
    }

    std::string read_log() const {
        auto log = read<std::string>(api().get_log_size, api().get_log, "nvrtcGetProgramLog");
        log.resize(std::strlen(log.c_str()));  // it counts its terminating NUL
        return log;
    }

private:
    const NvrtcLibrary& library_;
    std::string subject_;
    nvrtcProgram handle_ = nullptr;
};

std::string supported_archs(const NvrtcLibrary& library) {
    int count = 0;
    if (library.api().get_supported_arch_count(&count) != NVRTC_SUCCESS || count <= 0) return {};
    std::vector<int> archs(static_cast<std::size_t>(count));
    if (library.api().get_supported_archs(archs.data()) != NVRTC_SUCCESS) return {};
    return fmt::format("sm_{}", fmt::join(archs, ", sm_"));
}

bool is_supported(const NvrtcLibrary& library, const std::string& arch) {
    // Suffixes ("sm_90a") are not in the list; NVRTC checks them itself.
    std::string plain = arch;
    while (!plain.empty() && (plain.back() < '0' || plain.back() > '9')) plain.pop_back();
    return (", " + supported_archs(library) + ",").find(", " + plain + ",") != std::string::npos;
}

[[noreturn]] void refuse(const NvrtcLibrary& library,
                         const CompileJob& job,
                         nvrtcResult result,
                         std::string log) {
    std::string message;
    if (result == NVRTC_ERROR_INVALID_OPTION && !is_supported(library, job.target.arch)) {
        message = fmt::format("kernel '{}': {} has no target {}: it has {}",
                              job.kernel,
                              library.name(),
                              job.target.arch,
                              supported_archs(library));
        throw CompileError(message, std::move(log), job.source);
    }
    message = fmt::format("kernel '{}': {} refused the {} for {}",
                          job.kernel,
                          library.name(),
                          result == NVRTC_ERROR_INVALID_OPTION ? "options" : "source",
                          job.target.arch);
    if (!log.empty()) message += "\n" + log;
    throw CompileError(message, std::move(log), job.source);
}

void check_compiled(const NvrtcLibrary& library,
                    const Program& program,
                    const CompileJob& job,
                    nvrtcResult result) {
    if (result == NVRTC_SUCCESS) return;
    std::string log = program.read_log();
    if (result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_INVALID_OPTION) {
        refuse(library, job, result, std::move(log));
    }
    std::string message = fmt::format("kernel '{}': {} failed: {}",
                                      job.kernel,
                                      library.name(),
                                      library.api().get_error_string(result));
    if (!log.empty()) message += "\n" + log;
    if (result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) {
        message += fmt::format(
            "\nlibnvrtc-builtins.so.{}.{} must lie beside '{}' and be of the same build",
            library.major(),
            library.minor(),
            library.path());
    }
    throw DeviceError(message, "nvrtcCompileProgram", result);
}

Image compile_here(const NvrtcLibrary& library,
                   const CompileJob& job,
                   const std::vector<std::string>& options) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<const char*> texts;
    for (const std::string& option : options) texts.push_back(option.c_str());
    // Not among the resolved options: a key holds what the files say, not where they lie.
    std::vector<std::string> searched;
    for (const std::string& directory : job.include_directories)
        searched.push_back("-I" + directory);
    for (const std::string& option : searched) texts.push_back(option.c_str());
    // NVRTC's own cache came with 12.9; kgen has its own, and a hit there loses the log. Not among
    // the resolved options: those are known without NVRTC's version.
    if (library.is_at_least(12, 9)) texts.push_back("-no-cache");

    const Program program(library, job);
    const nvrtcResult result = library.api().compile_program(
        program.handle(), static_cast<int>(texts.size()), texts.data());
    mark_nvrtc_in_use();
    check_compiled(library, program, job, result);

    Image image{.target = job.target,
                .symbol = job.symbol,
                .accumulator_symbol = job.accumulator_symbol,
                .sections = {},
                .log = program.read_log()};
    using Bytes = std::vector<std::byte>;
    auto cubin =
        program.read<Bytes>(library.api().get_cubin_size, library.api().get_cubin, "nvrtcGetCUBIN");
    if (cubin.empty()) {
        // NVRTC says success and gives nothing for a virtual architecture (compute_90).
        throw CompileError(fmt::format("kernel '{}': {} made no code for '{}': expected a real "
                                       "architecture, such as sm_90",
                                       job.kernel,
                                       library.name(),
                                       job.target.arch),
                           image.log,
                           job.source);
    }
    image.sections.push_back({ImageKind::cubin, std::move(cubin)});
    auto ptx =
        program.read<Bytes>(library.api().get_ptx_size, library.api().get_ptx, "nvrtcGetPTX");
    while (!ptx.empty() && ptx.back() == std::byte{0}) ptx.pop_back();
    if (!ptx.empty()) image.sections.push_back({ImageKind::ptx, std::move(ptx)});
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    image.compile_ms = spent.count();
    return image;
}

}  // namespace

const std::optional<NvrtcLocation>& NvrtcCompiler::location() const {
    std::call_once(located_, [this] {
        location_ = locate_nvrtc(search_);
        if (!location_) return;
        producer_ = {.name = "NVRTC " + location_->version,
                     .path = location_->path,
                     .identity = location_->identity()};
    });
    return location_;
}

const Producer& NvrtcCompiler::producer() const {
    if (!location()) throw DeviceError(nvrtc_absence(search_));
    return producer_;
}

const NvrtcLibrary& NvrtcCompiler::library() const {
    std::call_once(opened_, [this] {  // again if it throws
        library_ = std::make_unique<const NvrtcLibrary>(producer().path);
        mark_nvrtc_in_use();
    });
    return *library_;
}

const std::vector<std::string>& NvrtcCompiler::toolkit_include_directories() const {
    std::call_once(found_headers_, [this] {
        toolkit_include_directories_ = find_toolkit_headers(location(), search_);
    });
    return toolkit_include_directories_;
}

std::vector<std::string> NvrtcCompiler::resolve_options(const CompileJob& job) const {
    return resolve_nvrtc_options(job);
}

Image NvrtcCompiler::compile(const CompileJob& job) const {
    const std::vector<std::string> options = resolve_options(job);
    if (const std::size_t at = job.source.find('\0'); at != std::string::npos) {
        // NVRTC would silently compile what stands before it.
        throw CompileError(
            fmt::format("kernel '{}': the source holds a NUL character at byte {}", job.kernel, at),
            "",
            job.source);
    }
    for (const Header& header : job.headers) {
        const std::size_t at = header.text.find('\0');
        if (at == std::string::npos) continue;
        throw CompileError(
            fmt::format("kernel '{}': the header '{}' holds a NUL character at byte {}",
                        job.kernel,
                        header.name,
                        at),
            "",
            job.source);
    }
    const CompileGuard guard(job.kernel);
    const NvrtcLibrary& nvrtc = library();
    Image image;
    run_on_nvrtc_thread(job.kernel, [&] { image = compile_here(nvrtc, job, options); });
    log().debug("kernel '{}': {} compiled it for {} in {:.1f} ms",
                job.kernel,
                nvrtc.name(),
                job.target.arch,
                image.compile_ms);
    return image;
}

}  // namespace kgen
