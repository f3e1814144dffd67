// SPDX-License-Identifier: MIT
//
// NVRTC as a Compiler: CUDA C++ to a cubin for exactly the target, with the PTX beside it. Several
// sources are linked by nvJitLink.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cuda/nvrtc/nvjitlink_library.hpp"
#include "cuda/nvrtc/nvjitlink_location.hpp"
#include "cuda/nvrtc/nvrtc_library.hpp"
#include "cuda/nvrtc/nvrtc_location.hpp"
#include "device/compiler.hpp"

namespace kgen {

class NvrtcCompiler : public Compiler {
public:
    explicit NvrtcCompiler(NvrtcSearch search) : search_(std::move(search)) {}

    // Looks at the files alone. An identity is empty if a build-id is missing: such images cannot
    // be stored.
    const Producer& producer() const override;
    // Throws DeviceError if there is no nvJitLink, too.
    const Producer& linking_producer() const override;
    const std::vector<std::string>& toolkit_include_directories() const override;
    std::vector<std::string> supported_archs() const override;
    std::vector<std::string> resolve_options(const CompileJob& job) const override;
    // Opens NVRTC on the first call, and nvJitLink on the first of several sources.
    Image compile(const CompileJob& job) const override;

    // Where it is, or nothing. Thread safe. Kept when it is found; what is absent is looked for again, since
    // it may be installed later, or files could not be opened.
    const std::optional<NvrtcLocation>& location() const;
    const NvrtcLibrary& library() const;
    const std::optional<NvJitLinkLocation>& linker_location() const;
    const NvJitLinkLibrary& linker() const;

private:
    NvrtcSearch search_;
    mutable std::mutex mutex_;  // guards what is not found yet
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
