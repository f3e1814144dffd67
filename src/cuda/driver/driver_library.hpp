// SPDX-License-Identifier: MIT
//
// The CUDA driver, libcuda.so.1, opened at run time and initialised. Each way in which it may be
// missing or unusable has a message of its own.
#pragma once

#include <string>
#include <string_view>

#include "cuda/driver/driver_api.hpp"

namespace kgen {

class DriverLibrary {
public:
    // Opens the file, or libcuda.so.1 through the loader if `path` is empty; checks its version and
    // calls cuInit. Throws DeviceError. The library stays open to the end of the process.
    explicit DriverLibrary(const std::string& path);

    // The process's driver: KGEN_CUDA_PATH, else libcuda.so.1. Opened on the first call, and never
    // again: later calls throw the same DeviceError.
    static const DriverLibrary& get();

    const DriverApi& api() const noexcept { return api_; }
    // 12040 for 12.4.
    int version() const noexcept { return version_; }
    const std::string& path() const noexcept { return path_; }
    int device_count() const noexcept { return device_count_; }

    // "CUDA_ERROR_INVALID_VALUE (invalid argument)".
    std::string describe(CUresult result) const;
    // Throws DeviceError "<context>: <call> failed: <result>" unless `result` is success.
    void check(CUresult result, const char* call, std::string_view context) const {
        if (result != CUDA_SUCCESS) fail(result, call, context);
    }
    [[noreturn]] void fail(CUresult result, const char* call, std::string_view context) const;

private:
    DriverApi api_;
    std::string path_;
    int version_ = 0;
    int device_count_ = 0;
    int process_ = 0;  // the process that initialised the driver
};

// "12.4" for 12040.
std::string cuda_version_text(int version);

}  // namespace kgen
