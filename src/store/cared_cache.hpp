// SPDX-License-Identifier: MIT
//
// CaredCache: the directory that one of the functions of <kgen/cache.hpp> works on, opened and known to be
// kgen's.
#pragma once

#include <optional>
#include <string>

#include "file_descriptor.hpp"
#include "store_settings.hpp"

namespace kgen {

struct CaredCache {
    std::string path;
    cache::TrustMode trust = cache::TrustMode::owner;
    cache::FileDescriptor directory;  // not open: the cache is empty

    bool is_empty() const noexcept { return !directory.is_open(); }
    int root() const noexcept { return directory.get(); }
    std::string full_path(const std::string& below) const { return path + '/' + below; }
};

// `directory` empty: the one of this process. Throws CacheError if it is not kgen's or not to be trusted.
CaredCache open_cared_cache(const std::string& directory);

// Throws IoError "'PATH' cannot be VERB: ..." unless the error is 0.
void throw_for(int error, const std::string& path, const char* verb);

}  // namespace kgen
