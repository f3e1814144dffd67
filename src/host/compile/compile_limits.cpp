// SPDX-License-Identifier: MIT
#include "host/compile/compile_limits.hpp"

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <utility>

#include "store_settings.hpp"
#include "text/environment.hpp"
#include "text/setting.hpp"

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

// Each function below returns what is wrong with a variable, whose default is then used; empty if nothing is.

std::string read_time(CompileLimits& limits) {
    const std::optional<std::string> text = environment("KGEN_COMPILE_TIMEOUT");
    limits.time = default_time;
    if (!text) return {};
    const std::optional<std::uint64_t> seconds = cache::read_count(*text);
    if (!seconds || *seconds > static_cast<std::uint64_t>(longest_time.count())) {
        return wrong_setting(
            "KGEN_COMPILE_TIMEOUT",
            *text,
            fmt::format("a whole number of seconds from 1 to {}", longest_time.count()),
            std::to_string(default_time.count()));
    }
    limits.time = std::chrono::seconds(*seconds);
    return {};
}

std::string read_memory(CompileLimits& limits) {
    limits.memory = default_memory;
    limits.memory_bytes = cache::read_size(default_memory).value_or(0);
    const std::optional<std::string> text = environment("KGEN_COMPILE_MEMORY");
    if (!text) return {};
    const bool is_unlimited = *text == "unlimited";
    const std::optional<std::uint64_t> bytes = cache::read_size(*text);
    if (!is_unlimited && (!bytes || *bytes < least_memory_bytes)) {
        return wrong_setting("KGEN_COMPILE_MEMORY",
                             *text,
                             "a number of bytes such as 512M or 2 GiB, at least 64M, or unlimited",
                             default_memory);
    }
    limits.memory = *text;
    limits.memory_bytes = is_unlimited ? 0 : *bytes;
    return {};
}

}  // namespace

CompileLimits read_compile_limits() {
    static std::atomic<bool> time_is_told = false;
    static std::atomic<bool> memory_is_told = false;
    CompileLimits limits;
    if (const std::string problem = read_time(limits); !problem.empty())
        warn_once(time_is_told, problem);
    if (const std::string problem = read_memory(limits); !problem.empty())
        warn_once(memory_is_told, problem);
    return limits;
}

std::vector<std::string> wrong_compile_limits() {
    std::vector<std::string> problems;
    CompileLimits limits;
    for (const auto read : {read_time, read_memory}) {
        std::string problem = read(limits);
        if (!problem.empty()) problems.push_back(std::move(problem));
    }
    return problems;
}

}  // namespace kgen
