// SPDX-License-Identifier: MIT
//
// Finds the template that a command names: by its name, its file, or both.
#pragma once

#include <CLI/CLI.hpp>
#include <kgen/kernel_template.hpp>
#include <optional>
#include <string>

namespace kgen::cli {

// Adds --template FILE.
void add_template_file(CLI::App& command, std::optional<std::string>& file);

// Returns the template of this name, from the file if one is given. If the name is empty, the file's only
// template.
KernelTemplate find_template(const std::optional<std::string>& file, const std::string& name);

}  // namespace kgen::cli
