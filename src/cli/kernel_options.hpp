// SPDX-License-Identifier: MIT
//
// The options by which run, source and explain are told a kernel and its call.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <kgen/elementwise_kernel.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kgen::cli {

struct KernelOptions {
    std::vector<std::string> elementwise;  // inputs, outputs, body
    std::string name = "kernel";
    std::string preamble;
    std::string loop_prep;
    std::string after_loop;
    std::vector<std::string> compiler_options;
    bool keep_axes = false;
    std::optional<std::int64_t> size;
    std::optional<int> block_size;
    std::vector<std::string> dtypes;     // NAME=DTYPE, of files
    std::vector<std::string> arguments;  // NAME=VALUE
};

void add_kernel_options(CLI::App& command, KernelOptions& options);

// Throws SignatureError.
ElementwiseKernel make_kernel(const KernelOptions& options);

CallOptions make_call_options(const KernelOptions& options, std::optional<Device> device);

}  // namespace kgen::cli
