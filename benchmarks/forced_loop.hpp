// SPDX-License-Identifier: MIT
//
// ForcedLoop: names the loop of kernels that are made while it lives, as the user does by KGEN_LOOP.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace kgen::bench {

class ForcedLoop {
public:
    // An empty name leaves the choice to the plan.
    explicit ForcedLoop(const std::string& name) {
        if (const char* given = std::getenv(variable)) before_ = given;
        set(name);
    }
    ~ForcedLoop() { set(before_.value_or("")); }
    ForcedLoop(const ForcedLoop&) = delete;
    ForcedLoop& operator=(const ForcedLoop&) = delete;

private:
    static constexpr const char* variable = "KGEN_LOOP";

    static void set(const std::string& name) {
        if (name.empty()) ::unsetenv(variable);
        if (!name.empty()) ::setenv(variable, name.c_str(), 1);
    }

    std::optional<std::string> before_;
};

}  // namespace kgen::bench
