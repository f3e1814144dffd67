// SPDX-License-Identifier: MIT
//
// Whether and how much this process compiles, from the environment:
//
//     KGEN_COMPILE  auto (default) | never: what is not in the cache is an error, at once
//     KGEN_JOBS     how many compiles run at once (the number of processors, 8 at most)
//
// Values are read strictly; for one that cannot be obeyed the default stays.
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

std::string_view to_text(CompileMode mode) noexcept;  // as in KGEN_COMPILE

struct CompileSettings {
    CompileMode mode = CompileMode::automatic;
    int jobs = 1;
    std::map<std::string, std::string> sources;  // who set what is not at its default
    std::vector<std::string> warnings;           // a sentence for each value that was not obeyed
};

// `variable` returns the value of an environment variable.
CompileSettings resolve_compile_settings(
    const std::function<std::optional<std::string>(const char* name)>& variable, int processors);

// Of this process, read once; the warnings went to the log then.
const CompileSettings& compile_settings();

CompileMode compile_mode();

// Another mode than that of the settings while it lives, for all threads: for tests.
class CompileModeScope {
public:
    explicit CompileModeScope(CompileMode mode);
    ~CompileModeScope();
    CompileModeScope(const CompileModeScope&) = delete;
    CompileModeScope& operator=(const CompileModeScope&) = delete;
};

}  // namespace kgen
