// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/link_images.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <kgen/error.hpp>
#include <memory>
#include <string_view>
#include <utility>

#include "cuda/driver/unique_handle.hpp"
#include "cuda/nvrtc/nvjitlink_options.hpp"

namespace kgen {

namespace {

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

}  // namespace

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

}  // namespace kgen
