// SPDX-License-Identifier: MIT
#include "cuda/driver/loader_cache.hpp"

#include <cstdint>
#include <cstring>

#include "file_descriptor.hpp"

namespace kgen {

namespace {

// The file format, as in glibc's <dl-cache.h>. Offsets of strings count from the first byte of the header.
struct CacheHeader {
    char magic[20];  // "glibc-ld.so.cache1.1"
    std::uint32_t entry_count;
    std::uint32_t string_bytes;
    std::uint32_t reserved[5];
};
struct CacheEntry {
    std::int32_t flags;
    std::uint32_t name;
    std::uint32_t path;
    std::uint32_t os_version;
    std::uint64_t hardware;
};
static_assert(sizeof(CacheHeader) == 48 && sizeof(CacheEntry) == 24);

constexpr std::string_view magic = "glibc-ld.so.cache1.1";

// Returns the NUL-terminated text at an offset; empty if it is not inside the cache.
std::string_view text_at(std::string_view cache, std::size_t offset) {
    if (offset >= cache.size()) return {};
    const std::string_view rest = cache.substr(offset);
    const std::size_t end = rest.find('\0');
    return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

}  // namespace

std::vector<std::string> find_in_loader_cache(std::string_view cache, std::string_view name) {
    std::vector<std::string> paths;
    // ldconfig before glibc 2.32 put a table in the old format before the header.
    const std::size_t start = cache.find(magic);
    if (start == std::string_view::npos) return paths;
    cache.remove_prefix(start);
    CacheHeader header;
    if (cache.size() < sizeof header) return paths;
    std::memcpy(&header, cache.data(), sizeof header);
    if (header.entry_count > (cache.size() - sizeof header) / sizeof(CacheEntry)) return paths;
    for (std::size_t index = 0; index < header.entry_count; ++index) {
        CacheEntry entry;
        std::memcpy(&entry, cache.data() + sizeof header + index * sizeof entry, sizeof entry);
        // Names are compared in place, because most differ in their first bytes.
        if (entry.name >= cache.size() || cache.size() - entry.name <= name.size() ||
            std::memcmp(cache.data() + entry.name, name.data(), name.size()) != 0 ||
            cache[entry.name + name.size()] != '\0') {
            continue;
        }
        const std::string_view path = text_at(cache, entry.path);
        if (!path.empty()) paths.emplace_back(path);
    }
    return paths;
}

std::string read_loader_cache() {
    std::string bytes;
    cache::read_to_end(cache::open_to_read("/etc/ld.so.cache").get(), bytes);
    return bytes;
}

}  // namespace kgen
