// SPDX-License-Identifier: MIT
//
// kgen explain: the result of each stage for a call.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/commands/commands.hpp"
#include "cli/options/explain_options.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

// Returns "label      first line", with further lines aligned below the first.
std::string entry(std::string_view label, std::string_view text) {
    std::string result = fmt::format("{:<10} ", label);
    for (const char letter : text) {
        result += letter;
        if (letter == '\n') result.append(11, ' ');
    }
    return result + "\n";
}

std::string cache_text(const Explanation& explanation) {
    if (explanation.cached) return "hit: " + explanation.cache_entry;
    if (explanation.cache_entry.empty()) return "off; see kgen doctor";
    std::string text = fmt::format(
        "miss: {}; {} would be written", explanation.miss_reason, explanation.cache_entry);
    if (!explanation.nearest_entry.empty()) {
        text += fmt::format("\nnearest: {}\ndiffers in: {}",
                            explanation.nearest_entry,
                            fmt::join(explanation.nearest_differs, ", "));
    }
    return text;
}

std::string explanation_text(const Explanation& explanation) {
    std::string text = entry("signature", explanation.signature);
    text += entry("types", explanation.types);
    text += entry("plan", explanation.plan);
    text += entry("symbol", explanation.symbol);
    text += entry("target", explanation.target);
    text += entry("options", fmt::format("{}", fmt::join(explanation.options, " ")));
    std::string request = explanation.request;
    for (const auto& [name, digest] : explanation.request_parts) {
        request += fmt::format("\n{} {}", digest, name);
    }
    text += entry("request", request);
    text += entry("producer", explanation.producer);
    text += entry("cache", cache_text(explanation));
    return text + "\n" + explanation.source;
}

nlohmann::ordered_json explanation_json(const Explanation& explanation) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::array();
    for (const auto& [name, digest] : explanation.request_parts) {
        parts.push_back({{"name", name}, {"digest", digest}});
    }
    return {{"schema", 1},
            {"signature", explanation.signature},
            {"types", explanation.types},
            {"plan", explanation.plan},
            {"symbol", explanation.symbol},
            {"target", explanation.target},
            {"options", explanation.options},
            {"request", explanation.request},
            {"request_parts", parts},
            {"producer", explanation.producer},
            {"cached", explanation.cached},
            {"cache_entry", explanation.cache_entry},
            {"miss_reason", explanation.miss_reason},
            {"nearest_entry", explanation.nearest_entry},
            {"nearest_differs", explanation.nearest_differs},
            {"source", explanation.source}};
}

ExitStatus print_explanation(const ExplainOptions& options) {
    const Explanation explanation = explain_call(options);
    if (options.common.format() == Format::json) {
        write_json(explanation_json(explanation));
    } else {
        write_text(explanation_text(explanation));
    }
    return ExitStatus::done;
}

}  // namespace

Command add_explain_command(CLI::App& app) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App* command = app.add_subcommand(
        "explain", "print the result of each stage of a call: types, plan, cache key, source");
    add_explain_options(*command, *options);
    return {command, [options] { return print_explanation(*options); }};
}

}  // namespace kgen::cli
