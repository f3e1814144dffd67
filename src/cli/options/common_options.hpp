// SPDX-License-Identifier: MIT
//
// Options that every command has.
#pragma once

#include <CLI/CLI.hpp>
#include <kgen/device.hpp>
#include <optional>
#include <string>

namespace kgen::cli {

enum class Format { text, json };

struct CommonOptions {
    std::string device;  // as written; empty: not given
    bool json = false;

    Format format() const { return json ? Format::json : Format::text; }
    std::optional<Device> chosen_device() const;
};

void add_common_options(CLI::App& command, CommonOptions& options);

// Checks the value of an integer option. Returns the error message, or "".
std::string check_integer(const std::string& text);

}  // namespace kgen::cli
