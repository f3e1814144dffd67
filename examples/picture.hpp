// SPDX-License-Identifier: MIT
//
// Reads and writes pictures as uint8 arrays of shape (height, width, 3) in colour or (height, width) in grey.
#pragma once

#include <fmt/format.h>
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <kgen/kgen.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

inline kgen::Array read_picture(const std::string& path) {
    int width = 0;
    int height = 0;
    int channels = 0;
    const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
        stbi_load(path.c_str(), &width, &height, &channels, 3), stbi_image_free);
    if (!pixels) throw std::runtime_error(fmt::format("{}: {}", path, stbi_failure_reason()));
    return kgen::from_host(pixels.get(), kgen::uint8, {height, width, 3});
}

inline void write_picture(const std::string& path, const kgen::Array& picture) {
    const auto pixels = picture.to_vector<std::uint8_t>();
    const int height = static_cast<int>(picture.shape()[0]);
    const int width = static_cast<int>(picture.shape()[1]);
    const int channels = picture.rank() == 3 ? 3 : 1;
    if (stbi_write_png(path.c_str(), width, height, channels, pixels.data(), width * channels) == 0)
        throw std::runtime_error(path + ": cannot be written");
    fmt::print("wrote {}\n", path);
}

// Runs a program whose arguments are `usage`, as in "PHOTOGRAPH FOLDER". Prints what it throws, and returns its status.
inline int run_program(const std::string& usage,
                       int argc,
                       char** argv,
                       const std::function<void(const std::vector<std::string>&)>& program) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto words = 1 + static_cast<std::size_t>(std::count(usage.begin(), usage.end(), ' '));
    if (arguments.size() != words) {
        fmt::print(stderr, "usage: {} {}\n", argv[0], usage);
        return 2;
    }
    try {
        program(arguments);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
