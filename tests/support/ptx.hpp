// SPDX-License-Identifier: MIT
//
// Compiles a source to PTX with NVRTC and returns the text. Needs no GPU.
#pragma once

#include <kgen/error.hpp>
#include <regex>
#include <string>

#include "device/compiler.hpp"
#include "device/registry.hpp"
#include "support/catch.hpp"

namespace kgen::test {

// Returns the compiler, or warns and returns nullptr if NVRTC is not installed.
inline const Compiler* nvrtc() {
    try {
        const Compiler& found = compiler(DeviceKind::cuda);
        static_cast<void>(found.producer());
        return &found;
    } catch (const DeviceError& error) {
        WARN("SKIPPED, no NVRTC: " << error.what());
        return nullptr;
    }
}

inline std::string ptx_of(const Compiler& compiler,
                          const std::string& kernel,
                          const std::string& source,
                          const std::string& symbol) {
    const Image image = compiler.compile({.kernel = kernel,
                                          .source = source,
                                          .symbol = symbol,
                                          .options = {},
                                          .target = {DeviceKind::cuda, "sm_90"}});
    const ImageSection* section = image.find(ImageKind::ptx);
    REQUIRE(section != nullptr);
    REQUIRE(image.find(ImageKind::cubin) != nullptr);
    return {reinterpret_cast<const char*>(section->bytes.data()), section->bytes.size()};
}

inline std::size_t count(const std::string& text, const std::string& pattern) {
    const std::regex expression(pattern);
    return static_cast<std::size_t>(std::distance(
        std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()));
}

}  // namespace kgen::test
