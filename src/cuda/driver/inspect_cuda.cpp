// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/error.hpp>

#include "cuda/driver/cuda_devices.hpp"
#include "cuda/driver/driver_library.hpp"
#include "cuda/nvrtc/nvrtc_compiler.hpp"

namespace kgen {

namespace {

// Splits a message of the form "what is wrong; the remedy" at its last "; ".
Finding absence(std::string subject, const std::string& message) {
    const std::size_t cut = message.rfind("; ");
    if (cut == std::string::npos) {
        return {.subject = std::move(subject), .found = false, .detail = message, .remedy = ""};
    }
    return {.subject = std::move(subject),
            .found = false,
            .detail = message.substr(0, cut),
            .remedy = message.substr(cut + 2)};
}

void inspect_driver(std::vector<Finding>& findings) {
    try {
        const DriverLibrary& driver = DriverLibrary::get();
        findings.push_back(
            {.subject = "CUDA driver",
             .found = true,
             .detail =
                 fmt::format("for CUDA {}, {}", cuda_version_text(driver.version()), driver.path()),
             .remedy = ""});
    } catch (const Error& error) {
        findings.push_back(absence("CUDA driver", error.what()));
        return;
    }
    for (int ordinal = 0; ordinal < cuda_device_count(); ++ordinal) {
        const std::string subject = fmt::format("GPU {}", to_text(Device::cuda(ordinal)));
        try {
            findings.push_back({.subject = subject,
                                .found = true,
                                .detail = cuda_backend(ordinal).description(),
                                .remedy = ""});
        } catch (const Error& error) {
            findings.push_back(absence(subject, error.what()));
        }
    }
}

// nvJitLink is optional, because only modules of several sources need it.
void inspect_linker(std::vector<Finding>& findings) {
    constexpr const char* subject = "nvJitLink (optional)";
    try {
        const auto& compiler = static_cast<const NvrtcCompiler&>(nvrtc_compiler());
        const NvJitLinkLibrary& library = compiler.linker();
        const std::string& build_id = compiler.linker_location()->build_id;
        findings.push_back({.subject = subject,
                            .found = true,
                            .detail = fmt::format(
                                "{}, {} (build-id {})",
                                library.name(),
                                library.path(),
                                build_id.empty() ? "missing: its images are not stored" : build_id),
                            .remedy = ""});
    } catch (const Error& error) {
        findings.push_back(absence(subject, error.what()));
    }
}

void inspect_nvrtc(std::vector<Finding>& findings) {
    // The library is opened too, because a file that can be identified may still fail to load.
    try {
        const auto& compiler = static_cast<const NvrtcCompiler&>(nvrtc_compiler());
        const NvrtcLibrary& library = compiler.library();
        const NvrtcLocation& location = *compiler.location();
        const std::string described = fmt::format(
            "{}, {} (build-id {})",
            library.name(),
            location.path,
            location.build_id.empty() ? "missing: its images are not stored" : location.build_id);
        if (location.builtins_path.empty()) {
            findings.push_back(
                {.subject = "NVRTC",
                 .found = false,
                 .detail = fmt::format("{}, but libnvrtc-builtins.so.{}.{} is not in its folder",
                                       described,
                                       library.major(),
                                       library.minor()),
                 .remedy = "install the whole package of NVRTC again"});
            return;
        }
        findings.push_back({.subject = "NVRTC", .found = true, .detail = described, .remedy = ""});
    } catch (const Error& error) {
        findings.push_back(absence("NVRTC", error.what()));
        return;
    }
    inspect_linker(findings);
}

}  // namespace

std::vector<Finding> inspect_cuda() {
    std::vector<Finding> findings;
    inspect_driver(findings);
    inspect_nvrtc(findings);
    return findings;
}

}  // namespace kgen
