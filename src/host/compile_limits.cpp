// SPDX-License-Identifier: MIT
#include "host/compile_limits.hpp"

#include <fmt/format.h>

#include <charconv>
#include <kgen/error.hpp>
#include <limits>
#include <optional>
#include <string_view>

#include "text/environment.hpp"

namespace kgen {
namespace {

constexpr std::chrono::seconds default_time{600};
constexpr std::chrono::seconds longest_time{86400};

// Of address space, as Linux has no limit of the memory that is used. With g++ 12 the largest of 225 kernels
// of the library takes 96 MiB, a source with <regex>, <ranges> and <map> 255 (clang 14: 318), one with the
// largest headers of libcu++ 223. A compiler that was built with AddressSanitizer reserves terabytes and
// needs "unlimited".
constexpr const char* default_memory = "2 GiB";

// With less than 40 MiB g++ is killed before it can say anything.
constexpr std::uint64_t least_memory_bytes = std::uint64_t{64} << 20;

// The whole number at the front of the text, which is removed.
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

// "1073741824", "512M", "2 GiB" as KGEN_CACHE_MAX_SIZE takes them. Nothing for 0.
std::optional<std::uint64_t> read_bytes(std::string_view text) {
    constexpr std::string_view units = "KMGT";
    const std::optional<std::uint64_t> number = take_number(text);
    if (!number || *number == 0) return std::nullopt;
    if (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
    if (text.empty()) return number;
    const std::size_t unit = units.find(text.front());
    text.remove_prefix(1);
    if (unit == std::string_view::npos || (!text.empty() && text != "iB")) return std::nullopt;
    const std::size_t shift = 10 * (unit + 1);
    if (*number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
    return *number << shift;
}

std::chrono::seconds read_time() {
    const std::optional<std::string> text = environment("KGEN_COMPILE_TIMEOUT");
    if (!text) return default_time;
    std::string_view rest = *text;
    const std::optional<std::uint64_t> seconds = take_number(rest);
    if (!seconds || !rest.empty() || *seconds < 1 ||
        *seconds > static_cast<std::uint64_t>(longest_time.count())) {
        throw DeviceError(
            fmt::format("KGEN_COMPILE_TIMEOUT: got '{}', expected a whole number of seconds from 1 "
                        "to {}",
                        *text,
                        longest_time.count()));
    }
    return std::chrono::seconds(*seconds);
}

void read_memory(CompileLimits& limits) {
    limits.memory = environment("KGEN_COMPILE_MEMORY").value_or(default_memory);
    if (limits.memory == "unlimited") return;
    const std::optional<std::uint64_t> bytes = read_bytes(limits.memory);
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
    limits.time = read_time();
    read_memory(limits);
    return limits;
}

std::vector<std::string> wrong_compile_limits() {
    std::vector<std::string> problems;
    const auto note = [&](auto read) {
        try {
            read();
        } catch (const DeviceError& error) {
            problems.emplace_back(error.what());
        }
    };
    note([] { static_cast<void>(read_time()); });
    note([] {
        CompileLimits limits;
        read_memory(limits);
    });
    return problems;
}

}  // namespace kgen
