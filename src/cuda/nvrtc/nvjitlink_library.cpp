// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/nvjitlink_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <kgen/error.hpp>
#include <type_traits>

#include "text/log.hpp"
#include "text/milliseconds_since.hpp"

namespace kgen {

NvJitLinkLibrary::NvJitLinkLibrary(const std::string& path, int nvrtc_major, int nvrtc_minor)
    : path_(path) {
    const auto start = std::chrono::steady_clock::now();
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* reason = ::dlerror();
        throw DeviceError(fmt::format("nvJitLink '{}' cannot be opened: {}",
                                      path,
                                      reason != nullptr ? reason : "unknown reason"));
    }
    const auto bind = [&](auto& member, const char* name) {
        member =
            reinterpret_cast<std::remove_reference_t<decltype(member)>>(::dlsym(library, name));
        if (member == nullptr) {
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
