// SPDX-License-Identifier: MIT
//
// kgen compile: compiles kernels of templates ahead, into the cache or into a pack.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <kgen/embedded_templates.hpp>
#include <kgen/error.hpp>
#include <kgen/pack.hpp>
#include <kgen/precompile.hpp>
#include <kgen/system.hpp>
#include <kgen/terminal_text.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/commands/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/text/argument_text.hpp"
#include "cli/text/progress_bar.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

struct CompileOptions {
    std::vector<std::string> templates;  // names, files, directories
    bool all = false;
    std::vector<std::string> archs;
    std::vector<std::string> types;  // "T=float32,float64"
    std::string output;
    std::string embed;
    int jobs = 0;
    bool ptx = false;
    bool json = false;
};

// CLI11's own delimiter would drop empty parts, but "sm_90," is a mistake and must be reported.
std::vector<std::string> split_at_commas(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (;;) {
        const std::size_t end = text.find(',', begin);
        parts.push_back(text.substr(begin, end - begin));
        if (end == std::string::npos) return parts;
        begin = end + 1;
    }
}

TypeChoice read_types(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals != 1 || text[0] < 'A' || text[0] > 'Z') {
        throw UsageError(fmt::format(
            "--types '{}': expected a placeholder and its dtypes, as in T=float32,float64", text));
    }
    TypeChoice choice{.placeholder = text[0], .dtypes = {}};
    for (const std::string& name : split_at_commas(text.substr(2))) {
        choice.dtypes.push_back(parse_dtype_name(fmt::format("--types '{}'", text), name));
    }
    return choice;
}

bool is_path(const std::string& text) {
    return text.find('/') != std::string::npos || text.ends_with(".json");
}

std::vector<KernelTemplate> find_templates(const CompileOptions& options) {
    if (options.all == !options.templates.empty()) {
        throw UsageError(options.all
                             ? "give --all or templates, not both"
                             : "the template is missing; name some, or give --all (see kgen list)");
    }
    std::vector<KernelTemplate> found;
    if (options.all) {
        for (const TemplateInfo& info : kernel_templates())
            found.push_back(kernel_template(info.name));
    }
    for (const std::string& text : options.templates) {
        if (!is_path(text)) {
            found.push_back(kernel_template(text));
            continue;
        }
        for (KernelTemplate& one : read_kernel_templates(text)) found.push_back(std::move(one));
    }
    return found;
}

nlohmann::ordered_json summary_json(const PrecompileSummary& summary, const std::string& output) {
    nlohmann::ordered_json failures = nlohmann::ordered_json::array();
    for (const PrecompileFailure& failure : summary.failures) {
        failures.push_back(
            {{"kernel", failure.kernel}, {"arch", failure.arch}, {"message", failure.message}});
    }
    return {{"schema", 1},
            {"kernels", summary.kernels},
            {"compiled", summary.compiled},
            {"known", summary.known},
            {"programs", summary.programs},
            {"seconds", summary.seconds},
            {"failures", failures},
            {"empty", summary.empty},
            {"output", output}};
}

std::string summary_text(const PrecompileSummary& summary, const std::string& output) {
    std::string text = fmt::format("{} of {} kernels compiled in {} programs, {:.1f} s",
                                   summary.compiled,
                                   summary.kernels,
                                   summary.programs,
                                   summary.seconds);
    if (summary.known > 0) text += fmt::format("; {} were already compiled", summary.known);
    if (!summary.failures.empty()) text += fmt::format("; {} failed", summary.failures.size());
    return fmt::format("{}: {}\n", text, in_line(output));
}

PrecompileSummary compile_to_files(const std::vector<KernelTemplate>& templates,
                                   const CompileOptions& options,
                                   const PrecompileOptions& precompiling) {
    std::vector<std::byte> known;
    std::error_code ignored;  // write_pack_file() reports the problem
    if (!options.output.empty() && std::filesystem::exists(options.output, ignored))
        known = read_pack_file(options.output);
    const PrecompiledPack pack = precompile_pack(templates, precompiling, known);
    // An incomplete pack is worse than none, because a program would meet the missing kernel only at run
    // time.
    if (!pack.summary.failures.empty() || pack.summary.kernels == 0) return pack.summary;
    if (!options.output.empty() && pack.bytes != known) write_pack_file(options.output, pack.bytes);
    if (!options.embed.empty()) {
        std::vector<KernelTemplate> own;  // the program finds kgen's by itself
        for (const KernelTemplate& each : templates) {
            if (!each.origin().starts_with("<kgen>/")) own.push_back(each);
        }
        const std::string name = std::filesystem::path(options.embed).stem().string();
        write_embedded_pack(options.embed, pack.bytes, embed_templates(own, name));
    }
    return pack.summary;
}

void tell_nothing_to_compile(const std::string& name) {
    const std::string text = fmt::format(
        "kgen: template '{}': nothing to compile: a placeholder has no dtypes, or none that fits "
        "an overload; give some, as in --types T=float32,float64\n",
        name);
    std::fputs(text.c_str(), stderr);
}

ExitStatus compile(const CompileOptions& options) {
    PrecompileOptions precompiling{.jobs = options.jobs, .ptx = options.ptx};
    for (const std::string& list : options.archs) {
        for (std::string& arch : split_at_commas(list))
            precompiling.archs.push_back(std::move(arch));
    }
    for (const std::string& text : options.types) precompiling.types.push_back(read_types(text));
    const std::vector<KernelTemplate> templates = find_templates(options);

    ProgressBar bar = ProgressBar::of_stderr();
    if (!options.json) {
        precompiling.progress = [&](const PrecompileProgress& progress) {
            bar.show(progress.kernel, progress.done, progress.total, progress.seconds);
        };
    }
    const bool to_files = !options.output.empty() || !options.embed.empty();
    const PrecompileSummary summary = to_files ? compile_to_files(templates, options, precompiling)
                                               : precompile(templates, precompiling);
    bar.finish();
    for (const PrecompileFailure& failure : summary.failures) {
        const std::string text = terminal_text(
            fmt::format("kgen: {} for {}: {}\n", failure.kernel, failure.arch, failure.message),
            LineBreaks::kept);
        std::fputs(text.c_str(), stderr);
    }
    // Not reported with --all, because most templates do not use the dtypes that --types names.
    if (!options.all) {
        for (const std::string& name : summary.empty) tell_nothing_to_compile(name);
    }
    const std::string output = !options.output.empty()  ? options.output
                               : !options.embed.empty() ? options.embed
                                                        : cache_directory();
    if (options.json) {
        write_json(summary_json(summary, output));
    } else if (summary.kernels > 0) {
        write_text(summary_text(summary, output));
    } else if (options.all) {
        std::fputs("kgen: nothing to compile: no template accepts the dtypes of --types\n", stderr);
    }
    if (summary.kernels == 0) return ExitStatus::problems;
    return summary.failures.empty() ? ExitStatus::done : ExitStatus::compile;
}

}  // namespace

Command add_compile_command(CLI::App& app) {
    auto options = std::make_shared<CompileOptions>();
    CLI::App* command = app.add_subcommand(
        "compile", "compile kernel templates ahead of time, into the cache or a pack");
    command
        ->add_option("templates",
                     options->templates,
                     "names of templates, files of templates, or directories of such files")
        ->type_name("TEMPLATE|FILE.json");
    command->add_flag("--all", options->all, "all templates that kgen list shows");
    command
        ->add_option("--arch",
                     options->archs,
                     "GPU architectures, sm_80,sm_90a, or host, this machine's CPU; the default is "
                     "this machine's GPU, else sm_90; repeatable")
        ->type_name("ARCH,...")
        ->allow_extra_args(false);  // one per option, because the next argument is a template
    command
        ->add_option("--types",
                     options->types,
                     "dtypes of a placeholder, T=float32,float64, instead of those that the "
                     "templates list; repeatable")
        ->type_name("P=DTYPE,...")
        ->allow_extra_args(false);  // one per option, because the next argument is a template
    command->add_option("--output", options->output, "write a pack file instead of the cache")
        ->type_name("FILE.kgp");
    command
        ->add_option("--embed",
                     options->embed,
                     "write the pack as a C++ file for the program, with the "
                     "templates that are not kgen's")
        ->type_name("FILE.cpp");
    command->add_option("-j,--jobs", options->jobs, "threads that compile (default: KGEN_JOBS)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    command->add_flag("--ptx", options->ptx, "also keep the kernels' PTX");
    command->add_flag("--json", options->json, "print one JSON object");
    command->footer(
        "Needs NVRTC, but neither a GPU nor a driver. Kernels that are in the cache or pack are "
        "not\n"
        "compiled again. Exit status 4 if a kernel does not compile, 1 if there is nothing to "
        "compile;\n"
        "no pack is written then.");
    return {command, [options] { return compile(*options); }};
}

}  // namespace kgen::cli
