// SPDX-License-Identifier: MIT
//
// absolute_path: a path that does not depend on the working directory.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <kgen/error.hpp>
#include <string>
#include <system_error>

namespace kgen {

// Throws IoError if the path is relative and the working directory was removed.
inline std::filesystem::path absolute_path(const std::string& path) {
    std::error_code error;
    std::filesystem::path absolute = std::filesystem::absolute(path, error);
    if (error) {
        throw IoError(
            fmt::format("'{}' is relative to the working directory, which cannot be found: {}",
                        path,
                        error.message()));
    }
    return absolute;
}

}  // namespace kgen
