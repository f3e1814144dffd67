// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/nvrtc_compiler.hpp"

#include <fmt/format.h>

#include <chrono>
#include <kgen/error.hpp>
#include <utility>

#include "cuda/nvrtc/compile_guard.hpp"
#include "cuda/nvrtc/compile_linked.hpp"
#include "cuda/nvrtc/name_expressions.hpp"
#include "cuda/nvrtc/nvrtc_options.hpp"
#include "cuda/nvrtc/nvrtc_program.hpp"
#include "cuda/nvrtc/toolkit_headers.hpp"
#include "device/arch_name.hpp"
#include "text/excerpt.hpp"
#include "text/log.hpp"
#include "text/milliseconds_since.hpp"
#include "text/nesting.hpp"

namespace kgen {

namespace {

void check_text(const CompileJob& job, const std::string& what, const std::string& text) {
    const std::size_t at = text.find('\0');
    // NVRTC would silently compile only the text before the NUL.
    if (at != std::string::npos) {
        refuse_job(job, fmt::format("{} holds a NUL character at byte {}", what, at));
    }
    const std::optional<std::size_t> deep = find_deep_nesting(text);
    if (!deep) return;
    refuse_job(job,
               fmt::format("{} nests more than {} brackets and operators{}",

                           what,
                           deepest_nesting,
                           excerpt(text, *deep, 1)));
}

void check_texts(const CompileJob& job) {
    check_text(job, "the source", job.source);
    for (const ModuleSource& source : job.linked_sources)
        check_text(job, fmt::format("'{}'", source.name), source.text);
    for (const Header& header : job.headers) {
        check_text(job, "the name of a header", header.name);
        check_text(job, fmt::format("the header '{}'", header.name), header.text);
    }
    check_name_expressions(job);
}

[[noreturn]] void refuse_virtual(const NvrtcLibrary& library,
                                 const CompileJob& job,
                                 const std::string& compiler_log) {
    throw CompileError(fmt::format("kernel '{}': {} made no code for '{}': expected a real "
                                   "architecture, such as sm_90",
                                   job.kernel,
                                   library.name(),
                                   job.target.arch),
                       compiler_log,
                       job.source);
}

Image compile_one(const NvrtcLibrary& library,
                  const CompileJob& job,
                  const std::vector<std::string>& options) {
    NvrtcInput input = make_nvrtc_input(library, job, job.source, options, 0);
    input.expressions = job.name_expressions;
    const NvrtcProgram program(library, job, std::move(input));
    if (!program.succeeded()) program.refuse();

    Image image{.target = job.target,
                .symbol = job.symbol,
                .accumulator_symbol = job.accumulator_symbol,
                .sections = {},
                .log = program.log()};
    for (const std::string& expression : job.name_expressions)
        image.lowered_names.push_back({expression, program.lowered_name(expression)});
    auto cubin = program.cubin();
    // For a virtual architecture (compute_90) NVRTC reports success but makes no cubin.
    if (cubin.empty()) refuse_virtual(library, job, image.log);
    image.sections.push_back({ImageKind::cubin, std::move(cubin)});
    auto ptx = program.ptx();
    if (!ptx.empty()) image.sections.push_back({ImageKind::ptx, std::move(ptx)});
    return image;
}

}  // namespace

const std::optional<NvrtcLocation>& NvrtcCompiler::location() const {
    static const std::optional<NvrtcLocation> absent;
    const std::lock_guard lock(mutex_);
    if (location_) return location_;
    std::optional<NvrtcLocation> found = locate_nvrtc(search_);
    if (!found) return absent;
    producer_ = {
        .name = "NVRTC " + found->version, .path = found->path, .identity = found->identity()};
    location_ = std::move(found);
    return location_;
}

const Producer& NvrtcCompiler::producer() const {
    if (!location()) throw DeviceError(nvrtc_absence(search_));
    return producer_;
}

const std::optional<NvJitLinkLocation>& NvrtcCompiler::linker_location() const {
    static const std::optional<NvJitLinkLocation> absent;
    if (!location()) return absent;
    const std::lock_guard lock(mutex_);
    if (linker_location_) return linker_location_;
    std::optional<NvJitLinkLocation> found = locate_nvjitlink(*location_, search_);
    if (!found) return absent;
    linking_producer_ = producer_;
    if (producer_.identity.empty() || found->build_id.empty()) {
        linking_producer_.identity.clear();
    } else {
        linking_producer_.identity += "+" + found->build_id;
    }
    linker_location_ = std::move(found);
    return linker_location_;
}

const Producer& NvrtcCompiler::linking_producer() const {
    static_cast<void>(producer());
    if (!linker_location()) throw DeviceError(nvjitlink_absence(*location(), search_));
    return linking_producer_;
}

const NvrtcLibrary& NvrtcCompiler::library() const {
    std::call_once(opened_, [this] {  // if it throws, the next call tries again
        library_ = std::make_unique<const NvrtcLibrary>(producer().path);
        mark_nvrtc_in_use();
    });
    return *library_;
}

const NvJitLinkLibrary& NvrtcCompiler::linker() const {
    std::call_once(linker_opened_, [this] {  // if it throws, the next call tries again
        static_cast<void>(linking_producer());
        linker_ = std::make_unique<const NvJitLinkLibrary>(
            linker_location_->path, library().major(), library().minor());
        mark_linker_in_use();
    });
    return *linker_;
}

const std::vector<std::string>& NvrtcCompiler::toolkit_include_directories() const {
    static const std::vector<std::string> absent;
    const std::optional<NvrtcLocation>& where = location();
    const std::lock_guard lock(mutex_);
    if (!toolkit_include_directories_.empty()) return toolkit_include_directories_;
    std::vector<std::string> found = find_toolkit_headers(where, search_);
    if (found.empty()) return absent;
    toolkit_include_directories_ = std::move(found);
    return toolkit_include_directories_;
}

std::vector<std::string> NvrtcCompiler::supported_archs() const {
    return library().supported_archs();
}

// They have the same major number and no suffix (CUDA C++ Programming Guide, "Binary Compatibility").
std::vector<std::string> NvrtcCompiler::older_archs(const std::string& arch) const {
    std::vector<std::string> archs;
    if (arch.empty() || without_arch_suffix(arch) != arch) return archs;
    for (char minor = static_cast<char>(arch.back() - 1); minor >= '0'; --minor)
        archs.push_back(arch.substr(0, arch.size() - 1) + minor);
    return archs;
}

std::vector<std::string> NvrtcCompiler::resolve_options(const CompileJob& job) const {
    return resolve_nvrtc_options(job);
}

Image NvrtcCompiler::compile(const CompileJob& job) const {
    const std::vector<std::string> options = resolve_options(job);
    check_texts(job);
    const CompileGuard guard(job.kernel);
    const NvrtcLibrary& nvrtc = library();
    // nvJitLink is opened before anything is compiled, so that nothing is compiled in vain if it is missing.
    const NvJitLinkLibrary* const jit_link = job.linked_sources.empty() ? nullptr : &linker();
    if (jit_link != nullptr && job.target.arch.starts_with("compute_"))
        refuse_virtual(nvrtc, job, "");
    Image image;
    run_on_nvrtc_thread(job.kernel, [&] {
        const auto start = std::chrono::steady_clock::now();
        if (jit_link == nullptr) {
            image = compile_one(nvrtc, job, options);
        } else {
            image = compile_linked(nvrtc, *jit_link, job, options);
            mark_linker_in_use();
        }
        image.compile_ms = milliseconds_since(start);
    });
    log().debug("kernel '{}': {} compiled it for {} in {:.1f} ms",
                job.kernel,
                nvrtc.name(),
                job.target.arch,
                image.compile_ms);
    return image;
}

}  // namespace kgen
