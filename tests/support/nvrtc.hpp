// SPDX-License-Identifier: MIT
//
// The real NVRTC of this machine, and compile jobs for raw programs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/nvrtc/nvrtc_compiler.hpp"
#include "support/catch.hpp"

namespace kgen::test {

// Returns NVRTC, or warns and returns nullptr if it is not installed.
inline const NvrtcCompiler* real_nvrtc_compiler() {
    static const NvrtcCompiler compiler(NvrtcSearch::from_environment());
    if (compiler.location()) return &compiler;
    WARN("skipped: no NVRTC on this machine");
    return nullptr;
}

inline CompileJob raw_job(const std::string& kernel,
                          const std::string& source,
                          const std::vector<std::string>& names = {}) {
    return {.kernel = kernel,
            .source = source,
            .symbol = "",
            .options = {},
            .target = {DeviceKind::cuda, "sm_90"},
            .kind = SourceKind::raw,
            .name_expressions = names};
}

inline std::string section_text(const Image& image, ImageKind kind) {
    const ImageSection* section = image.find(kind);
    if (section == nullptr) return {};
    return {reinterpret_cast<const char*>(section->bytes.data()), section->bytes.size()};
}

inline bool has_text(const Image& image, ImageKind kind, std::string_view text) {
    return section_text(image, kind).find(text) != std::string::npos;
}

// Returns the include folders of NVRTC's toolkit, which CCCL needs. Warns and returns none if
// the toolkit has none.
inline std::vector<std::string> toolkit_includes(const NvrtcCompiler& compiler) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::canonical(compiler.location()->path).parent_path();
    for (const char* up : {"../include", "../../../include"}) {
        const fs::path include = (folder / up).lexically_normal();
        if (fs::exists(include / "cccl/cuda/std/complex")) return {include / "cccl", include};
        if (fs::exists(include / "cuda/std/complex")) return {include};
    }
    WARN("skipped: no CCCL beside NVRTC");
    return {};
}

}  // namespace kgen::test
