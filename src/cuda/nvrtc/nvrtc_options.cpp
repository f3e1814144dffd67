// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/nvrtc_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "text/advice.hpp"
#include "text/source_scan.hpp"

namespace kgen {

namespace {

// Why an option is refused, and what to do instead.
struct Reason {
    std::string_view problem;
    Advice advice = Advice::none;
};

struct RefusedOption {
    std::string_view name;  // without its leading dashes
    Reason reason;
    Reason raw_reason = reason;  // for raw programs, which the user wrote
};

constexpr Reason chooses_target = {"the target is chosen by kgen", Advice::name_target};
constexpr Reason chooses_raw_target = {"the target is chosen by kgen", Advice::name_raw_target};
constexpr Reason writes_file = {"it writes a file"};
constexpr Reason uses_header_state = {"precompiled headers depend on more than the source"};
constexpr Reason makes_no_code = {"it makes no code that can be loaded"};
constexpr Reason links_sources = {"it makes no code that can be loaded", Advice::give_sources};

// Names of options in nvrtc.h 13.0. NVRTC accepts each with one dash or two.
constexpr RefusedOption refused_options[] = {
    {"arch", chooses_target, chooses_raw_target},
    {"gpu-architecture", chooses_target, chooses_raw_target},
    {"time", writes_file},
    {"fdevice-time-trace", writes_file},
    {"create-pch", writes_file},
    {"pch", uses_header_state},
    {"use-pch", uses_header_state},
    {"pch-dir", uses_header_state},
    {"relocatable-device-code", makes_no_code, links_sources},
    {"rdc", makes_no_code, links_sources},
    {"device-c", makes_no_code, links_sources},
    {"dc", makes_no_code, links_sources},
    {"dlink-time-opt", makes_no_code, links_sources},
    {"dlto", makes_no_code, links_sources},
    {"gen-opt-lto", makes_no_code},
    {"extensible-whole-program", makes_no_code},
    {"ewp", makes_no_code},
    {"optix-ir", makes_no_code},
    {"fdevice-syntax-only", makes_no_code},
};

// Returns "time" for "--time=file" and "arch" for "-arch".
std::string_view option_name(std::string_view option) {
    const std::size_t start = option.find_first_not_of('-');
    if (start == 0 || start == std::string_view::npos) return {};
    option.remove_prefix(start);
    return option.substr(0, option.find('='));
}

void check_option(const CompileJob& job, const std::string& option) {
    if (option.find('\0') != std::string::npos) {
        refuse_job(job, "an option holds a NUL character", {ErrorKind::option});
    }
    const std::string_view name = option_name(option);
    for (const RefusedOption& refused : refused_options) {
        if (name != refused.name) continue;
        const Reason& reason = job.kind == SourceKind::raw ? refused.raw_reason : refused.reason;
        std::string text = fmt::format("option '{}' is not allowed: {}", option, reason.problem);
        if (reason.advice != Advice::none) text += "; " + advise(reason.advice);
        refuse_job(job, text, {ErrorKind::option, option, {}, option});
    }
}

// Returns the value of an option. NVRTC accepts "-ftz=true" and also the two strings "-ftz" "true".
std::string value_of(const std::vector<std::string>& options, std::size_t index) {
    const std::size_t equals = options[index].find('=');
    if (equals != std::string::npos) return options[index].substr(equals + 1);
    return index + 1 < options.size() ? options[index + 1] : std::string();
}

// Refuses options that make ptxas read options from a file or write code to a file. ptxas accepts them with
// one dash or two.
void check_assembler_options(const CompileJob& job) {
    for (std::size_t k = 0; k < job.options.size(); ++k) {
        const std::string& option = job.options[k];
        const std::string_view name = option_name(option);
        if (name != "ptxas-options" && name != "Xptxas") continue;
        const std::string value = value_of(job.options, k);
        for (const std::string_view word : {"file", "optf", "@", "-o="}) {
            if (value.find(word) == std::string::npos && value != "-o") continue;
            refuse_job(job,
                       fmt::format("option '{}' is not allowed: it names a file",

                                   option.find('=') == std::string::npos
                                       ? fmt::format("{} {}", option, value)
                                       : option),
                       {ErrorKind::option, option, {}, value});
        }
    }
}

void check_standard(const CompileJob& job) {
    for (std::size_t k = 0; k < job.options.size(); ++k) {
        if (option_name(job.options[k]) != "std") continue;
        const std::string value = value_of(job.options, k);
        if (!value.starts_with("gnu")) continue;
        refuse_job(job,
                   fmt::format("option '-std={0}' is not allowed: NVRTC has no GNU dialects; give "
                               "-std=c{1}",
                               value,
                               value.substr(3)));
    }
}

void check_include_directory(const CompileJob& job, const std::string& directory) {
    const char* problem = nullptr;
    if (directory.empty()) {
        problem = "is empty: name the working directory with '.'";
    } else if (directory.find('\0') != std::string::npos) {
        problem = "holds a NUL character";
    }
    if (problem == nullptr) return;
    refuse_job(job,
               fmt::format("an include directory {}", problem),
               {ErrorKind::option, "include_directories", "a directory", directory});
}

bool includes_headers(const CompileJob& job) {
    const auto names_folder = [](const std::string& option) {
        return option.starts_with("-I") || option.starts_with("--include-path");
    };
    return !job.include_directories.empty() ||
           std::any_of(job.options.begin(), job.options.end(), names_folder) ||
           any_user_text(job,
                         [&](const std::string& text) { return reads_files(text, job.options); });
}

// Returns true if a text uses texture or surface functions, which -minimal leaves out.
bool mentions_textures(const CompileJob& job) {
    static constexpr std::string_view prefixes[] = {
        "tex1D", "tex2D", "tex3D", "surf1D", "surf2D", "surf3D"};
    return any_user_text(job, [](const std::string& text) {
        // Most texts contain neither word, so two searches replace six.
        if (!contains(text, "tex") && !contains(text, "surf")) return false;
        return std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view prefix) {
            return contains(text, prefix);
        });
    });
}

bool names_standard(const CompileJob& job) {
    return std::any_of(job.options.begin(), job.options.end(), [](const std::string& option) {
        return option_name(option) == "std";
    });
}

enum class Value { none, truth, text };

struct LinkOption {
    std::string_view name;  // NVRTC's option without its leading dashes
    std::string_view link;  // nvJitLink's option
    Value value;
};

constexpr LinkOption link_options[] = {
    {"ftz", "-ftz", Value::truth},
    {"prec-div", "-prec-div", Value::truth},
    {"prec-sqrt", "-prec-sqrt", Value::truth},
    {"fmad", "-fma", Value::truth},
    {"maxrregcount", "-maxrregcount", Value::text},
    {"Xptxas", "-Xptxas", Value::text},
    {"ptxas-options", "-Xptxas", Value::text},
    {"split-compile", "-split-compile", Value::text},
    {"lineinfo", "-lineinfo", Value::none},
    {"generate-line-info", "-lineinfo", Value::none},
    {"G", "-g", Value::none},
    {"device-debug", "-g", Value::none},
};

}  // namespace

std::vector<std::string> resolve_nvrtc_options(const CompileJob& job) {
    for (const std::string& option : job.options) check_option(job, option);
    check_assembler_options(job);
    check_standard(job);
    std::vector<std::string> options = {"-arch=" + job.target.arch};
    if (!names_standard(job)) options.emplace_back("-std=c++17");
    options.emplace_back("--device-as-default-execution-space");
    if (job.kind == SourceKind::generated && !includes_headers(job) && !mentions_textures(job)) {
        options.emplace_back("-minimal");
    }
    if (!job.linked_sources.empty()) options.emplace_back("-dlto");
    options.insert(options.end(), job.options.begin(), job.options.end());
    for (const std::string& directory : job.include_directories)
        check_include_directory(job, directory);
    return options;
}

std::vector<std::string> resolve_link_options(const CompileJob& job) {
    std::vector<std::string> options = {"-arch=" + job.target.arch};
    for (std::size_t k = 0; k < job.options.size(); ++k) {
        const std::string_view name = option_name(job.options[k]);
        if (name == "use_fast_math") {
            for (const char* each : {"-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"})
                options.emplace_back(each);
        }
        for (const LinkOption& option : link_options) {
            if (name != option.name) continue;
            std::string text(option.link);
            if (option.value == Value::truth) {
                text += value_of(job.options, k) == "true" ? "=1" : "=0";
            } else if (option.value == Value::text) {
                text += "=" + value_of(job.options, k);
            }
            options.push_back(std::move(text));
        }
    }
    return options;
}

}  // namespace kgen
