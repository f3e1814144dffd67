// SPDX-License-Identifier: MIT
//
// CommandKernel: a kernel of either kind or a template, as the commands see it.
#pragma once

#include <kgen/elementwise_kernel.hpp>
#include <kgen/kernel_template.hpp>
#include <kgen/reduction_kernel.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kgen::cli {

// What a kernel says of its parameters: the inputs, then the outputs.
struct Parameters {
    std::string kernel;
    std::vector<std::string> names;
    std::size_t input_count = 0;
};

class CommandKernel {
public:
    CommandKernel(ElementwiseKernel kernel) : kernel_(std::move(kernel)) {}  // NOLINT
    CommandKernel(ReductionKernel kernel) : kernel_(std::move(kernel)) {}    // NOLINT
    CommandKernel(KernelTemplate kernel) : kernel_(std::move(kernel)) {}     // NOLINT

    Parameters parameters() const {
        return std::visit(
            [](const auto& kernel) {
                return Parameters{kernel.name(),
                                  kernel.parameter_names(),
                                  static_cast<std::size_t>(kernel.input_count())};
            },
            kernel_);
    }
    std::vector<Array> call(std::span<const Argument> arguments, const CallOptions& options) const {
        return std::visit([&](const auto& kernel) { return kernel.call(arguments, options); },
                          kernel_);
    }
    Explanation explain(std::span<const Argument> arguments,
                        const CallOptions& options,
                        const TargetOptions& target) const {
        return std::visit(
            [&](const auto& kernel) { return kernel.explain(arguments, options, target); },
            kernel_);
    }

private:
    std::variant<ElementwiseKernel, ReductionKernel, KernelTemplate> kernel_;
};

}  // namespace kgen::cli
