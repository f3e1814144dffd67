// SPDX-License-Identifier: MIT
//
// kgen cache export: writes the contents of the cache to one pack.
#include <fmt/format.h>

#include <kgen/pack.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/common_options.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

struct ExportCommandOptions {
    CommonOptions common;
    std::string file;
    ExportOptions what;
};

// For CLI11: checks the first digits of a request. Returns the error message, or "".
std::string check_request(const std::string& text) {
    const bool is_hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
    return is_hex && text.size() <= 64 ? ""
                                       : fmt::format(
                                             "'{}' is not the start of a request; expected up to "
                                             "64 digits, 0 to 9 and a to f",
                                             text);
}

ExitStatus export_to_file(const ExportCommandOptions& options) {
    const ExportSummary summary = export_cache(options.file, options.what);
    write_result(options.common.json,
                 {{"schema", 1},
                  {"file", options.file},
                  {"entries", summary.entries},
                  {"bytes", summary.size_bytes},
                  {"unusable", summary.unusable}},
                 fmt::format("{}: {} {}, {} bytes\n",
                             in_line(options.file),
                             summary.entries,
                             summary.entries == 1 ? "entry" : "entries",
                             summary.size_bytes));
    if (summary.unusable == 0) return ExitStatus::done;
    std::fprintf(stderr,
                 "kgen: left out %llu unusable entries and packs; see kgen cache verify\n",
                 static_cast<unsigned long long>(summary.unusable));
    return ExitStatus::problems;
}

}  // namespace

Command add_cache_export_command(CLI::App& app) {
    auto options = std::make_shared<ExportCommandOptions>();
    CLI::App* command = app.get_subcommand("cache")->add_subcommand(
        "export", "write the entries of the cache into one pack file");
    command->add_option("file", options->file, "the pack")->type_name("FILE.kgp")->required();
    command
        ->add_option(
            "--arch", options->what.archs, "only entries for these architectures: sm_80,sm_90")
        ->delimiter(',');
    command
        ->add_option("--request",
                     options->what.request,
                     "only entries whose request begins with these digits")
        ->check(check_request);
    command
        ->add_option("--dir", options->what.directory, "cache directory (default: the one in use)")
        ->type_name("DIR");
    command->footer(
        "Equal entries give equal bytes. The pack can be imported, listed in KGEN_CACHE_RO_DIRS, "
        "or\n"
        "embedded in a program (kgen/pack.hpp).");
    add_common_options(*command, options->common);
    return {command, [options] { return export_to_file(*options); }};
}

}  // namespace kgen::cli
