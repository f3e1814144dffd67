// SPDX-License-Identifier: MIT
#include "store/cared_cache.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <kgen/cache.hpp>

#include "files/absolute_path.hpp"
#include "image/process_store.hpp"
#include "store_root.hpp"
#include "store_scan.hpp"

namespace kgen {

namespace {

std::string path_of(const std::string& directory, const cache::StoreSettings& settings) {
    if (!directory.empty()) return absolute_path(directory).lexically_normal().string();
    if (settings.root.empty()) {
        throw CacheError("there is no cache directory; kgen doctor prints the reason");
    }
    return settings.root;
}

}  // namespace

CaredCache open_cared_cache(const std::string& directory) {
    const cache::StoreSettings settings = process_store_settings();
    CaredCache cared;
    cared.path = path_of(directory, settings);
    cared.trust = settings.trust;
    cache::RootResult root = cache::open_root(cared.path, cared.trust, cache::CreateRoot::no);
    if (root.absent) return cared;
    if (!root.directory.is_open()) {
        if (root.transient) throw IoError(root.problem);
        throw CacheError(root.problem);
    }
    const cache::TagResult tag = cache::look_for_tag(root.directory.get());
    throw_for(tag.error, cared.path, "read");
    if (tag.owner == cache::TagOwner::nobody_yet) return cared;
    if (tag.owner == cache::TagOwner::not_kgen) {
        throw CacheError(fmt::format("'{}' is not a cache of kgen: it has no {} of kgen",
                                     cared.path,
                                     cache::directory_tag_name));
    }
    cared.directory = std::move(root.directory);
    return cared;
}

void throw_for(int error, const std::string& path, const char* verb) {
    if (error == 0) return;
    throw IoError(fmt::format("'{}' cannot be {}: {}", path, verb, cache::error_text(error)));
}

}  // namespace kgen
