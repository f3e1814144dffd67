// SPDX-License-Identifier: MIT
#include "store/cache_entries.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "entry_file.hpp"

namespace kgen {

namespace {

// Returns "<64 hex>-<16 hex>".
std::string name_of(const cache::Digest& request, std::string_view producer) {
    return fmt::format("{}-{}", request.to_hex(), producer);
}

CacheEntry packed_entry(const cache::OpenedPack& pack,
                        const std::string& path,
                        std::size_t number) {
    CacheEntry info;
    info.path = path;
    info.is_packed = true;
    info.request = pack.reader->index().request(number).to_hex();
    info.used_s = pack.status.st_mtim.tv_sec;
    return info;
}

}  // namespace

void fill_in(CacheEntry& info, const cache::Entry& entry) {
    const auto value = [&](const char* name) {
        return std::string(entry.value(name).value_or(std::string_view{}));
    };
    info.request = entry.request.to_hex();
    info.kernel = value("kernel");
    info.symbol = value("symbol");
    info.target = value("target");
    info.producer = value("producer");
    info.kgen_version = value("kgen");
    info.dtypes = value("dtypes");
    info.layout = value("layout");
    info.created_s = entry.created_s;
}

CacheEntry describe_entry(const CaredCache& cared,
                          const cache::StoredFile& file,
                          std::optional<cache::Entry>* whole) {
    const cache::Digest request = cache::request_of_path(file.path).value();
    CacheEntry info;
    info.path = cared.full_path(file.path);
    info.request = request.to_hex();
    info.size_bytes = file.size_bytes();
    info.used_s = file.status.st_mtim.tv_sec;
    cache::ReadResult read =
        cache::read_entry_file(cared.root(), file.path, request, nullptr, cared.trust);
    if (read.entry) {
        fill_in(info, *read.entry);
        if (whole != nullptr) *whole = std::move(read.entry);
    } else {
        info.problem = read.detail.empty() ? std::string(to_text(read.reason)) : read.detail;
    }
    return info;
}

std::vector<CacheEntry> describe_pack(const cache::OpenedPack& pack, const std::string& path) {
    std::vector<CacheEntry> entries;
    if (pack.reader == nullptr) {
        CacheEntry& info = entries.emplace_back();
        info.path = path;
        info.is_packed = true;
        if (S_ISREG(pack.status.st_mode)) {
            info.size_bytes = static_cast<std::uint64_t>(pack.status.st_size);
        }
        info.used_s = pack.status.st_mtim.tv_sec;
        info.problem = pack.detail.empty() ? std::string(to_text(pack.reason)) : pack.detail;
        return entries;
    }
    const std::vector<std::uint64_t> shares = entry_shares(pack.reader->index());
    for (std::size_t k = 0; k < shares.size(); ++k) {
        CacheEntry& info = entries.emplace_back(packed_entry(pack, path, k));
        info.size_bytes = shares[k];
        cache::PackListing listing;
        const cache::PackProblem problem = pack.reader->describe(k, listing);
        if (problem == cache::PackProblem::none) {
            cache::Entry entry;
            entry.request = listing.request;
            entry.metadata = std::move(listing.metadata);
            fill_in(info, entry);
        } else {
            info.problem = to_text(problem);
        }
    }
    return entries;
}

std::vector<EntryPlace> find_entries(const CaredCache& cared,
                                     const std::string& request_start,
                                     const std::string& producer_start) {
    std::vector<EntryPlace> found;
    if (cared.is_empty()) return found;
    const cache::StoreScan scan = cache::scan_entries(cared.root());
    throw_for(scan.error, cared.path, "read");
    std::set<std::string> names;
    const auto take = [&](EntryPlace place) {
        const std::string_view producer = std::string_view(place.name).substr(65);
        if (place.name.starts_with(request_start) && producer.starts_with(producer_start) &&
            names.insert(place.name).second) {
            found.push_back(std::move(place));
        }
    };
    for (const cache::StoredFile& file : scan.files) {
        if (const auto request = cache::request_of_path(file.path)) {
            // "v1/ab/<62 hex>-<16 hex>.kgc"
            take({file, {}, name_of(*request, std::string_view(file.path).substr(69, 16))});
        } else if (file.kind == cache::FileKind::pack) {
            const cache::OpenedPack pack =
                open_pack(cared.root(), file.path, cared.trust, cache::KeepFile::no);
            const std::size_t count = pack.reader == nullptr ? 0 : pack.reader->index().size();
            for (std::size_t k = 0; k < count; ++k) {
                const cache::PackIndex& index = pack.reader->index();
                take({file, k, name_of(index.request(k), index.producer(k).short_hex())});
            }
        }
    }
    return found;
}

CacheEntry read_packed_entry(const CaredCache& cared,
                             const EntryPlace& place,
                             cache::Entry& whole) {
    const std::size_t number = place.number.value();
    const std::string path = cared.full_path(place.file.path);
    const cache::OpenedPack pack =
        open_pack(cared.root(), place.file.path, cared.trust, cache::KeepFile::yes);
    const std::size_t count = pack.reader == nullptr ? 0 : pack.reader->index().size();
    if (number >= count) throw IoError(fmt::format("'{}' changed while it was read", path));
    CacheEntry info = packed_entry(pack, path, number);
    info.size_bytes = entry_shares(pack.reader->index())[number];
    const cache::PackIndex& index = pack.reader->index();
    cache::PackFind read = pack.reader->find(index.request(number), index.producer(number));
    if (!read.entry) {
        throw IoError(fmt::format("'{}' has no valid entry of request {}: {}",
                                  path,
                                  info.request,
                                  to_text(read.problem)));
    }
    fill_in(info, *read.entry);
    whole = std::move(*read.entry);
    return info;
}

}  // namespace kgen
