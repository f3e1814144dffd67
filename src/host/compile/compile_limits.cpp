// SPDX-License-Identifier: MIT
#include "host/compile/compile_limits.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>
#include <optional>

#include "store_settings.hpp"
#include "text/environment.hpp"

namespace kgen {
namespace {

constexpr std::chrono::seconds default_time{600};
constexpr std::chrono::seconds longest_time{86400};

// The limit is on address space because Linux has no limit on the memory in use. With g++ 12 the largest of
// 225 kernels of the library takes 96 MiB, a source with <regex>, <ranges> and <map> 255 MiB (clang 14: 318),
// and one with the largest headers of libcu++ 223 MiB. A compiler built with AddressSanitizer reserves
// terabytes and needs "unlimited".
constexpr const char* default_memory = "2 GiB";

// With less than 40 MiB, g++ is killed before it can report anything.
constexpr std::uint64_t least_memory_bytes = std::uint64_t{64} << 20;

void read_time(CompileLimits& limits) {
    const std::optional<std::string> text = environment("KGEN_COMPILE_TIMEOUT");
    limits.time = default_time;
    if (!text) return;
    const std::optional<std::uint64_t> seconds = cache::read_count(*text);
    if (!seconds || *seconds > static_cast<std::uint64_t>(longest_time.count())) {
        throw DeviceError(
            fmt::format("KGEN_COMPILE_TIMEOUT: got '{}', expected a whole number of seconds from 1 "
                        "to {}",
                        *text,
                        longest_time.count()));
    }
    limits.time = std::chrono::seconds(*seconds);
}

void read_memory(CompileLimits& limits) {
    limits.memory = environment("KGEN_COMPILE_MEMORY").value_or(default_memory);
    if (limits.memory == "unlimited") return;
    const std::optional<std::uint64_t> bytes = cache::read_size(limits.memory);
    if (!bytes || *bytes < least_memory_bytes) {
        throw DeviceError(
            fmt::format("KGEN_COMPILE_MEMORY: got '{}', expected a number of bytes such as '512M' "
                        "or '2 GiB', at least 64M, or 'unlimited'",
                        limits.memory));
    }
    limits.memory_bytes = *bytes;
}

}  // namespace

CompileLimits read_compile_limits() {
    CompileLimits limits;
    read_time(limits);
    read_memory(limits);
    return limits;
}

std::vector<std::string> wrong_compile_limits() {
    std::vector<std::string> problems;
    CompileLimits limits;
    for (const auto read : {read_time, read_memory}) {
        try {
            read(limits);
        } catch (const DeviceError& error) {
            problems.emplace_back(error.what());
        }
    }
    return problems;
}

}  // namespace kgen
