// SPDX-License-Identifier: MIT
#include "device/registry.hpp"

#include "host/compile/host_compiler.hpp"
#include "host/host_backend.hpp"

#ifdef KGEN_HAS_CUDA
#include "cuda/driver/cuda_devices.hpp"
#else
#include "cuda/nvrtc/nvrtc_options.hpp"
#endif

#include <kgen/error.hpp>
#include <utility>

namespace kgen {

#ifndef KGEN_HAS_CUDA
namespace {

constexpr const char* without_cuda =
    "kgen was built without CUDA: no CUDA headers were found when it was configured";

// Stands for NVRTC if kgen was built without CUDA. Its options can be resolved all the same, so `kgen source`
// and `kgen explain` work for CUDA.
class AbsentNvrtc final : public Compiler {
public:
    const Producer& producer() const override { throw DeviceError(without_cuda); }
    std::vector<std::string> resolve_options(const CompileJob& job) const override {
        return resolve_nvrtc_options(job);
    }
    Image compile(const CompileJob&) const override { throw DeviceError(without_cuda); }
};

constexpr int cuda_device_count() noexcept {
    return 0;
}

const Backend& cuda_backend(int) {
    throw DeviceError(without_cuda);
}

const Compiler& nvrtc_compiler() {
    static const AbsentNvrtc absent;
    return absent;
}

std::vector<Finding> inspect_cuda() {
    return {
        {.subject = "CUDA",
         .found = false,
         .detail = without_cuda,
         .remedy = "install the CUDA toolkit 12.4 or newer, set CUDA_PATH, and build kgen again"}};
}

}  // namespace
#endif

int device_count(DeviceKind kind) noexcept {
    return kind == DeviceKind::host ? 1 : cuda_device_count();
}

const Backend& backend(Device device) {
    return device.kind() == DeviceKind::host ? host_backend() : cuda_backend(device.ordinal());
}

const Compiler& compiler(DeviceKind kind) {
    return kind == DeviceKind::host ? host_compiler() : nvrtc_compiler();
}

Target default_target(DeviceKind kind) {
    if (device_count(kind) > 0) return backend(traits(kind).device(0)).target();
    return {.kind = kind, .arch = std::string(traits(kind).default_arch)};
}

std::vector<Finding> inspect_devices() {
    std::vector<Finding> findings = inspect_cuda();
    for (Finding& finding : inspect_host()) findings.push_back(std::move(finding));
    return findings;
}

}  // namespace kgen
