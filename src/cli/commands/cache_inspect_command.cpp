// SPDX-License-Identifier: MIT
//
// kgen cache inspect: shows one entry in full, or the contents of a pack.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/cache_options.hpp"
#include "cli/text/sass_text.hpp"
#include "cli/text/size_text.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

struct InspectOptions : CacheOptions {
    std::string entry;
    bool ptx = false;
    bool sass = false;
};

const CacheSection& section_of(const CacheEntryContents& contents, const std::string& name) {
    const auto found = std::find_if(contents.sections.begin(),
                                    contents.sections.end(),
                                    [&](const CacheSection& each) { return each.name == name; });
    if (found == contents.sections.end()) {
        throw UsageError(fmt::format("'{}' has no {}", contents.entry.path, name));
    }
    return *found;
}

std::string time_text(std::int64_t seconds) {
    constexpr std::int64_t last_s = 253'402'300'799;  // the end of the year 9999
    if (seconds < 0 || seconds > last_s) return std::to_string(seconds);
    return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string line(std::string_view name, std::string_view text) {
    return fmt::format("{:<12} {}\n", in_line(name), in_line(text));
}

std::string contents_text(const CacheEntryContents& contents) {
    const CacheEntry& entry = contents.entry;
    std::string text = line(entry.is_packed ? "pack" : "file", entry.path);
    text += line(entry.is_packed ? "share" : "size", size_text(entry.size_bytes));
    text += line("request", entry.request);
    text += line("identity", contents.producer_identity);
    if (!entry.is_packed) text += line("created", time_text(entry.created_s));
    text += line("used", time_text(entry.used_s));
    for (const auto& [name, value] : contents.metadata) text += line(name, value);
    for (const CacheSection& section : contents.sections) {
        text += line("section",
                     fmt::format("{}, {}, sha256 {}",
                                 section.name,
                                 size_text(section.bytes.size()),
                                 section.sha256));
    }
    for (const CacheKernelResources& kernel : contents.resources) {
        text += line("resources",
                     fmt::format("{}: {} registers, {} B shared, {} B stack",
                                 kernel.symbol,
                                 kernel.registers,
                                 kernel.shared_bytes,
                                 kernel.stack_bytes));
    }
    return text;
}

nlohmann::ordered_json contents_json(const CacheEntryContents& contents) {
    const CacheEntry& entry = contents.entry;
    nlohmann::ordered_json metadata = nlohmann::ordered_json::array();
    for (const auto& [name, value] : contents.metadata) {
        metadata.push_back({{"name", name}, {"value", value}});
    }
    nlohmann::ordered_json sections = nlohmann::ordered_json::array();
    for (const CacheSection& section : contents.sections) {
        sections.push_back({{"name", section.name},
                            {"size_bytes", section.bytes.size()},
                            {"sha256", section.sha256}});
    }
    nlohmann::ordered_json resources = nlohmann::ordered_json::array();
    for (const CacheKernelResources& kernel : contents.resources) {
        resources.push_back({{"symbol", kernel.symbol},
                             {"registers", kernel.registers},
                             {"shared_bytes", kernel.shared_bytes},
                             {"stack_bytes", kernel.stack_bytes}});
    }
    return {{"schema", 1},
            {"path", entry.path},
            {"packed", entry.is_packed},
            {"size_bytes", entry.size_bytes},
            {"request", entry.request},
            {"producer_identity", contents.producer_identity},
            {"created_s", entry.created_s},
            {"used_s", entry.used_s},
            {"metadata", metadata},
            {"sections", sections},
            {"resources", resources}};
}

bool is_pack_file(const std::string& name) {
    std::error_code ignored;
    return name.ends_with(".kgp") && std::filesystem::exists(name, ignored);
}

ExitStatus print_pack(const InspectOptions& options) {
    if (options.ptx || options.sass) {
        throw UsageError(fmt::format(
            "'{}' is a pack\nname one of its entries by the first digits of its request",
            options.entry));
    }
    print_entry_table(list_pack(options.entry), options.common);
    return ExitStatus::done;
}

ExitStatus print_entry(const InspectOptions& options) {
    const CacheEntryContents contents = inspect_cache_entry(options.entry, options.directory);
    nlohmann::ordered_json object = contents_json(contents);
    std::string code;
    if (options.ptx) object["ptx"] = code = section_of(contents, "ptx").bytes;
    if (options.sass) object["sass"] = code = sass_text(section_of(contents, "cubin").bytes);
    if (options.common.json) {
        write_json(object);
    } else {
        // PTX and SASS are printed alone, so that they can be piped on.
        while (!code.empty() && code.back() == '\0') code.pop_back();
        const bool is_code = options.ptx || options.sass;
        write_text(is_code ? code : contents_text(contents));
    }
    return ExitStatus::done;
}

}  // namespace

Command add_cache_inspect_command(CLI::App& app) {
    auto options = std::make_shared<InspectOptions>();
    CLI::App* command = add_cache_subcommand(
        app, "inspect", "print the contents of one entry, or list a pack", *options);
    command
        ->add_option("entry",
                     options->entry,
                     "an entry's file, or the first digits of its request (printed by kgen explain "
                     "and kgen cache list), or a pack")
        ->type_name("ENTRY|FILE.kgp")
        ->required();
    CLI::Option* ptx = command->add_flag("--ptx", options->ptx, "print only the PTX");
    command->add_flag("--sass", options->sass, "print only the machine code, with nvdisasm")
        ->excludes(ptx);
    return {command, [options] {
                return is_pack_file(options->entry) ? print_pack(*options) : print_entry(*options);
            }};
}

}  // namespace kgen::cli
