// SPDX-License-Identifier: MIT
//
// export_cache writes the entries of a cache to a pack. import_packs adds packs to a cache.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <kgen/pack.hpp>
#include <optional>

#include "files/absolute_path.hpp"
#include "image/process_store.hpp"
#include "pack_format.hpp"
#include "pack_reader.hpp"
#include "store.hpp"
#include "store_care.hpp"
#include "store_root.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

cache::StoreSettings settings_of(const std::string& directory) {
    cache::StoreSettings settings = process_store_settings();
    if (directory.empty()) return settings;
    settings.root = absolute_path(directory).lexically_normal().string();
    if (settings.mode == cache::StoreMode::off) settings.mode = cache::StoreMode::read_write;
    return settings;
}

bool is_wanted(const cache::Entry& entry, const ExportOptions& options) {
    const std::string_view target = entry.value("target").value_or("");
    const auto& archs = options.archs;
    return (archs.empty() || std::find(archs.begin(), archs.end(), target) != archs.end()) &&
           entry.request.to_hex().starts_with(options.request);
}

// Removes the metadata that differs between two compiles of the same kernel.
void drop_circumstances(cache::Entry& entry) {
    std::erase_if(entry.metadata, [](const auto& pair) { return pair.first == "compile_ms"; });
}

std::uint64_t entry_count(std::span<const std::byte> pack) {
    return cache::PackReader::open(pack).reader->index().size();
}

}  // namespace

ExportSummary export_cache(const std::string& path, const ExportOptions& options) try {
    const cache::StoreSettings settings = settings_of(options.directory);
    if (settings.mode == cache::StoreMode::off) {
        throw Error("there is no cache to export; kgen doctor prints the reason");
    }
    cache::RootResult root = open_root(settings.root, settings.trust, cache::CreateRoot::no);
    if (!root.directory.is_open() && !root.absent) {
        throw Error(fmt::format("the cache cannot be used: {}", root.problem));
    }
    cache::CollectedEntries found;
    if (root.directory.is_open()) {
        found = collect_entries(root.directory.get(), settings.trust, [&](const auto& entry) {
            return is_wanted(entry, options);
        });
    }
    if (found.error != 0) {
        throw IoError(
            fmt::format("{}: cannot be read: {}", settings.root, cache::error_text(found.error)));
    }
    if (found.entries.empty()) {
        throw Error(fmt::format("the cache in {} has no matching entries", settings.root));
    }
    ExportSummary summary{.entries = found.entries.size(), .unusable = found.unusable};
    for (cache::Entry& entry : found.entries) drop_circumstances(entry);
    const std::vector<std::byte> pack = cache::encode_pack(std::move(found.entries));
    summary.size_bytes = pack.size();
    write_pack_file(path, pack);
    return summary;
} catch (...) {
    rethrow_as_error();
}

std::vector<ImportedPack> import_packs(const std::vector<std::string>& files,
                                       const std::string& directory) try {
    std::vector<std::vector<std::byte>> packs;
    for (const std::string& file : files) packs.push_back(read_pack_file(file));
    std::optional<cache::Store> other;
    if (!directory.empty()) other.emplace(settings_of(directory));
    cache::Store& store = other ? *other : process_store();
    std::vector<ImportedPack> imported;
    for (std::size_t k = 0; k < packs.size(); ++k) {
        cache::PutPackResult put = store.put_pack(packs[k]);
        if (put.path.empty()) {
            throw IoError(
                fmt::format("{}: cannot be stored in the cache: {}", files[k], put.problem));
        }
        imported.push_back({files[k], std::move(put.path), entry_count(packs[k]), packs[k].size()});
    }
    return imported;
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
