// SPDX-License-Identifier: MIT
//
// The devices that a test runs on: the host, and the first GPU if there is one.
#pragma once

#include <cstdlib>
#include <kgen/device.hpp>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace kgen::test {

inline bool has_gpu() {
    return device_count(DeviceKind::cuda) > 0;
}

// Warns if there is no GPU. Call it once in a test case. KGEN_TEST_DEVICES=cuda leaves out the
// host, for kernels that were precompiled for GPUs only.
inline std::vector<Device> present_devices() {
    const char* wanted = std::getenv("KGEN_TEST_DEVICES");
    if (wanted != nullptr && std::string_view(wanted) == "cuda") return {Device::cuda(0)};
    std::vector<Device> devices = {Device::host()};
    if (has_gpu()) {
        devices.push_back(Device::cuda(0));
    } else {
        WARN("SKIPPED: no CUDA device");
    }
    return devices;
}

}  // namespace kgen::test

namespace Catch {

template <>
struct StringMaker<kgen::Device> {
    static std::string convert(kgen::Device device) { return kgen::to_text(device); }
};

}  // namespace Catch
