// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/nvrtc_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <kgen/error.hpp>

#include "text/log.hpp"
#include "text/milliseconds_since.hpp"

namespace kgen {

namespace {

void* open_library(const char* what, const std::string& path) {
    if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const char* reason = ::dlerror();
    throw DeviceError(fmt::format(
        "{} '{}' cannot be opened: {}", what, path, reason != nullptr ? reason : "unknown reason"));
}

template <typename Function>
bool find_function(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

}  // namespace

NvrtcLibrary::NvrtcLibrary(const std::string& path) : path_(path) {
    const auto start = std::chrono::steady_clock::now();
    void* library = open_library("NVRTC", path);
    const auto bind = [&](auto& member, const char* name) {
        if (!find_function(library, name, member)) {
            throw DeviceError(
                fmt::format("'{}' is not NVRTC 12.4 or newer: it has no {}; set KGEN_NVRTC_PATH to "
                            "the file of libnvrtc.so.13",
                            path,
                            name));
        }
    };
#define KGEN_BIND(member, function) bind(api_.member, #function);
    KGEN_NVRTC_ENTRIES(KGEN_BIND)
#undef KGEN_BIND

    check(api_.get_version(&major_, &minor_), "nvrtcVersion", fmt::format("NVRTC '{}'", path));
    if (!is_at_least(12, 4) || major_ > 13) {
        throw DeviceError(
            fmt::format("NVRTC of the wrong version: got {}.{} in '{}', expected 12.4 to "
                        "13; set KGEN_NVRTC_PATH to the file of libnvrtc.so.13",
                        major_,
                        minor_,
                        path));
    }
    log().debug("opened {}, {}, in {:.1f} ms", name(), path_, milliseconds_since(start));
}

std::string NvrtcLibrary::name() const {
    return fmt::format("NVRTC {}.{}", major_, minor_);
}

std::vector<std::string> NvrtcLibrary::supported_archs() const {
    int count = 0;
    if (api_.get_supported_arch_count(&count) != NVRTC_SUCCESS || count <= 0) return {};
    std::vector<int> numbers(static_cast<std::size_t>(count));
    if (api_.get_supported_archs(numbers.data()) != NVRTC_SUCCESS) return {};
    std::vector<std::string> archs;
    for (const int number : numbers) archs.push_back(fmt::format("sm_{}", number));
    return archs;
}

void NvrtcLibrary::check(nvrtcResult result, const char* call, const std::string& subject) const {
    if (result == NVRTC_SUCCESS) return;
    throw DeviceError(
        fmt::format("{}: {} failed: {}", subject, call, api_.get_error_string(result)),
        call,
        result);
}

NvJitLinkLibrary::NvJitLinkLibrary(const std::string& path, int nvrtc_major, int nvrtc_minor)
    : path_(path) {
    const auto start = std::chrono::steady_clock::now();
    void* library = open_library("nvJitLink", path);
    const auto bind = [&](auto& member, const char* name) {
        if (!find_function(library, name, member)) {
            throw DeviceError(
                fmt::format("'{}' is not nvJitLink 12.4 or newer: it has no {}", path, name));
        }
    };
    bind(api_.version, "nvJitLinkVersion");
    bind(api_.create, "nvJitLinkCreate");
    bind(api_.destroy, "nvJitLinkDestroy");
    bind(api_.add_data, "nvJitLinkAddData");
    bind(api_.complete, "nvJitLinkComplete");
    bind(api_.get_cubin_size, "nvJitLinkGetLinkedCubinSize");
    bind(api_.get_cubin, "nvJitLinkGetLinkedCubin");
    bind(api_.get_ptx_size, "nvJitLinkGetLinkedPtxSize");
    bind(api_.get_ptx, "nvJitLinkGetLinkedPtx");
    bind(api_.get_error_log_size, "nvJitLinkGetErrorLogSize");
    bind(api_.get_error_log, "nvJitLinkGetErrorLog");
    bind(api_.get_info_log_size, "nvJitLinkGetInfoLogSize");
    bind(api_.get_info_log, "nvJitLinkGetInfoLog");

    const int result = api_.version(&major_, &minor_);
    if (result != 0) {
        throw DeviceError(fmt::format("nvJitLink '{}': nvJitLinkVersion failed: {}", path, result),
                          "nvJitLinkVersion",
                          result);
    }
    if (static_cast<int>(major_) != nvrtc_major || static_cast<int>(minor_) < nvrtc_minor) {
        throw DeviceError(
            fmt::format("nvJitLink of the wrong version: got {}.{} in '{}', expected {}.{} or a "
                        "newer {}.x, which fits NVRTC; install both from one toolkit",
                        major_,
                        minor_,
                        path,
                        nvrtc_major,
                        nvrtc_minor,
                        nvrtc_major));
    }
    log().debug("opened {}, {}, in {:.1f} ms", name(), path_, milliseconds_since(start));
}

std::string NvJitLinkLibrary::name() const {
    return fmt::format("nvJitLink {}.{}", major_, minor_);
}

}  // namespace kgen
