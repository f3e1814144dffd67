// SPDX-License-Identifier: MIT
//
// kgen source: the source that the compiler would get.
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/explain_options.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

ExitStatus print_source(const ExplainOptions& options) {
    const Explanation explanation = explain_call(options);
    if (options.common.format() == Format::json) {
        write_json(nlohmann::ordered_json{{"schema", 1},
                                          {"symbol", explanation.symbol},
                                          {"target", explanation.target},
                                          {"source", explanation.source}});
    } else {
        write_text(explanation.source);
    }
    return ExitStatus::done;
}

}  // namespace

Command add_source_command(CLI::App& app) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App* command = app.add_subcommand("source", "print the source that a call compiles");
    add_explain_options(*command, *options);
    return {command, [options] { return print_source(*options); }};
}

}  // namespace kgen::cli
