// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/compile_linked.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <kgen/error.hpp>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "cuda/driver/debug_labels.hpp"
#include "cuda/driver/unique_handle.hpp"
#include "cuda/nvrtc/name_expressions.hpp"
#include "cuda/nvrtc/nvrtc_options.hpp"
#include "cuda/nvrtc/nvrtc_program.hpp"

namespace kgen {

namespace {

struct LtoSource {
    std::string name;  // for the linker's messages: "filters.cu"
    std::vector<std::byte> lto_ir;
};

struct LinkedImage {
    std::vector<std::byte> cubin;
    std::vector<std::byte> ptx;  // the PTX that the cubin was made from
    std::string log;             // warnings
};

// Values of nvJitLinkInputType.
constexpr int input_ptx = 2;
constexpr int input_lto_ir = 3;

// Values of nvJitLinkResult.
constexpr int unrecognized_arch = 16;
constexpr int unsupported_arch = 17;

// Demangles the symbols in a log of the linker: '_Z5scalef' becomes 'scale(float)'.
std::string with_readable_names(std::string_view log) {
    std::string text;
    for (std::size_t at = 0; at < log.size();) {
        std::size_t end = at;
        while (end < log.size() && (std::isalnum(static_cast<unsigned char>(log[end])) != 0 ||
                                    log[end] == '_' || log[end] == '$'))
            ++end;
        std::string word(log.substr(at, end == at ? 1 : end - at));
        at += word.size();
        if (word.starts_with("_Z")) {
            int status = 0;
            const std::unique_ptr<char, decltype(&std::free)> name(
                abi::__cxa_demangle(word.c_str(), nullptr, nullptr, &status), &std::free);
            if (status == 0 && name != nullptr) word = name.get();
        }
        text += word;
    }
    return text;
}

// One link operation.
class Link {
public:
    Link(const NvJitLinkLibrary& library,
         const CompileJob& job,
         const std::vector<std::string>& options)
        : library_(library), job_(job) {
        std::vector<const char*> texts;
        for (const std::string& option : options) texts.push_back(option.c_str());
        if (library.takes_no_cache()) texts.push_back("-no-cache");
        void* handle = nullptr;
        const int result =
            api().create(&handle, static_cast<std::uint32_t>(texts.size()), texts.data());
        handle_ = {handle, {api().destroy}};
        if (result == 0) return;
        const std::string log = handle == nullptr ? std::string() : error_log();
        if (result == unrecognized_arch || result == unsupported_arch) {
            refuse(fmt::format("has no target {}", job_.target.arch), log);
        }
        fail("nvJitLinkCreate", result, log);
    }

    void add(int kind, const std::string& name, const std::vector<std::byte>& bytes) {
        const int result =
            api().add_data(handle_.get(), kind, bytes.data(), bytes.size(), name.c_str());
        if (result != 0) fail("nvJitLinkAddData", result, error_log());
    }

    void complete() {
        const int result = api().complete(handle_.get());
        if (result == 0) return;
        const std::string log = error_log();
        if (log.empty()) fail("nvJitLinkComplete", result, log);
        refuse(fmt::format("cannot link the sources for {}", job_.target.arch), log);
    }

    std::vector<std::byte> cubin() {
        return read(api().get_cubin_size, api().get_cubin, "nvJitLinkGetLinkedCubin");
    }
    std::vector<std::byte> ptx() {
        auto text = read(api().get_ptx_size, api().get_ptx, "nvJitLinkGetLinkedPtx");
        while (!text.empty() && text.back() == std::byte{0}) text.pop_back();
        return text;
    }
    std::string info_log() { return read_log(api().get_info_log_size, api().get_info_log); }

private:
    const NvJitLinkApi& api() const { return library_.api(); }

    std::string error_log() { return read_log(api().get_error_log_size, api().get_error_log); }

    // Returns the log; empty if it cannot be read, because a missing log is not worth another error.
    std::string read_log(int (*get_size)(void*, std::size_t*), int (*get)(void*, char*)) {
        std::size_t size = 0;
        if (get_size(handle_.get(), &size) != 0 || size == 0) return {};
        std::string log(size, '\0');
        if (get(handle_.get(), log.data()) != 0) return {};
        log.resize(std::min(log.find('\0'), log.size()));
        return log;
    }

    template <typename Text>
    std::vector<std::byte> read(int (*get_size)(void*, std::size_t*),
                                int (*get)(void*, Text*),
                                const char* call) {
        std::size_t size = 0;
        int result = get_size(handle_.get(), &size);
        std::vector<std::byte> bytes(size);
        if (result == 0 && size != 0)
            result = get(handle_.get(), static_cast<Text*>(static_cast<void*>(bytes.data())));
        if (result != 0) fail(call, result, error_log());
        return bytes;
    }

    [[noreturn]] void refuse(const std::string& problem, const std::string& log) const {
        std::string message =
            fmt::format("kernel '{}': {} {}", job_.kernel, library_.name(), problem);
        if (!log.empty()) message += "\n" + with_readable_names(log);
        throw_refusal(message, log, job_.source);
    }
    [[noreturn]] void fail(const char* call, int result, const std::string& log) const {
        std::string message = fmt::format(
            "kernel '{}': {}: {} failed: {}", job_.kernel, library_.name(), call, result);
        if (!log.empty()) message += "\n" + log;
        throw DeviceError(message, call, result);
    }

    const NvJitLinkLibrary& library_;
    const CompileJob& job_;
    UniqueHandle<void*, decltype(NvJitLinkApi::destroy)> handle_;
};

// Optimizes all sources together to PTX, then assembles the PTX. The alternative, one step from LTO IR to a
// cubin, takes 1.4 times as long for large code and gives no PTX. It also replaces a variable that no source
// defines by zero, with only a warning (measured with nvJitLink 13.0).
// Throws CompileError if a symbol is missing or defined twice, and DeviceError if nvJitLink fails.
LinkedImage link_images(const NvJitLinkLibrary& library,
                        const CompileJob& job,
                        const std::vector<LtoSource>& sources) {
    const std::vector<std::string> options = resolve_link_options(job);
    std::vector<std::string> optimizing = options;
    optimizing.insert(optimizing.end(), {"-lto", "-ptx"});

    LinkedImage image;
    Link optimized(library, job, optimizing);
    for (const LtoSource& source : sources) optimized.add(input_lto_ir, source.name, source.lto_ir);
    optimized.complete();
    image.ptx = optimized.ptx();

    Link assembled(library, job, options);
    assembled.add(input_ptx, job.kernel, image.ptx);
    assembled.complete();
    image.cubin = assembled.cubin();
    image.log = optimized.info_log() + assembled.info_log();
    return image;
}

// Compiles the sources in order and keeps a list of the name expressions that are not found yet.
class LinkedSources {
public:
    LinkedSources(const NvrtcLibrary& library,
                  const CompileJob& job,
                  const std::vector<std::string>& options)
        : library_(library), job_(job), options_(options), missing_(job.name_expressions) {
        texts_.push_back(&job.source);
        for (const ModuleSource& source : job.linked_sources) texts_.push_back(&source.text);
    }

    void compile_all() {
        for (std::size_t k = 0; k < texts_.size(); ++k) compile(k);
        if (!missing_.empty()) {
            // Throws the error of the last source in which the name was not found.
            const auto refused = refusals_.find(missing_.front());
            if (refused != refusals_.end()) refused->second->refuse();
        }
    }

    const std::vector<LtoSource>& lto_sources() const { return lto_sources_; }
    const std::string& log() const { return log_; }
    std::vector<LoweredName> lowered_names() const {
        std::vector<LoweredName> names;
        for (const std::string& expression : job_.name_expressions)
            names.push_back({expression, symbols_.at(expression)});
        return names;
    }

private:
    // Returns the missing names that this source may define. Leaves out names that only a later source
    // mentions.
    std::vector<std::string> candidates(std::size_t index) const {
        std::vector<std::string> names;
        for (const std::string& name : missing_) {
            const bool is_later =
                !mentions_name(*texts_[index], name) &&
                std::any_of(texts_.begin() + static_cast<std::ptrdiff_t>(index),
                            texts_.end(),
                            [&](const std::string* text) { return mentions_name(*text, name); });
            if (!is_later) names.push_back(name);
        }
        return names;
    }

    void compile(std::size_t index) {
        std::vector<std::string> names = candidates(index);
        for (;;) {
            NvrtcInput input = make_nvrtc_input(library_, job_, *texts_[index], options_, index);
            input.expressions = names;
            auto program = std::make_shared<NvrtcProgram>(library_, job_, std::move(input));
            if (program->succeeded()) {
                take(index, *program, names);
                return;
            }
            // Tries again without the names that this source lacks. That also reports any other errors.
            const std::vector<std::string> refused =
                find_refused_expressions(program->log(), names);
            if (refused.empty()) program->refuse();
            for (const std::string& name : refused) refusals_[name] = program;
            std::erase_if(names,
                          [&](const auto& name) { return std::ranges::count(refused, name) > 0; });
        }
    }

    void take(std::size_t index,
              const NvrtcProgram& program,
              const std::vector<std::string>& names) {
        for (const std::string& name : names) symbols_[name] = program.lowered_name(name);
        std::erase_if(missing_,
                      [&](const auto& name) { return std::ranges::count(names, name) > 0; });
        log_ += program.log();
        std::string label = first_label(*texts_[index]);
        if (label.empty()) label = index == 0 ? job_.kernel : job_.linked_sources[index - 1].name;
        lto_sources_.push_back({std::move(label), program.lto_ir()});
    }

    const NvrtcLibrary& library_;
    const CompileJob& job_;
    const std::vector<std::string>& options_;
    std::vector<const std::string*> texts_;
    std::vector<std::string> missing_;
    std::map<std::string, std::string> symbols_;
    // For each name that some source does not define: the last program that was refused because of it.
    std::map<std::string, std::shared_ptr<const NvrtcProgram>> refusals_;
    std::vector<LtoSource> lto_sources_;
    std::string log_;
};

}  // namespace

Image compile_linked(const NvrtcLibrary& library,
                     const NvJitLinkLibrary& linker,
                     const CompileJob& job,
                     const std::vector<std::string>& options) {
    LinkedSources sources(library, job, options);
    sources.compile_all();
    LinkedImage linked = link_images(linker, job, sources.lto_sources());
    Image image{.target = job.target,
                .symbol = job.symbol,
                .lowered_names = sources.lowered_names(),
                .sections = {},
                .log = sources.log() + linked.log};
    image.sections.push_back({ImageKind::cubin, std::move(linked.cubin)});
    image.sections.push_back({ImageKind::ptx, std::move(linked.ptx)});
    return image;
}

}  // namespace kgen
