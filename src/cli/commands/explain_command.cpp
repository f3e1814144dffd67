// SPDX-License-Identifier: MIT
//
// kgen explain: the result of each stage for a call. kgen source: the source that the compiler would get.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/expression_run.hpp"
#include "cli/options/common_options.hpp"
#include "cli/options/kernel_options.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

// The options of explain and source: a call that is described but not made.
struct ExplainOptions {
    CommonOptions common;
    KernelOptions kernel;
    std::string arch;
    bool brief = false;  // explain only
};

// Checks the value of --arch. Returns the error message, or "".
std::string check_arch(const std::string& text) {
    static const std::regex form("sm_[0-9]{2,3}[af]?");
    if (std::regex_match(text, form)) return "";
    return fmt::format("'{}' is not a GPU architecture: expected one such as sm_90 or sm_90a",
                       text);
}

// Returns the requested device. If an architecture is given, this must be a GPU.
Device wanted_device(const ExplainOptions& options) {
    const auto chosen = options.common.chosen_device();
    if (options.arch.empty()) return chosen ? *chosen : current_device();
    if (!chosen) return Device::cuda(0);
    if (*chosen != Device::host()) return *chosen;
    throw UsageError(
        fmt::format("--arch {} is for GPUs, but --device is {}", options.arch, to_text(*chosen)));
}

void add_explain_options(CLI::App& command, ExplainOptions& options) {
    add_kernel_options(command, options.kernel);
    command
        .add_option("--arch",
                    options.arch,
                    "the GPU architecture, sm_90 or sm_90a; the default is this machine's GPU")
        ->type_name("ARCH")
        ->check(check_arch);
    add_common_options(command, options.common);
    command.footer(
        "Arrays may be described instead of files: x=float32[2,5], x=float32[] (rank 0),\n"
        "x=float32[2,5]/strides=4,8 (in bytes). Nothing is compiled and no GPU is needed.");
}

// Returns an explanation of each kernel. Throws UsageError and what the kernel's explain() throws. The device need not
// exist.
std::vector<Explanation> explain_call(const ExplainOptions& options) {
    if (options.kernel.expression) {
        const Device device = wanted_device(options);
        TargetOptions target;
        target.device = device;
        if (!options.arch.empty()) target.arch = options.arch;
        return explain_expression(options.kernel, device, target);
    }
    const GeneratedKernel kernel = make_kernel(options.kernel);
    const Parameters parameters = parameters_of(kernel);
    const auto ordered = order_arguments(parameters, call_arguments(options.kernel), Use::describe);
    const Device device = wanted_device(options);
    const auto arguments =
        load_arguments(parameters, ordered, options.kernel.dtypes, Use::describe, device);
    TargetOptions target;
    target.device = device;
    if (!options.arch.empty()) target.arch = options.arch;
    return {kernel.explain(arguments, make_call_options(options.kernel, device), target)};
}

std::string cache_text(const Explanation& explanation, const NearestEntry& nearest) {
    if (explanation.cached) return "hit: " + explanation.cache_entry;
    if (explanation.cache_entry.empty()) return "off; see kgen doctor";
    std::string text = fmt::format(
        "miss: {}; {} would be written", explanation.miss_reason, explanation.cache_entry);
    if (!nearest.path.empty()) {
        text += fmt::format(
            "\nnearest: {}\ndiffers in: {}", nearest.path, fmt::join(nearest.differs, ", "));
    }
    return text;
}

std::string explanation_text(const Explanation& explanation, const NearestEntry& nearest) {
    std::string text = labelled("signature", 10, explanation.signature);
    text += labelled("types", 10, explanation.types);
    text += labelled("plan", 10, explanation.plan);
    text += labelled("symbol", 10, explanation.symbol);
    text += labelled("target", 10, explanation.target);
    text += labelled("options", 10, fmt::format("{}", fmt::join(explanation.options, " ")));
    std::string request = explanation.request;
    for (const auto& [name, digest] : explanation.request_parts) {
        request += fmt::format("\n{} {}", digest, name);
    }
    text += labelled("request", 10, request);
    text += labelled("producer", 10, explanation.producer);
    return text + labelled("cache", 10, cache_text(explanation, nearest));
}

nlohmann::ordered_json explanation_json(const Explanation& explanation,
                                        const NearestEntry& nearest) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::array();
    for (const auto& [name, digest] : explanation.request_parts) {
        parts.push_back({{"name", name}, {"digest", digest}});
    }
    return {{"schema", 1},
            {"signature", explanation.signature},
            {"types", explanation.types},
            {"plan", explanation.plan},
            {"loops", explanation.loops},
            {"symbol", explanation.symbol},
            {"target", explanation.target},
            {"options", explanation.options},
            {"request", explanation.request},
            {"request_parts", parts},
            {"producer", explanation.producer},
            {"cached", explanation.cached},
            {"cache_entry", explanation.cache_entry},
            {"miss_reason", explanation.miss_reason},
            {"nearest_entry", nearest.path},
            {"nearest_differs", nearest.differs}};
}

// Writes one object and one text for each kernel. Several objects are the list "kernels" of another, and each says which
// part of the statement its kernel computes. `statement` is Explanation::statement.
ExitStatus write_kernels(const ExplainOptions& options,
                         const std::vector<Explanation>& kernels,
                         std::vector<nlohmann::ordered_json> objects,
                         std::vector<std::string> texts,
                         const std::string& statement = {}) {
    const std::size_t count = kernels.size();
    if (count == 1) {
        if (!statement.empty()) {
            objects[0]["statement"] = statement;
            texts[0] = labelled("statement", 10, statement) + texts[0];
        }
        write_result(options.common.json, objects[0], texts[0]);
        return ExitStatus::done;
    }
    std::string text;
    if (!statement.empty()) text = labelled("statement", 10, statement) + "\n";
    for (std::size_t k = 0; k < count; ++k) {
        objects[k]["part"] = kernels[k].part;
        text += fmt::format("{}// kernel {} of {}: up to {}\n{}",
                            k > 0 ? "\n" : "",
                            k + 1,
                            count,
                            kernels[k].part,
                            texts[k]);
    }
    nlohmann::ordered_json several = {{"schema", 1}};
    if (!statement.empty()) several["statement"] = statement;
    several["kernels"] = objects;
    write_result(options.common.json, several, text);
    return ExitStatus::done;
}

ExitStatus print_explanation(const ExplainOptions& options) {
    std::vector<nlohmann::ordered_json> objects;
    std::vector<std::string> texts;
    const std::vector<Explanation> kernels = explain_call(options);
    for (const Explanation& each : kernels) {
        const NearestEntry nearest = nearest_entry(each);
        objects.push_back(explanation_json(each, nearest));
        texts.push_back(explanation_text(each, nearest));
        if (options.brief) continue;
        objects.back()["source"] = each.source;
        texts.back() += "\n" + each.source;
    }
    return write_kernels(
        options, kernels, std::move(objects), std::move(texts), kernels[0].statement);
}

ExitStatus print_source(const ExplainOptions& options) {
    std::vector<nlohmann::ordered_json> objects;
    std::vector<std::string> texts;
    const std::vector<Explanation> kernels = explain_call(options);
    for (const Explanation& each : kernels) {
        objects.push_back({{"schema", 1},
                           {"symbol", each.symbol},
                           {"target", each.target},
                           {"source", each.source}});
        texts.push_back(each.source);
    }
    return write_kernels(options, kernels, std::move(objects), std::move(texts));
}

}  // namespace

Command add_explain_command(CLI::App& app) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App* command = app.add_subcommand(
        "explain", "print the result of each stage of a call: types, plan, cache key, source");
    add_explain_options(*command, *options);
    command->add_flag("--brief", options->brief, "leave out the source");
    return {command, [options] { return print_explanation(*options); }};
}

Command add_source_command(CLI::App& app) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App* command = app.add_subcommand("source", "print the source that a call compiles");
    add_explain_options(*command, *options);
    return {command, [options] { return print_source(*options); }};
}

}  // namespace kgen::cli
