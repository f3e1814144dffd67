// SPDX-License-Identifier: MIT
#include "host/kernel/mapping_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "file_descriptor.hpp"

namespace kgen {
namespace {

// One mapping in 16 is left for the program, its threads and the C library.
constexpr std::size_t reserved_share = 16;

// Calls `take` for each part of the file. Returns false if the file cannot be read.
template <typename Take>
bool read_file(const char* path, Take take) {
    const cache::FileDescriptor file = cache::open_to_read(path);
    std::array<char, 16384> buffer;
    const auto bytes = std::as_writable_bytes(std::span(buffer));
    int error = 0;
    std::size_t got = 0;
    std::uint64_t at = 0;
    do {
        got = cache::read_range(file.get(), at, bytes, error);
        take(buffer.data(), buffer.data() + got);
        at += got;
    } while (got != 0);
    return error == 0;
}

}  // namespace

std::string find_mapping_shortage(std::size_t loaded_objects) {
    std::size_t limit = 0;
    std::size_t used = 0;
    const bool is_known = read_file("/proc/sys/vm/max_map_count",
                                    [&](const char* begin, const char* end) {
                                        std::from_chars(begin, end, limit);
                                    }) &&
                          read_file("/proc/self/maps", [&](const char* begin, const char* end) {
                              used += static_cast<std::size_t>(std::count(begin, end, '\n'));
                          });
    if (!is_known || used < limit - limit / reserved_share) return {};
    return fmt::format(
        "{} kernels and modules are loaded, and the process has {} of the {} memory mappings that "
        "vm.max_map_count allows; destroy kernel objects that are not needed any more, or raise "
        "the "
        "limit with 'sysctl -w vm.max_map_count={}'",
        loaded_objects,
        used,
        limit,
        2 * limit);
}

}  // namespace kgen
