// SPDX-License-Identifier: MIT
#include "cli/expression_run.hpp"

#include <fmt/format.h>

#include <cctype>
#include <kgen/compute.hpp>
#include <kgen/parse_expression.hpp>
#include <string_view>
#include <utility>

#include "cli/kernel_arguments.hpp"
#include "cli/output_place.hpp"

namespace kgen::cli {

namespace {

using Variables = std::vector<std::pair<std::string, Argument>>;

bool has_word(std::string_view text, std::string_view word) {
    const auto is_letter = [&](std::size_t at) {
        return at < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
    }
    return false;
}

// The variables are the parameters in the order of the command line. The only output has the name that --out gives.
Parameters parameters_of(const KernelOptions& options, const std::string& output) {
    Parameters parameters{
        .kernel = "expression", .names = {}, .input_count = options.arguments.size()};
    for (const std::string& text : options.arguments) {
        parameters.names.push_back(parse_argument(text).name);
        if (has_word(*options.expression, parameters.names.back())) continue;
        throw UsageError(fmt::format("'{}' is not a variable of the expression {}",
                                     parameters.names.back(),
                                     *options.expression));
    }
    parameters.names.push_back(output);
    return parameters;
}

Variables load_variables(const KernelOptions& options,
                         const Parameters& parameters,
                         Use use,
                         Device device) {
    const auto ordered = order_arguments(parameters, options.arguments, use);
    const auto arguments = load_arguments(parameters, ordered, options.dtypes, use, device);
    Variables variables;
    for (std::size_t k = 0; k < arguments.size(); ++k)
        variables.emplace_back(parameters.names[k], arguments[k]);
    return variables;
}

}  // namespace

ExitStatus run_expression(const RunOptions& options) {
    check_expression(options.kernel);
    const std::string output =
        options.outputs.empty() ? "result" : parse_assignment("--out", options.outputs[0]).first;
    const Parameters parameters = parameters_of(options.kernel, output);
    const auto places = read_output_places(parameters, options.outputs);
    if (const auto device = options.common.chosen_device()) set_current_device(*device);
    const Device device = current_device();
    const Variables variables = load_variables(options.kernel, parameters, Use::run, device);
    Array result;
    Timing timing;
    const auto compute = [&] { result = parse_expression(*options.kernel.expression, variables); };
    timing.first_ms = time_call(compute, device);
    if (options.time) time_later_calls(timing, compute, device);
    write_run({.kernel = parameters.kernel,
               .device = device,
               .places = places,
               .outputs = {result},
               .timing = options.time ? std::optional(timing) : std::nullopt},
              options.common);
    return ExitStatus::done;
}

std::vector<Explanation> explain_expression(const KernelOptions& options,
                                            Device device,
                                            const TargetOptions& target) {
    check_expression(options);
    const Parameters parameters = parameters_of(options, "result");
    const Variables variables = load_variables(options, parameters, Use::describe, device);
    return explain(parse_expression(*options.expression, variables), target);
}

}  // namespace kgen::cli
