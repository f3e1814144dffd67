// SPDX-License-Identifier: MIT
//
// NvrtcLibrary: NVRTC, opened at run time from a given file. It stays open until the end of the process.
#pragma once

#include <nvrtc.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kgen {

#define KGEN_NVRTC_ENTRIES(entry)                                                                  \
    entry(get_version, nvrtcVersion) entry(get_error_string, nvrtcGetErrorString)                  \
        entry(create_program, nvrtcCreateProgram) entry(destroy_program, nvrtcDestroyProgram)      \
            entry(add_name_expression, nvrtcAddNameExpression) entry(                              \
                compile_program, nvrtcCompileProgram) entry(get_lowered_name, nvrtcGetLoweredName) \
                entry(get_ptx_size, nvrtcGetPTXSize) entry(get_ptx, nvrtcGetPTX)                   \
                    entry(get_cubin_size, nvrtcGetCUBINSize) entry(get_cubin, nvrtcGetCUBIN)       \
                        entry(get_lto_ir_size, nvrtcGetLTOIRSize) entry(get_lto_ir, nvrtcGetLTOIR) \
                            entry(get_log_size, nvrtcGetProgramLogSize)                            \
                                entry(get_log, nvrtcGetProgramLog)                                 \
                                    entry(get_supported_arch_count, nvrtcGetNumSupportedArchs)     \
                                        entry(get_supported_archs, nvrtcGetSupportedArchs)

struct NvrtcApi {
#define KGEN_DECLARE(member, function) decltype(&::function) member = nullptr;
    KGEN_NVRTC_ENTRIES(KGEN_DECLARE)
#undef KGEN_DECLARE
};

class NvrtcLibrary {
public:
    // Throws DeviceError if the file does not open, is not NVRTC, or has a version other than 12.4 to 13.x.
    explicit NvrtcLibrary(const std::string& path);

    const NvrtcApi& api() const noexcept { return api_; }
    const std::string& path() const noexcept { return path_; }
    int major() const noexcept { return major_; }
    int minor() const noexcept { return minor_; }
    bool is_at_least(int major, int minor) const noexcept {
        return major_ > major || (major_ == major && minor_ >= minor);
    }
    std::string name() const;                          // "NVRTC 13.0"
    std::vector<std::string> supported_archs() const;  // "sm_90", without suffixes

    // Throws DeviceError "<subject>: <call> failed: <result>" unless `result` is success.
    void check(nvrtcResult result, const char* call, const std::string& subject) const;

private:
    NvrtcApi api_;
    std::string path_;
    int major_ = 0;
    int minor_ = 0;
};

// NvJitLinkLibrary: nvJitLink, opened at run time from a given file. It stays open until the end of the
// process.

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
