// SPDX-License-Identifier: MIT
//
// Options that every command has.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <kgen/device.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgen::cli {

struct CommonOptions {
    std::string device;  // as written; empty: not given
    bool json = false;

    std::optional<Device> chosen_device() const;
};

void add_common_options(CLI::App& command, CommonOptions& options);

// Reads "4", "4,2" and so on. Returns nothing if the text is malformed.
template <typename Integer>
std::optional<std::vector<Integer>> read_integers(std::string_view text) {
    std::vector<Integer> values;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data();; ++at) {
        Integer value = 0;
        const auto [stop, error] = std::from_chars(at, end, value);
        if (error != std::errc()) return std::nullopt;
        values.push_back(value);
        if (stop == end) return values;
        if (*stop != ',') return std::nullopt;
        at = stop;
    }
}

// Checks the value of an integer option. Returns the error message, or "".
std::string check_integer(const std::string& text);

}  // namespace kgen::cli
