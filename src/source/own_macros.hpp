// SPDX-License-Identifier: MIT
//
// OwnMacros: the macros of a user's options count from the user's text on, not in what kgen writes before
// it: -DT=float is usual.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "source/active_code.hpp"

namespace kgen {

class OwnMacros {
public:
    explicit OwnMacros(const std::vector<std::string>& options) {
        for (const MacroOption& macro : macro_options(options)) {
            if (macro.name.starts_with("KGEN_")) continue;  // they are for kgen
            if (std::find(names_.begin(), names_.end(), macro.name) == names_.end())
                names_.push_back(macro.name);
        }
    }
    std::string hidden() const {
        std::string text;
        for (const std::string& name : names_)
            text += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", name);
        return text;
    }
    std::string shown() const {
        std::string text;
        for (const std::string& name : names_)
            text += fmt::format("#pragma pop_macro(\"{}\")\n", name);
        return text;
    }

private:
    std::vector<std::string> names_;
};

}  // namespace kgen
