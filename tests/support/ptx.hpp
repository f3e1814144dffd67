// SPDX-License-Identifier: MIT
//
// Compiles a source to PTX with NVRTC and returns the text. Needs no GPU.
#pragma once

#include <regex>
#include <string>

#include "support/catch.hpp"
#include "support/cuda_source.hpp"

namespace kgen::test {

inline std::string ptx_of(const std::string& kernel,
                          const std::string& source,
                          const std::string& symbol) {
    const Image image = nvrtc_image({.kernel = kernel,
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
