// SPDX-License-Identifier: MIT
#include "cuda/driver/cuda_devices.hpp"

#include <fmt/format.h>

#include <deque>
#include <kgen/error.hpp>
#include <mutex>

#include "cuda/cuda_backend.hpp"
#include "cuda/driver/driver_library.hpp"
#include "cuda/nvrtc/nvrtc_compiler.hpp"
#include "device/stay_loaded.hpp"

namespace kgen {

int cuda_device_count() noexcept {
    try {
        return DriverLibrary::get().device_count();
    } catch (...) {
        return 0;
    }
}

const Backend& cuda_backend(int ordinal) {
    struct Slot {
        std::once_flag once;
        const CudaBackend* backend = nullptr;
    };
    const DriverLibrary& driver = DriverLibrary::get();
    static auto* slots = new std::deque<Slot>(static_cast<std::size_t>(driver.device_count()));
    if (ordinal < 0 || ordinal >= driver.device_count()) {
        static_cast<void>(CudaBackend(driver, ordinal));  // throws an error that lists the devices
    }
    Slot& slot = (*slots)[static_cast<std::size_t>(ordinal)];
    std::call_once(slot.once, [&] {
        stay_loaded();
        slot.backend = new CudaBackend(driver, ordinal);
    });
    return *slot.backend;
}

const Compiler& nvrtc_compiler() {
    static const auto* compiler = new NvrtcCompiler(NvrtcSearch::from_environment());
    return *compiler;
}

namespace {

// Returns what `look` finds. If it throws an error "what is wrong; the remedy", splits the message at its
// last "; ".
template <typename Look>
Finding finding(const std::string& subject, Look look) {
    try {
        return {.subject = subject, .found = true, .detail = look()};
    } catch (const Error& error) {
        const std::string message = error.what();
        const std::size_t cut = message.rfind("; ");
        return {.subject = subject,
                .found = false,
                .detail = message.substr(0, cut),
                .remedy = cut == std::string::npos ? "" : message.substr(cut + 2)};
    }
}

std::string library_text(const std::string& name,
                         const std::string& path,
                         const std::string& build_id) {
    return fmt::format("{}, {} (build-id {})",
                       name,
                       path,
                       build_id.empty() ? "missing: its images are not stored" : build_id);
}

void inspect_driver(std::vector<Finding>& findings) {
    findings.push_back(finding("CUDA driver", [] {
        const DriverLibrary& driver = DriverLibrary::get();
        return fmt::format("for CUDA {}, {}", cuda_version_text(driver.version()), driver.path());
    }));
    for (int ordinal = 0; ordinal < cuda_device_count(); ++ordinal) {
        findings.push_back(finding(fmt::format("GPU {}", to_text(Device::cuda(ordinal))),
                                   [&] { return cuda_backend(ordinal).description(); }));
    }
}

void inspect_nvrtc(std::vector<Finding>& findings) {
    const auto& compiler = static_cast<const NvrtcCompiler&>(nvrtc_compiler());
    // The library is opened too, because a file that can be identified may still fail to load.
    Finding nvrtc = finding("NVRTC", [&] {
        const std::string name = compiler.library().name();
        return library_text(name, compiler.location()->path, compiler.location()->build_id);
    });
    if (nvrtc.found && compiler.location()->builtins_path.empty()) {
        nvrtc.found = false;
        nvrtc.detail += fmt::format(", but libnvrtc-builtins.so.{}.{} is not in its folder",
                                    compiler.library().major(),
                                    compiler.library().minor());
        nvrtc.remedy = "install the whole package of NVRTC again";
    }
    findings.push_back(nvrtc);
    if (!nvrtc.found) return;
    // nvJitLink is optional, because only modules of several sources need it.
    findings.push_back(finding("nvJitLink (optional)", [&] {
        const NvJitLinkLibrary& library = compiler.linker();
        return library_text(library.name(), library.path(), compiler.linker_location()->build_id);
    }));
}

}  // namespace

std::vector<Finding> inspect_cuda() {
    std::vector<Finding> findings;
    inspect_driver(findings);
    inspect_nvrtc(findings);
    return findings;
}

}  // namespace kgen
