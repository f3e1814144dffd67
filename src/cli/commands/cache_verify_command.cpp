// SPDX-License-Identifier: MIT
//
// kgen cache verify: reads each entry and pack with all checks.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/cache_options.hpp"
#include "cli/text/size_text.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

struct VerifyOptions : CacheOptions {
    bool repair = false;
};

std::string check_text(const CacheCheck& check, const VerifyOptions& options) {
    std::string text;
    for (const CacheProblem& problem : check.problems) {
        const char* done = !problem.moved       ? (options.repair ? " (cannot be moved)" : "")
                           : options.is_dry_run ? " (would be moved to the quarantine)"
                                                : " (moved to the quarantine)";
        text += fmt::format("{}: {}{}\n", in_line(problem.path), problem.problem, done);
    }
    for (const std::string& path : check.newer) {
        text += fmt::format("{}: made by a newer kgen, not checked\n", in_line(path));
    }
    return text + fmt::format("{} valid, {}\n",
                              counted(check.sound_files, "file"),
                              counted(check.problems.size(), "problem"));
}

nlohmann::ordered_json check_json(const CacheCheck& check, const VerifyOptions& options) {
    nlohmann::ordered_json problems = nlohmann::ordered_json::array();
    for (const CacheProblem& problem : check.problems) {
        problems.push_back(
            {{"path", problem.path}, {"problem", problem.problem}, {"moved", problem.moved}});
    }
    return {{"schema", 1},
            {"dry_run", options.is_dry_run},
            {"sound_files", check.sound_files},
            {"problems", problems},
            {"newer", check.newer}};
}

ExitStatus print_check(const VerifyOptions& options) {
    const CacheCheck check = verify_cache(
        options.repair ? CacheRepair::yes : CacheRepair::no, options.dry_run(), options.directory);
    write_result(options.common.json, check_json(check, options), check_text(check, options));
    const bool all_moved = std::all_of(check.problems.begin(),
                                       check.problems.end(),
                                       [](const CacheProblem& problem) { return problem.moved; });
    const bool is_repaired = all_moved && !options.is_dry_run;
    return check.problems.empty() || is_repaired ? ExitStatus::done : ExitStatus::problems;
}

}  // namespace

Command add_cache_verify_command(CLI::App& app) {
    auto options = std::make_shared<VerifyOptions>();
    CLI::App* command =
        add_cache_subcommand(app, "verify", "check every entry and pack in full", *options);
    command->add_flag("--repair", options->repair, "move damaged files to the quarantine");
    add_dry_run(*command, *options);
    command->footer(
        "Exit status 1 if there are damaged files and not all were moved to the quarantine.");
    return {command, [options] { return print_check(*options); }};
}

}  // namespace kgen::cli
