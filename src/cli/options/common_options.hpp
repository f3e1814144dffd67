// SPDX-License-Identifier: MIT
//
// The options that every command takes.
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

// For integer options: what is wrong with the text, else "".
std::string check_integer(const std::string& text);

}  // namespace kgen::cli
