// SPDX-License-Identifier: MIT
//
// NvJitLinkLibrary: nvJitLink, opened at run time from a given file. It stays open until the end of the
// process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kgen {

// The functions of nvJitLink.h, declared here because kgen is built without that header. Every library since
// 12.4 exports them under names without a version, with the same meaning.
struct NvJitLinkApi {
    int (*version)(unsigned* major, unsigned* minor) = nullptr;
    int (*create)(void** handle, std::uint32_t option_count, const char** options) = nullptr;
    int (*destroy)(void** handle) = nullptr;
    int (*add_data)(void* handle, int kind, const void* data, std::size_t size, const char* name) =
        nullptr;
    int (*complete)(void* handle) = nullptr;
    int (*get_cubin_size)(void* handle, std::size_t* size) = nullptr;
    int (*get_cubin)(void* handle, void* cubin) = nullptr;
    int (*get_ptx_size)(void* handle, std::size_t* size) = nullptr;
    int (*get_ptx)(void* handle, char* ptx) = nullptr;
    int (*get_error_log_size)(void* handle, std::size_t* size) = nullptr;
    int (*get_error_log)(void* handle, char* log) = nullptr;
    int (*get_info_log_size)(void* handle, std::size_t* size) = nullptr;
    int (*get_info_log)(void* handle, char* log) = nullptr;
};

class NvJitLinkLibrary {
public:
    // Throws DeviceError if the file does not open, is not nvJitLink, or cannot read NVRTC's output because
    // its major version differs from NVRTC's or it is older than NVRTC.
    NvJitLinkLibrary(const std::string& path, int nvrtc_major, int nvrtc_minor);

    const NvJitLinkApi& api() const noexcept { return api_; }
    const std::string& path() const noexcept { return path_; }
    std::string name() const;  // "nvJitLink 13.0"
    // Returns true if it accepts -no-cache. Since 12.8 nvJitLink has its own cache, which kgen turns off.
    bool takes_no_cache() const noexcept { return major_ > 12 || minor_ >= 8; }

private:
    NvJitLinkApi api_;
    std::string path_;
    unsigned major_ = 0;
    unsigned minor_ = 0;
};

}  // namespace kgen
