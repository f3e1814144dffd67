// SPDX-License-Identifier: MIT
#include <algorithm>
#include <exception>
#include <kgen/explanation.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "entry_file.hpp"
#include "pack_file.hpp"
#include "store/cared_cache.hpp"
#include "store_scan.hpp"

namespace kgen {

namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

std::string_view value_of(const Metadata& metadata, std::string_view name) {
    for (const auto& [key, value] : metadata) {
        if (key == name) return value;
    }
    return {};
}

// Calls look_at(path, metadata) for each entry of the cache, in packs and in files.
template <typename LookAt>
void for_each_entry(const CaredCache& cared, const LookAt& look_at) {
    for (const cache::StoredFile& file : cache::scan_entries(cared.root()).files) {
        if (file.kind == cache::FileKind::pack) {
            const cache::OpenedPack pack =
                cache::open_pack(cared.root(), file.path, cared.trust, cache::KeepFile::yes);
            std::vector<cache::PackListing> entries;
            if (pack.reader != nullptr) pack.reader->list(entries);
            for (const cache::PackListing& entry : entries) look_at(file.path, entry.metadata);
        }
        if (file.kind != cache::FileKind::entry) continue;
        const std::optional<cache::Digest> named = cache::request_of_path(file.path);
        if (!named) continue;
        const cache::ReadResult read =
            cache::read_entry_file(cared.root(), file.path, *named, nullptr, cared.trust);
        if (read.entry) look_at(file.path, read.entry->metadata);
    }
}

}  // namespace

NearestEntry nearest_entry(const Explanation& explanation) noexcept {
    try {
        NearestEntry nearest;
        const CaredCache cared = open_cared_cache({});
        if (explanation.cached || cared.is_empty()) return nearest;
        for_each_entry(cared, [&](const std::string& path, const Metadata& metadata) {
            if (value_of(metadata, "kernel") != explanation.kernel) return;
            std::vector<std::string> differs;
            for (const auto& [name, digest] : explanation.request_parts) {
                if (value_of(metadata, "part." + name) != digest) differs.push_back(name);
            }
            if (!nearest.path.empty() && nearest.differs.size() <= differs.size()) return;
            nearest = {cared.full_path(path), std::move(differs)};
        });
        if (!nearest.path.empty() && nearest.differs.empty())
            nearest.differs.emplace_back("producer");
        return nearest;
    } catch (const std::exception&) {  // it is only for display
        return {};
    }
}

}  // namespace kgen
