// SPDX-License-Identifier: MIT
//
// list_cache and inspect_cache_entry: what is in the cache.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <kgen/cache.hpp>
#include <set>

#include "api/cared_cache.hpp"
#include "entry_file.hpp"
#include "image/cubin_resources.hpp"
#include "image/image_entry.hpp"
#include "store_scan.hpp"

namespace kgen {

namespace {

constexpr std::size_t least_digits = 4;

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
    info.created_s = entry.created_s;
}

CacheEntryContents contents_of(CacheEntry info, cache::Entry entry) {
    CacheEntryContents contents;
    fill_in(info, entry);
    contents.entry = std::move(info);
    contents.producer_identity = std::move(entry.producer_identity);
    contents.metadata = std::move(entry.metadata);
    for (const cache::Section& section : entry.sections) {
        CacheSection& copy = contents.sections.emplace_back();
        copy.name = section_name(section.tag);
        copy.sha256 = cache::sha256(section.bytes).to_hex();
        copy.bytes = cache::as_text(section.bytes);
        for (const CubinKernel& kernel : cubin_resources(copy.bytes)) {
            contents.resources.push_back(
                {kernel.symbol, kernel.registers, kernel.shared_bytes, kernel.stack_bytes});
        }
    }
    return contents;
}

CacheEntryContents inspect_file(const std::string& path) {
    std::error_code error;
    CacheEntry info;
    info.path = path;
    info.size_bytes = std::filesystem::file_size(path, error);
    if (error || !std::filesystem::is_regular_file(path, error)) {
        throw IoError(fmt::format("'{}' is not a file", path));
    }
    constexpr std::uint64_t most =
        cache::max_payload_bytes + cache::max_metadata_bytes + (std::uint64_t{1} << 20);
    if (info.size_bytes > most)
        throw IoError(fmt::format("'{}' is no entry: it is too large", path));
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (!file) throw IoError(fmt::format("'{}' cannot be read", path));
    cache::DecodeResult decoded = cache::decode_entry(cache::as_bytes(bytes));
    if (!decoded.entry) {
        throw IoError(fmt::format("'{}' is no sound entry: {}", path, to_text(decoded.problem)));
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) info.used_s = status.st_mtim.tv_sec;
    return contents_of(std::move(info), std::move(*decoded.entry));
}

CacheEntry describe(const CaredCache& cared,
                    const cache::StoredFile& file,
                    const cache::Digest& request,
                    std::optional<cache::Entry>* whole = nullptr) {
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

bool is_request_start(const std::string& text) {
    return text.size() >= least_digits && text.size() <= 64 &&
           text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The entries whose request begins so.
std::vector<cache::StoredFile> entries_of(const CaredCache& cared, const std::string& start) {
    std::vector<cache::StoredFile> found;
    if (cared.is_empty()) return found;
    cache::StoreScan scan = cache::scan_entries(cared.root());
    throw_for(scan.error, cared.path, "read");
    for (cache::StoredFile& file : scan.files) {
        const auto request = cache::request_of_path(file.path);
        if (request && request->to_hex().starts_with(start)) found.push_back(std::move(file));
    }
    return found;
}

CacheEntryContents inspect_request(const std::string& start, const std::string& directory) {
    const CaredCache cared = open_cared_cache(directory);
    const std::vector<cache::StoredFile> found = entries_of(cared, start);
    if (found.empty()) {
        throw CacheError(
            fmt::format("no entry in '{}' has a request that begins with '{}'", cared.path, start));
    }
    if (found.size() > 1) {
        throw CacheError(
            fmt::format("{} entries in '{}' have a request that begins with '{}'; "
                        "name one by its file: '{}' or '{}'",
                        found.size(),
                        cared.path,
                        start,
                        cared.full_path(found[0].path),
                        cared.full_path(found[1].path)));
    }
    std::optional<cache::Entry> entry;
    CacheEntry info =
        describe(cared, found[0], cache::request_of_path(found[0].path).value(), &entry);
    if (!entry) throw IoError(fmt::format("'{}' is no sound entry: {}", info.path, info.problem));
    return contents_of(std::move(info), std::move(*entry));
}

}  // namespace

std::vector<CacheEntry> list_cache(const std::string& directory) {
    const CaredCache cared = open_cared_cache(directory);
    std::vector<CacheEntry> entries;
    for (const cache::StoredFile& file : entries_of(cared, "")) {
        entries.push_back(describe(cared, file, cache::request_of_path(file.path).value()));
    }
    return entries;
}

CacheEntryContents inspect_cache_entry(const std::string& file_or_request,
                                       const std::string& directory) {
    std::error_code ignored;
    if (is_request_start(file_or_request) && !std::filesystem::exists(file_or_request, ignored)) {
        return inspect_request(file_or_request, directory);
    }
    if (!std::filesystem::exists(file_or_request, ignored)) {
        throw CacheError(
            fmt::format("'{}' is neither a file nor the first {} or more hexadecimal "
                        "digits of a request",
                        file_or_request,
                        least_digits));
    }
    return inspect_file(file_or_request);
}

}  // namespace kgen
