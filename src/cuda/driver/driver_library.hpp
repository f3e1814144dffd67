// SPDX-License-Identifier: MIT
//
// DriverLibrary: the CUDA driver, libcuda.so.1, opened at run time and initialised. Each reason why it can be
// missing or unusable has its own error message.
#pragma once

#include <string>
#include <string_view>

#include "cuda/driver/driver_api.hpp"

namespace kgen {

class DriverLibrary {
public:
    // Opens the driver library at `path`, or libcuda.so.1 through the dynamic loader if `path` is empty, and
    // calls cuInit. Throws DeviceError if the file cannot be opened, or if it is not a CUDA driver, is older
    // than CUDA 12.4, does not start, or finds no GPU. The library stays open until the end of the process.
    explicit DriverLibrary(const std::string& path);

    // Returns the driver of the process: the file in KGEN_CUDA_PATH if it is set, else libcuda.so.1. The
    // first call opens it. If that fails, later calls throw the same DeviceError without another attempt.
    static const DriverLibrary& get();

    const DriverApi& api() const noexcept { return api_; }
    // Newest CUDA version that the driver supports: 12040 for 12.4.
    int version() const noexcept { return version_; }
    const std::string& path() const noexcept { return path_; }
    int device_count() const noexcept { return device_count_; }

    // Returns for example "CUDA_ERROR_INVALID_VALUE (invalid argument)".
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

// Returns "12.4" for 12040.
std::string cuda_version_text(int version);

}  // namespace kgen
