// SPDX-License-Identifier: MIT
#include "cli/tree/complete_words.hpp"

#include <algorithm>
#include <benchmarks/selection.hpp>
#include <cstdlib>
#include <filesystem>
#include <kgen/cache.hpp>
#include <kgen/dtype.hpp>
#include <kgen/error.hpp>
#include <kgen/kernel_template.hpp>
#include <kgen/npz.hpp>
#include <map>
#include <string_view>

#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

struct Candidate {
    std::string text;
    std::string description = {};
};
using Candidates = std::vector<Candidate>;

std::vector<std::string> split(const std::string& text, const std::string& separators) {
    std::vector<std::string> parts = {""};
    for (const char letter : text) {
        if (separators.find(letter) == std::string::npos) {
            parts.back() += letter;
        } else {
            parts.emplace_back();
        }
    }
    return parts;
}

// Shells give the words as they are written.
std::string unquoted(const std::string& word) {
    const bool is_quoted = word.size() > 1 && (word.front() == '\'' || word.front() == '"') &&
                           word.back() == word.front();
    return is_quoted ? word.substr(1, word.size() - 2) : word;
}

// The words before the one to complete.
struct Given {
    const CommandText* command = nullptr;
    const OptionText* option = nullptr;  // the one whose value is to be completed
    bool options_end = false;            // after "--"
    std::vector<std::string> arguments;
    std::map<std::string, std::vector<std::string>> values;  // of each option
};

const OptionText* find_option(const CommandText& command, const std::string& name) {
    for (const OptionText& option : command.options) {
        if (std::find(option.names.begin(), option.names.end(), name) != option.names.end())
            return &option;
    }
    return nullptr;
}

const CommandText* find_command(const CommandText& command, const std::string& name) {
    for (const CommandText& each : command.commands) {
        if (each.name == command.name + " " + name) return &each;
    }
    return nullptr;
}

Given read_words(const CommandText& tree, const std::vector<std::string>& words) {
    Given given{.command = &tree};
    int values_left = 0;
    for (std::size_t k = 0; k + 1 < words.size(); ++k) {
        const std::string word = unquoted(words[k]);
        if (values_left > 0) {
            given.values[given.option->names.front()].push_back(word);
            if (--values_left == 0) given.option = nullptr;
        } else if (word == "--") {
            given.options_end = true;
        } else if (word.starts_with("-") && !given.options_end) {
            const std::size_t equals = word.find('=');
            given.option = find_option(*given.command, word.substr(0, equals));
            values_left = given.option == nullptr ? 0 : given.option->value_count;
            if (values_left > 0 && equals != std::string::npos) {
                given.values[given.option->names.front()].push_back(word.substr(equals + 1));
                --values_left;
            }
            if (values_left == 0) given.option = nullptr;
        } else if (!given.command->commands.empty()) {
            given.command = find_command(*given.command, word);
            if (given.command == nullptr) return given;
        } else {
            given.arguments.push_back(word);
        }
    }
    return given;
}

// Returns the names of the parameters of the kernel that the words define; none if they do not.
std::vector<std::string> parameter_names(const Given& given) {
    std::vector<std::string> names;
    for (const auto& [option, values] : given.values) {
        if ((option != "--elementwise" && option != "--reduce") || values.size() < 2) continue;
        for (const std::string& parameter : split(values[0] + "," + values[1], ",")) {
            const std::vector<std::string> parts = split(parameter, " ");
            if (!parts.back().empty()) names.push_back(parts.back());
        }
        return names;
    }
    const auto name = std::find_if(
        given.arguments.begin(), given.arguments.end(), [](const std::string& argument) {
            return argument.find('=') == std::string::npos;
        });
    const auto file = given.values.find("--template");
    const std::string named = name == given.arguments.end() ? "" : *name;
    if (file != given.values.end())
        return KernelTemplate::from_file(file->second.front(), named).parameter_names();
    return named.empty() ? names : kernel_template(named).parameter_names();
}

// Returns the folders, and the files with one of the extensions; all files if there are none.
Candidates complete_path(const std::string& typed, const std::vector<std::string>& extensions) {
    namespace fs = std::filesystem;
    const std::string folder = typed.substr(0, typed.rfind('/') + 1);
    const std::string start = typed.substr(folder.size());
    const char* home = std::getenv("HOME");
    fs::path place = folder.empty() ? "." : folder;
    if (folder.starts_with("~/") && home != nullptr) place = std::string(home) + folder.substr(1);
    Candidates found;
    std::error_code error;
    for (fs::directory_iterator at(place, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with(".") && !start.starts_with(".")) continue;
        std::error_code ignored;
        const bool is_folder = at->is_directory(ignored);
        const bool fits =
            is_folder || extensions.empty() ||
            std::any_of(extensions.begin(), extensions.end(), [&](const std::string& extension) {
                return name.ends_with(extension);
            });
        if (fits) found.push_back({folder + name + (is_folder ? "/" : "")});
    }
    return found;
}

// Returns the .npy and .npz files, and after "model.npz:" the arrays in that file.
Candidates complete_array(const std::string& typed) {
    const std::size_t colon = typed.rfind(".npz:");
    if (colon == std::string::npos) return complete_path(typed, {".npy", ".npz"});
    const std::string file = typed.substr(0, colon + 4);
    Candidates found;
    for (const std::string& name : npz_names(file)) found.push_back({file + ":" + name});
    return found;
}

Candidates complete_value(const Given& given, const std::string& value, const std::string& typed);

// Completes both sides of NAME=DTYPE. The names are those of the kernel's parameters.
Candidates complete_assignment(const Given& given,
                               const std::string& value,
                               const std::string& typed) {
    const std::size_t split_at = value.find('=');
    const std::size_t equals = typed.find('=');
    Candidates found;
    if (equals == std::string::npos) {
        if (value.substr(0, split_at) != "NAME") return found;
        for (const std::string& name : parameter_names(given)) found.push_back({name + "="});
        return found;
    }
    found = complete_value(given, value.substr(split_at + 1), typed.substr(equals + 1));
    for (Candidate& each : found) each.text = typed.substr(0, equals + 1) + each.text;
    return found;
}

// Returns the elements before the one to complete, if the value is a list such as "DTYPE,...".
std::string value_list_start(const std::string& value, const std::string& typed) {
    return value.ends_with(",...") ? typed.substr(0, typed.rfind(',') + 1) : "";
}

// `value` is one kind of value.
Candidates complete_value(const Given& given, const std::string& value, const std::string& typed) {
    Candidates found;
    if (value.find('=') != std::string::npos) return complete_assignment(given, value, typed);
    if (value == "VALUE") return complete_array(typed);
    if (value == "DIR") {
        found = complete_path(typed, {"/"});  // folders alone
    } else if (value == "FILE") {
        found = complete_path(typed, {});
    } else if (value.starts_with("FILE.")) {  // "FILE.npy|.npz"
        const std::vector<std::string> extensions = split(value.substr(4), "|");
        found =
            extensions.front() == ".npy" ? complete_array(typed) : complete_path(typed, extensions);
    } else if (value == "TEMPLATE") {
        for (const TemplateInfo& each : kernel_templates())
            found.push_back({each.name, each.description});
    } else if (value == "CASE") {
        for (const std::string& name : split(bench::known_names({}), " :\n")) {
            if (!name.empty()) found.push_back({name});
        }
    } else if (value == "all") {  // itself
        found = {{value}};
    } else if (value.starts_with("DEVICE")) {
        const std::string done = value_list_start(value, typed);
        found = {{done + "host"}, {done + "cuda"}};
    } else if (value == "ENTRY") {
        for (const CacheEntry& each : list_cache()) found.push_back({each.request, each.kernel});
    } else if (value.starts_with("DTYPE")) {
        const std::string done = value_list_start(value, typed);
        for (int k = 0; k < dtype_count; ++k)
            found.push_back({done + std::string(to_text(static_cast<DType>(k)))});
    }
    return found;
}

// Returns the kinds of values that the name of a value lists: "FILE.npy|.npz" and "ENTRY" of
// "FILE.npy|.npz|ENTRY", and "[TEMPLATE]" and "NAME=VALUE" of "[TEMPLATE] NAME=VALUE".
std::vector<std::string> kinds_of(const std::string& value) {
    std::vector<std::string> kinds;
    for (const std::string& part : split(value, " |")) {
        if (part.starts_with(".") && !kinds.empty()) {
            kinds.back() += "|" + part;
        } else {
            kinds.push_back(part);
        }
    }
    return kinds;
}

Candidates complete_option_value(const Given& given,
                                 const OptionText& option,
                                 const std::string& typed) {
    Candidates found;
    for (const std::string& choice : option.choices) found.push_back({choice});
    // The strings of a kernel are several values of one option: "INPUTS OUTPUTS BODY".
    if (!found.empty() || option.value_count > 1) return found;
    for (const std::string& value : kinds_of(option.value)) {
        const bool is_optional = value.starts_with("[") && value.ends_with("]");
        if (is_optional && !parameter_names(given).empty()) continue;
        const std::string name = is_optional ? value.substr(1, value.size() - 2) : value;
        for (Candidate& each : complete_value(given, name, typed)) found.push_back(std::move(each));
    }
    return found;
}

Candidates find_candidates(const CommandText& tree, const std::vector<std::string>& words) {
    const std::string typed = words.empty() ? "" : words.back();
    const Given given = read_words(tree, words);
    Candidates found;
    if (given.command == nullptr) return found;
    const std::size_t equals = typed.find('=');
    if (given.option != nullptr) {
        found = complete_option_value(given, *given.option, typed);
    } else if (typed.starts_with("--") && equals != std::string::npos && !given.options_end) {
        const OptionText* option = find_option(*given.command, typed.substr(0, equals));
        if (option == nullptr) return found;
        found = complete_option_value(given, *option, typed.substr(equals + 1));
        for (Candidate& each : found) each.text = typed.substr(0, equals + 1) + each.text;
    } else if (typed.starts_with("-") && !given.options_end) {
        for (const OptionText& option : given.command->options) {
            for (const std::string& name : option.names)
                found.push_back({name, option.description});
        }
    } else {
        for (const CommandText& each : given.command->commands) {
            found.push_back({each.name.substr(given.command->name.size() + 1), each.description});
        }
        for (const OptionText& argument : given.command->arguments) {
            if (!argument.is_repeatable && !given.arguments.empty()) continue;
            for (Candidate& each : complete_option_value(given, argument, typed))
                found.push_back(std::move(each));
        }
    }
    std::erase_if(found, [&](const Candidate& each) { return !each.text.starts_with(typed); });
    return found;
}

}  // namespace

std::string complete_words(const CommandText& tree, const std::vector<std::string>& words) {
    std::vector<std::string> lines;
    try {
        for (const Candidate& each : find_candidates(tree, words)) {
            lines.push_back(in_line(each.text) +
                            (each.description.empty() ? "" : "\t" + in_line(each.description)));
        }
    } catch (const Error&) {  // a template or file that does not exist has no candidates
    }
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

}  // namespace kgen::cli
