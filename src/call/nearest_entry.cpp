// SPDX-License-Identifier: MIT
#include "call/nearest_entry.hpp"

#include <exception>
#include <string_view>
#include <utility>

#include "entry_file.hpp"
#include "pack_file.hpp"
#include "store/cared_cache.hpp"
#include "store_scan.hpp"

namespace kgen {

namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

class NearestSearch {
public:
    NearestSearch(const std::string& kernel, const ImageRequest& request)
        : kernel_(kernel), request_(request) {}

    void look_at(const std::string& path, const Metadata& metadata) {
        if (value_of(metadata, "kernel") != kernel_) return;
        std::vector<std::string> differs;
        for (const cache::DigestPart& part : request_.parts) {
            if (value_of(metadata, "part." + part.name) != part.digest.short_hex())
                differs.push_back(part.name);
        }
        if (nearest_ && nearest_->differs.size() <= differs.size()) return;
        nearest_ = NearestEntry{path, std::move(differs)};
    }

    std::optional<NearestEntry> take() {
        if (nearest_ && nearest_->differs.empty()) nearest_->differs.emplace_back("producer");
        return std::move(nearest_);
    }

private:
    static std::string_view value_of(const Metadata& metadata, std::string_view name) {
        for (const auto& [key, value] : metadata) {
            if (key == name) return value;
        }
        return {};
    }

    const std::string& kernel_;
    const ImageRequest& request_;
    std::optional<NearestEntry> nearest_;
};

void look_at_pack(const CaredCache& cared, const cache::StoredFile& file, NearestSearch& search) {
    const cache::OpenedPack pack =
        cache::open_pack(cared.root(), file.path, cared.trust, cache::KeepFile::yes);
    if (pack.reader == nullptr) return;
    std::vector<cache::PackListing> entries;
    pack.reader->list(entries);
    for (const cache::PackListing& entry : entries)
        search.look_at(cared.full_path(file.path), entry.metadata);
}

}  // namespace

std::optional<NearestEntry> find_nearest_entry(const std::string& kernel,
                                               const ImageRequest& request) noexcept {
    try {
        const CaredCache cared = open_cared_cache({});
        if (cared.is_empty()) return std::nullopt;
        NearestSearch search(kernel, request);
        for (const cache::StoredFile& file : cache::scan_entries(cared.root()).files) {
            if (file.kind == cache::FileKind::pack) look_at_pack(cared, file, search);
            if (file.kind != cache::FileKind::entry) continue;
            const std::optional<cache::Digest> named = cache::request_of_path(file.path);
            if (!named) continue;
            const cache::ReadResult read =
                cache::read_entry_file(cared.root(), file.path, *named, nullptr, cared.trust);
            if (read.entry) search.look_at(cared.full_path(file.path), read.entry->metadata);
        }
        return search.take();
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace kgen
