// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/nvrtc_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <kgen/error.hpp>
#include <string_view>
#include <utility>

#include "cuda/driver/debug_labels.hpp"
#include "cuda/nvrtc/compile_guard.hpp"
#include "cuda/nvrtc/name_expressions.hpp"
#include "device/arch_name.hpp"
#include "text/bounded_log.hpp"

namespace kgen {

namespace {

bool is_supported(const NvrtcLibrary& library, const std::string& arch) {
    // supported_archs() lists sm_90 but not sm_90a. NVRTC itself checks the suffix.
    const std::vector<std::string> archs = library.supported_archs();
    return std::find(archs.begin(), archs.end(), without_arch_suffix(arch)) != archs.end();
}

// Returns the name of a program in logs and debuggers: "saxpy" for "dir/saxpy.cu". The name gets into the
// code with options such as -lineinfo. A raw program is therefore named after the #line label in its source
// if it has one, and not after job.kernel, on which the cache key does not depend.
std::string program_name(const CompileJob& job, const std::string& source) {
    if (job.kind == SourceKind::generated) return job.kernel;
    std::string name = first_label(source);
    if (name.empty()) name = job.kernel;
    name.erase(0, name.rfind('/') + 1);
    const auto is_plain = [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '_' || letter == '.' || letter == '-';
    };
    name.erase(std::find_if_not(name.begin(), name.end(), is_plain), name.end());
    if (name.ends_with(".cu")) name.resize(name.size() - 3);
    return name.empty() ? "source" : name;
}

bool names_seed(const CompileJob& job) {
    return std::any_of(job.options.begin(), job.options.end(), [](std::string_view option) {
        return option.starts_with("-frandom-seed") || option.starts_with("--frandom-seed");
    });
}

void append(std::string& message, const std::string& log) {
    if (!log.empty()) message += "\n" + log;
}

}  // namespace

NvrtcInput make_nvrtc_input(const NvrtcLibrary& library,
                            const CompileJob& job,
                            const std::string& source,
                            const std::vector<std::string>& options,
                            std::size_t number) {
    NvrtcInput input{.name = program_name(job, source), .source = source, .options = options};
    // resolve_nvrtc_options() leaves out include directories, because its result is part of the cache key.
    // The key contains the contents of the headers instead of their location.
    for (const std::string& directory : job.include_directories)
        input.options.push_back("-I" + directory);
    if (library.is_at_least(12, 9)) {
        // kgen has its own cache, and a hit in NVRTC's cache would lose the log.
        input.options.emplace_back("-no-cache");
        // Otherwise NVRTC chooses random names for symbols that are local to a source. The seed contains the
        // number because the names must differ between sources that are linked.
        if (!names_seed(job)) input.options.push_back(fmt::format("-frandom-seed=kgen{}", number));
    }
    return input;
}

NvrtcProgram::NvrtcProgram(const NvrtcLibrary& library, const CompileJob& job, NvrtcInput input)
    : library_(library),
      job_(job),
      input_(std::move(input)),
      has_debug_labels_(has_debug_labels(input_.options)),
      // The name is absolute, because with -lineinfo NVRTC 13.0 would write the working directory into the
      // code.
      name_(fmt::format("/kgen/{}.cu", input_.name)),
      source_(has_debug_labels_ ? with_absolute_labels(input_.source) : input_.source) {
    for (const Header& header : job.headers) {
        headers_.push_back(has_debug_labels_ ? with_own_label(header.name, header.text)
                                             : header.text);
    }
    create();
    compile();
}

void NvrtcProgram::create() {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const Header& header : job_.headers) names.push_back(header.name.c_str());
    for (const std::string& text : headers_) texts.push_back(text.c_str());
    nvrtcProgram program = nullptr;
    check(library_.api().create_program(&program,
                                        source_.c_str(),
                                        name_.c_str(),
                                        static_cast<int>(texts.size()),
                                        texts.data(),
                                        names.data()),
          "nvrtcCreateProgram");
    handle_ = {program, {library_.api().destroy_program}};
}

void NvrtcProgram::compile() {
    for (const std::string& expression : input_.expressions) {
        check(library_.api().add_name_expression(handle_.get(), expression.c_str()),
              "nvrtcAddNameExpression");
    }
    std::vector<const char*> options;
    for (const std::string& option : input_.options) options.push_back(option.c_str());
    result_ = library_.api().compile_program(
        handle_.get(), static_cast<int>(options.size()), options.data());
    mark_nvrtc_in_use();
    log_ = read<std::string>(
        library_.api().get_log_size, library_.api().get_log, "nvrtcGetProgramLog");
    log_.resize(std::strlen(log_.c_str()));  // the size includes the terminating NUL
    log_ = bounded_log(std::move(log_));
    if (has_debug_labels_) log_ = with_user_labels(std::move(log_));
    if (result_ != NVRTC_SUCCESS && result_ != NVRTC_ERROR_COMPILATION &&
        result_ != NVRTC_ERROR_INVALID_OPTION) {
        fail();
    }
}

void NvrtcProgram::refuse() const {
    std::string message;
    const std::vector<std::string> names = find_refused_expressions(log_, input_.expressions);
    if (!names.empty()) {
        message = fmt::format("kernel '{}': the name expression '{}' does not instantiate for {}",
                              job_.kernel,
                              names.front(),
                              job_.target.arch);
        append(message, log_);
    } else if (result_ == NVRTC_ERROR_INVALID_OPTION && !is_supported(library_, job_.target.arch)) {
        message = fmt::format("kernel '{}': {} has no target {}: it has {}",
                              job_.kernel,
                              library_.name(),
                              job_.target.arch,
                              fmt::join(library_.supported_archs(), ", "));
    } else {
        message = fmt::format("kernel '{}': {} rejected the {} for {}",
                              job_.kernel,
                              library_.name(),
                              result_ == NVRTC_ERROR_INVALID_OPTION ? "options" : "source",
                              job_.target.arch);
        append(message, log_);
    }
    throw_refusal(message, log_, input_.source);
}

void NvrtcProgram::fail() const {
    std::string message = fmt::format("kernel '{}': {} failed: {}",
                                      job_.kernel,
                                      library_.name(),
                                      library_.api().get_error_string(result_));
    append(message, log_);
    if (result_ == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) {
        message += fmt::format(
            "\nlibnvrtc-builtins.so.{}.{} must be in the folder of '{}' and of the same build",
            library_.major(),
            library_.minor(),
            library_.path());
    }
    throw DeviceError(message, "nvrtcCompileProgram", result_);
}

void NvrtcProgram::check(nvrtcResult result, const char* call) const {
    library_.check(result, call, fmt::format("kernel '{}'", job_.kernel));
}

template <typename Bytes, typename GetSize, typename Get>
Bytes NvrtcProgram::read(GetSize get_size, Get get, const char* call) const {
    std::size_t size = 0;
    check(get_size(handle_.get(), &size), call);
    Bytes bytes(size, typename Bytes::value_type{});
    if (size != 0) check(get(handle_.get(), reinterpret_cast<char*>(bytes.data())), call);
    return bytes;
}

std::vector<std::byte> NvrtcProgram::cubin() const {
    return read<std::vector<std::byte>>(
        library_.api().get_cubin_size, library_.api().get_cubin, "nvrtcGetCUBIN");
}

std::vector<std::byte> NvrtcProgram::ptx() const {
    auto text = read<std::vector<std::byte>>(
        library_.api().get_ptx_size, library_.api().get_ptx, "nvrtcGetPTX");
    while (!text.empty() && text.back() == std::byte{0}) text.pop_back();
    return text;
}

std::vector<std::byte> NvrtcProgram::lto_ir() const {
    return read<std::vector<std::byte>>(
        library_.api().get_lto_ir_size, library_.api().get_lto_ir, "nvrtcGetLTOIR");
}

std::string NvrtcProgram::lowered_name(const std::string& expression) const {
    const char* name = nullptr;
    check(library_.api().get_lowered_name(handle_.get(), expression.c_str(), &name),
          "nvrtcGetLoweredName");
    return name;
}

}  // namespace kgen
