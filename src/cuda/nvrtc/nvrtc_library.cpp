// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/nvrtc_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <kgen/error.hpp>
#include <type_traits>

#include "text/log.hpp"

namespace kgen {

NvrtcLibrary::NvrtcLibrary(const std::string& path) : path_(path) {
    const auto start = std::chrono::steady_clock::now();
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* reason = ::dlerror();
        throw DeviceError(fmt::format("NVRTC '{}' cannot be opened: {}",
                                      path,
                                      reason != nullptr ? reason : "unknown reason"));
    }
    const auto bind = [&](auto& member, const char* name) {
        member =
            reinterpret_cast<std::remove_reference_t<decltype(member)>>(::dlsym(library, name));
        if (member == nullptr) {
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
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    log().debug("opened {}, {}, in {:.1f} ms", name(), path_, spent.count());
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

}  // namespace kgen
