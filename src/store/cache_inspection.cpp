// SPDX-License-Identifier: MIT
//
// list_cache, list_pack and inspect_cache_entry: describe the contents of the cache.
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <kgen/cache.hpp>
#include <kgen/terminal_text.hpp>
#include <optional>
#include <string_view>

#include "digest.hpp"
#include "image/cubin_resources.hpp"
#include "image/image_entry.hpp"
#include "store/cache_entries.hpp"
#include "store/cared_cache.hpp"
#include "store_scan.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Returns the path with line breaks and control characters escaped, for a message.
std::string in_line(std::string_view path) {
    return terminal_text(path, LineBreaks::escaped);
}

constexpr std::size_t least_digits = 4;  // fewest digits of a request that select an entry

// Adds the sections, the metadata and the resources of its kernels to the description of an entry.
CacheEntryContents contents_of(CacheEntry info, cache::Entry entry) {
    CacheEntryContents contents;
    fill_in(info, entry);
    contents.entry = std::move(info);
    contents.producer_identity = std::move(entry.producer_identity);
    for (const cache::Section& section : entry.sections) {
        CacheSection& copy = contents.sections.emplace_back();
        copy.name = section_name(section.tag);
        copy.sha256 = cache::sha256(section.bytes).to_hex();
        copy.bytes = cache::as_text(section.bytes);
        for (const CubinKernel& kernel : cubin_resources(copy.bytes)) {
            if (!is_own_kernel(entry, kernel.symbol)) continue;
            contents.resources.push_back(
                {kernel.symbol, kernel.registers, kernel.shared_bytes, kernel.stack_bytes});
        }
    }
    contents.metadata = std::move(entry.metadata);
    return contents;
}

// Reads the entry file at `path`, which may lie outside of a cache.
CacheEntryContents inspect_file(const std::string& path) {
    std::error_code error;
    CacheEntry info;
    info.path = path;
    info.size_bytes = std::filesystem::file_size(path, error);
    if (error || !std::filesystem::is_regular_file(path, error)) {
        throw IoError(fmt::format("'{}' is not a file", in_line(path)));
    }
    constexpr std::uint64_t most =
        cache::max_payload_bytes + cache::max_metadata_bytes + (std::uint64_t{1} << 20);
    if (info.size_bytes > most)
        throw IoError(fmt::format("'{}' is not an entry: it is too large", in_line(path)));
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (!file) throw IoError(fmt::format("'{}' cannot be read", in_line(path)));
    cache::DecodeResult decoded = cache::decode_entry(cache::as_bytes(bytes));
    if (!decoded.entry) {
        throw IoError(
            fmt::format("'{}' is not a valid entry: {}", in_line(path), to_text(decoded.problem)));
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) info.used_s = status.st_mtim.tv_sec;
    return contents_of(std::move(info), std::move(*decoded.entry));
}

// The beginning of an entry's name: the first digits of its request, and of the digest of its producer.
struct EntryName {
    std::string request;
    std::string producer;
};

// Parses "0123" or "0123-89ab": the digits of the request, then of the producer. Returns nothing for other
// texts.
std::optional<EntryName> parse_name(const std::string& text) {
    const std::size_t dash = std::min(text.find('-'), text.size());
    EntryName name{text.substr(0, dash), text.substr(std::min(dash + 1, text.size()))};
    const bool is_name = name.request.size() >= least_digits && name.request.size() <= 64 &&
                         name.producer.size() <= 16 && cache::is_hex(name.request) &&
                         cache::is_hex(name.producer);
    if (!is_name) return std::nullopt;
    return name;
}

// Reads the only entry of the cache whose name begins with `name`. Throws CacheError if none or several do.
CacheEntryContents inspect_named(const EntryName& name, const std::string& directory) {
    const CaredCache cared = open_cared_cache(directory);
    const std::vector<EntryPlace> found = find_entries(cared, name.request, name.producer);
    if (found.empty()) {
        throw CacheError(fmt::format(
            "no entry in '{}' has a request that begins with '{}'", cared.path, name.request));
    }
    if (found.size() > 1) {
        throw CacheError(
            fmt::format("{} entries in '{}' have a request that begins with '{}'\n"
                        "name one by its request and producer: '{}' or '{}'",
                        found.size(),
                        cared.path,
                        name.request,
                        found[0].name,
                        found[1].name));
    }
    std::optional<cache::Entry> entry;
    if (found[0].number) {
        CacheEntry info = read_packed_entry(cared, found[0], entry.emplace());
        return contents_of(std::move(info), std::move(*entry));
    }
    CacheEntry info = describe_entry(cared, found[0].file, &entry);
    if (!entry)
        throw IoError(
            fmt::format("'{}' is not a valid entry: {}", in_line(info.path), info.problem));
    return contents_of(std::move(info), std::move(*entry));
}

}  // namespace

std::vector<CacheEntry> list_cache(const std::string& directory) try {
    const CaredCache cared = open_cared_cache(directory);
    std::vector<CacheEntry> entries;
    if (cared.is_empty()) return entries;
    const cache::StoreScan scan = cache::scan_entries(cared.root());
    throw_for(scan.error, cared.path, "read");
    for (const cache::StoredFile& file : scan.files) {
        if (file.kind == cache::FileKind::entry) {
            entries.push_back(describe_entry(cared, file));
        } else if (file.kind == cache::FileKind::pack) {
            const cache::OpenedPack pack =
                open_pack(cared.root(), file.path, cared.trust, cache::KeepFile::yes);
            for (CacheEntry& entry : describe_pack(pack, cared.full_path(file.path))) {
                entries.push_back(std::move(entry));
            }
        }
    }
    return entries;
} catch (...) {
    rethrow_as_error();
}

std::vector<CacheEntry> list_pack(const std::string& file) try {
    std::error_code error;
    const std::string path = std::filesystem::canonical(file, error);
    if (error || !std::filesystem::is_regular_file(path, error)) {
        throw IoError(fmt::format("'{}' is not a file", in_line(file)));
    }
    const cache::OpenedPack pack =
        cache::open_pack(AT_FDCWD, path, cache::TrustMode::any, cache::KeepFile::yes);
    if (pack.reader == nullptr) {
        throw IoError(fmt::format("'{}' is not a valid pack: {}", in_line(file), pack.detail));
    }
    return describe_pack(pack, file);
} catch (...) {
    rethrow_as_error();
}

CacheEntryContents inspect_cache_entry(const std::string& file_or_request,
                                       const std::string& directory) try {
    std::error_code ignored;
    if (std::filesystem::exists(file_or_request, ignored)) return inspect_file(file_or_request);
    if (const auto name = parse_name(file_or_request)) return inspect_named(*name, directory);
    throw CacheError(
        fmt::format("'{}' is neither a file nor the first {} or more hexadecimal "
                    "digits of a request",
                    file_or_request,
                    least_digits));
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
