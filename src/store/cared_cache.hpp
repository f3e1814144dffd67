// SPDX-License-Identifier: MIT
//
// CaredCache: an open cache directory that is verified to be kgen's, for the functions of <kgen/cache.hpp>.
#pragma once

#include <optional>
#include <string>

#include "file_descriptor.hpp"
#include "store_settings.hpp"

namespace kgen {

struct CaredCache {
    std::string path;
    cache::TrustMode trust = cache::TrustMode::owner;
    cache::FileDescriptor directory;  // not open if there is no cache yet

    bool is_empty() const noexcept { return !directory.is_open(); }
    int root() const noexcept { return directory.get(); }
    std::string full_path(const std::string& below) const { return path + '/' + below; }
};

// Opens the cache in `directory`, or the cache of this process if `directory` is empty. Throws CacheError if
// the directory is not kgen's or not trusted, and IoError if it cannot be read.
CaredCache open_cared_cache(const std::string& directory);

// Throws IoError "'PATH' cannot be VERB: ..." unless the error is 0.
void throw_for(int error, const std::string& path, const char* verb);

}  // namespace kgen
