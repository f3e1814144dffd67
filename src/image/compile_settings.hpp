// SPDX-License-Identifier: MIT
//
// Whether and how much this process compiles, read from the environment:
//
//     KGEN_COMPILE  auto (default), or never: a cache miss is an error at once
//     KGEN_JOBS     how many compiles run at once (default: the number of processors, at most 8)
//
// A value that is not valid leaves the default and adds a warning.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

enum class CompileMode : std::uint8_t { automatic, never };

std::string_view to_text(CompileMode mode) noexcept;  // "auto" or "never"

struct CompileSettings {
    CompileMode mode = CompileMode::automatic;
    int jobs = 1;
    // For each setting that is not at its default, the variable that set it.
    std::map<std::string, std::string> sources;
    // A sentence for each value that is not valid.
    std::vector<std::string> warnings;
};

// `variable` returns the value of an environment variable.
CompileSettings resolve_compile_settings(
    const std::function<std::optional<std::string>(const char* name)>& variable, int processors);

// The settings of this process, read once. The first call logs the warnings.
const CompileSettings& compile_settings();

CompileMode compile_mode();

// Sets another mode for all threads while it exists. For tests.
class CompileModeScope {
public:
    explicit CompileModeScope(CompileMode mode);
    ~CompileModeScope();
    CompileModeScope(const CompileModeScope&) = delete;
    CompileModeScope& operator=(const CompileModeScope&) = delete;
};

}  // namespace kgen
