// SPDX-License-Identifier: MIT
//
// Which template the commands are told: by its name, by its file, or by both.
#pragma once

#include <CLI/CLI.hpp>
#include <kgen/kernel_template.hpp>
#include <optional>
#include <string>

namespace kgen::cli {

// --template FILE.
void add_template_file(CLI::App& command, std::optional<std::string>& file);

// The template of this name, in the file if there is one; its only one if the name is empty.
KernelTemplate find_template(const std::optional<std::string>& file, const std::string& name);

}  // namespace kgen::cli
