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
#include "cli/split_run.hpp"

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

std::vector<Argument> load_values(const KernelOptions& options,
                                  const Parameters& parameters,
                                  Use use,
                                  Device device) {
    const auto ordered = order_arguments(parameters, options.arguments, use);
    return load_arguments(parameters, ordered, options.dtypes, use, device);
}

Variables name_values(const Parameters& parameters, const std::vector<Argument>& values) {
    Variables variables;
    for (std::size_t k = 0; k < values.size(); ++k)
        variables.emplace_back(parameters.names[k], values[k]);
    return variables;
}

Outcome compute(const std::string& expression,
                const Variables& variables,
                Device device,
                bool time) {
    Outcome outcome;
    outcome.outputs.resize(1);
    const auto call = [&] { outcome.outputs[0] = parse_expression(expression, variables); };
    outcome.timing.first_ms = time_call(call, device);
    if (time) time_later_calls(outcome.timing, call, device);
    return outcome;
}

}  // namespace

ExitStatus run_expression(const RunOptions& options, const std::optional<Communicator>& ranks) {
    check_expression(options.kernel);
    const std::string output =
        options.outputs.empty() ? "result" : parse_assignment("--out", options.outputs[0]).first;
    const Parameters parameters = parameters_of(options.kernel, output);
    const auto places = read_output_places(parameters, options.outputs);
    if (const auto device = options.common.chosen_device()) set_current_device(*device);
    const Device device = ranks ? ranks->device(0) : current_device();
    const std::vector<Argument> values =
        load_values(options.kernel, parameters, Use::run, ranks ? Device::host() : device);
    const std::string& text = *options.kernel.expression;
    const Outcome outcome =
        ranks ? compute_split(text, parameters.names, values, *ranks, options.time)
              : compute(text, name_values(parameters, values), device, options.time);
    write_run({.kernel = parameters.kernel,
               .device = device,
               .places = places,
               .outputs = outcome.outputs,
               .timing = options.time ? std::optional(outcome.timing) : std::nullopt,
               .devices = devices_of(ranks)},
              options.common);
    return ExitStatus::done;
}

std::vector<Explanation> explain_expression(const KernelOptions& options,
                                            Device device,
                                            const TargetOptions& target) {
    check_expression(options);
    const Parameters parameters = parameters_of(options, "result");
    const Variables variables =
        name_values(parameters, load_values(options, parameters, Use::describe, device));
    return explain(parse_expression(*options.expression, variables), target);
}

}  // namespace kgen::cli
