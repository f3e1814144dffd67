// SPDX-License-Identifier: MIT
//
// kgen cache import: checks packs and copies them into the cache.
#include <fmt/format.h>

#include <kgen/pack.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/common_options.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

struct ImportCommandOptions {
    CommonOptions common;
    std::vector<std::string> files;
    std::string directory;
};

ExitStatus import_files(const ImportCommandOptions& options) {
    const std::vector<ImportedPack> packs = import_packs(options.files, options.directory);
    if (options.common.json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const ImportedPack& pack : packs) {
            list.push_back({{"file", pack.file},
                            {"path", pack.path},
                            {"entries", pack.entries},
                            {"bytes", pack.size_bytes}});
        }
        write_json({{"schema", 1}, {"packs", std::move(list)}});
        return ExitStatus::done;
    }
    std::string text;
    for (const ImportedPack& pack : packs) {
        text += fmt::format("{}: {} {}, {} bytes, now {}\n",
                            in_line(pack.file),
                            pack.entries,
                            pack.entries == 1 ? "entry" : "entries",
                            pack.size_bytes,
                            in_line(pack.path));
    }
    write_text(text);
    return ExitStatus::done;
}

}  // namespace

Command add_cache_import_command(CLI::App& app) {
    auto options = std::make_shared<ImportCommandOptions>();
    CLI::App* command =
        app.get_subcommand("cache")->add_subcommand("import", "copy packs into the cache");
    command->add_option("files", options->files, "packs")->type_name("FILE.kgp")->required();
    command->add_option("--dir", options->directory, "cache directory (default: the one in use)")
        ->type_name("DIR");
    command->footer(
        "Every byte of all files is checked first; nothing is copied if one file is damaged (exit\n"
        "status 2). Packs contain code that kgen runs: import packs only from sources whose "
        "programs\n"
        "you would run.");
    add_common_options(*command, options->common);
    return {command, [options] { return import_files(*options); }};
}

}  // namespace kgen::cli
