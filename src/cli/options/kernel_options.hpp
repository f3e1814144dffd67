// SPDX-License-Identifier: MIT
//
// Options that define a kernel and its call for run, source and explain.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <kgen/kernel_template.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/kernel_arguments.hpp"

namespace kgen::cli {

struct KernelOptions {
    std::vector<std::string> elementwise;  // inputs, outputs, body
    std::vector<std::string> reduce;       // inputs, outputs, map, reduce, post_map, identity
    std::optional<std::string> expression;
    std::optional<std::string> template_file;
    std::optional<std::string> name;
    std::string preamble;
    std::optional<std::string> loop_prep;
    std::optional<std::string> after_loop;
    std::optional<std::string> reduce_type;
    std::optional<std::string> accuracy;
    std::optional<std::string> axes;  // "0,1"
    bool keepdims = false;
    std::vector<std::string> compiler_options;
    bool keep_axes = false;
    std::optional<std::int64_t> size;
    std::optional<int> block_size;
    std::vector<std::string> dtypes;     // NAME=DTYPE
    std::vector<std::string> arguments;  // NAME=VALUE, and the name of a template

    bool has_strings() const { return !elementwise.empty() || !reduce.empty() || expression; }
};

// Adds an option with a text, which may be empty. By itself, CLI11 would treat an empty text as a missing
// one.
CLI::Option* add_text(CLI::App& command,
                      const std::string& name,
                      std::optional<std::string>& place,
                      const std::string& description);

// Adds --template FILE.
void add_template_file(CLI::App& command, std::optional<std::string>& file);

// Returns the template of this name, from the file if one is given. If the name is empty, the file's only
// template.
KernelTemplate find_template(const std::optional<std::string>& file, const std::string& name);

void add_kernel_options(CLI::App& command, KernelOptions& options);

// Throws UsageError if an argument such as x=A.npy was read as the value of the option, because the value
// was forgotten. `name` is the value's name in the help.
void refuse_argument(std::string_view option, std::string_view name, const std::string& text);

// Throws UsageError if no kernel or two are given, or options of another kind of kernel; SignatureError;
// IoError.
GeneratedKernel make_kernel(const KernelOptions& options);

// Throws UsageError if options of kernels are given beside an expression.
void check_expression(const KernelOptions& options);

// Returns the arguments without the template's name.
std::vector<std::string> call_arguments(const KernelOptions& options);

CallOptions make_call_options(const KernelOptions& options, std::optional<Device> device);

}  // namespace kgen::cli
