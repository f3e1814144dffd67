// SPDX-License-Identifier: MIT
//
// NvrtcCompiler: the Compiler that uses NVRTC. It compiles CUDA C++ to a cubin for exactly the target, and to
// PTX. If a job has several sources, nvJitLink links them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cuda/nvrtc/nvrtc_library.hpp"
#include "cuda/nvrtc/nvrtc_location.hpp"
#include "device/compiler.hpp"

namespace kgen {

class NvrtcCompiler : public Compiler {
public:
    explicit NvrtcCompiler(NvrtcSearch search) : search_(std::move(search)) {}

    // Finds and identifies NVRTC's files without opening NVRTC. Throws DeviceError if there is no NVRTC. The
    // identity is empty if a file has no build-id; images of such a compiler cannot be stored.
    const Producer& producer() const override;
    // Identifies NVRTC together with nvJitLink. Also throws DeviceError if there is no nvJitLink.
    const Producer& linking_producer() const override;
    const std::vector<std::string>& toolkit_include_directories() const override;
    std::vector<std::string> supported_archs() const override;
    std::vector<std::string> older_archs(const std::string& arch) const override;
    std::vector<std::string> resolve_options(const CompileJob& job) const override;
    // The first call opens NVRTC. The first call with several sources also opens nvJitLink.
    Image compile(const CompileJob& job) const override;

    // Returns the location of NVRTC, or nothing if it is not found. Thread-safe. A found location is kept. If
    // NVRTC is not found, the next call looks again, because it may have been installed or become readable.
    const std::optional<NvrtcLocation>& location() const;
    const NvrtcLibrary& library() const;
    const std::optional<NvJitLinkLocation>& linker_location() const;
    const NvJitLinkLibrary& linker() const;

private:
    NvrtcSearch search_;
    mutable std::mutex mutex_;  // guards the locations and directories until they are found
    mutable std::optional<NvrtcLocation> location_;
    mutable Producer producer_;
    mutable std::vector<std::string> toolkit_include_directories_;
    mutable std::once_flag opened_;
    mutable std::unique_ptr<const NvrtcLibrary> library_;
    mutable std::optional<NvJitLinkLocation> linker_location_;
    mutable Producer linking_producer_;
    mutable std::once_flag linker_opened_;
    mutable std::unique_ptr<const NvJitLinkLibrary> linker_;
};

}  // namespace kgen
