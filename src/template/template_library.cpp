// SPDX-License-Identifier: MIT
#include "template/template_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <embedded/template_activations_json.hpp>
#include <embedded/template_arithmetic_json.hpp>
#include <embedded/template_casts_json.hpp>
#include <embedded/template_comparison_json.hpp>
#include <embedded/template_logic_json.hpp>
#include <embedded/template_mathematics_json.hpp>
#include <embedded/template_nan_reductions_json.hpp>
#include <embedded/template_reductions_json.hpp>
#include <embedded/template_selection_json.hpp>
#include <embedded/template_statistics_json.hpp>
#include <filesystem>
#include <kgen/error.hpp>
#include <kgen/suggestion.hpp>
#include <set>
#include <system_error>

#include "signature/names.hpp"
#include "template/template_reader.hpp"
#include "text/environment.hpp"
#include "text/source_scan.hpp"

namespace kgen {

namespace {

namespace fs = std::filesystem;

struct LibraryFile {
    std::string_view name;
    const std::string_view* text;
};

const std::array library_files = {
    LibraryFile{"activations.json", &embedded::template_activations_json},
    LibraryFile{"arithmetic.json", &embedded::template_arithmetic_json},
    LibraryFile{"casts.json", &embedded::template_casts_json},
    LibraryFile{"comparison.json", &embedded::template_comparison_json},
    LibraryFile{"logic.json", &embedded::template_logic_json},
    LibraryFile{"mathematics.json", &embedded::template_mathematics_json},
    LibraryFile{"nan_reductions.json", &embedded::template_nan_reductions_json},
    LibraryFile{"reductions.json", &embedded::template_reductions_json},
    LibraryFile{"selection.json", &embedded::template_selection_json},
    LibraryFile{"statistics.json", &embedded::template_statistics_json},
};

std::string origin_of(const LibraryFile& file) {
    return fmt::format("{}{}", library_origin, file.name);
}

const TemplateDefinition* find_in(const std::vector<TemplateDefinition>& templates,
                                  std::string_view name) {
    const auto found = std::find_if(
        templates.begin(), templates.end(), [&](const auto& each) { return each.name == name; });
    return found == templates.end() ? nullptr : &*found;
}

std::vector<TemplateDefinition> read_library() {
    std::vector<TemplateDefinition> all;
    for (const LibraryFile& file : library_files) {
        for (TemplateDefinition& made : read_templates(*file.text, origin_of(file)))
            all.push_back(std::move(made));
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return all;
}

std::vector<std::string> template_files(const std::string& directory) {
    std::vector<std::string> files;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end;
         at.increment(error)) {
        if (at->path().extension() == ".json") files.push_back(at->path().string());
    }
    if (error) throw IoError(fmt::format("cannot read '{}': {}", directory, error.message()));
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<TemplateDefinition> read_user_templates() {
    const std::string path = environment("KGEN_TEMPLATE_PATH").value_or("");
    std::vector<TemplateDefinition> all;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        if (end > at) {
            for (TemplateDefinition& made : read_template_path(path.substr(at, end - at))) {
                if (find_in(all, made.name) == nullptr) all.push_back(std::move(made));
            }
        }
        at = end + 1;
    }
    return all;
}

}  // namespace

const std::vector<TemplateDefinition>& library_templates() {
    static const auto* const library = new std::vector(read_library());  // outlives static objects
    return *library;
}

std::vector<TemplateDefinition> read_template_path(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return read_template_file(path);
    std::vector<TemplateDefinition> all;
    for (const std::string& file : template_files(path)) {
        for (TemplateDefinition& made : read_template_file(file)) {
            if (const TemplateDefinition* other = find_in(all, made.name)) {
                throw SignatureError(fmt::format(
                    "{}:1:1: template '{}' is defined in {}, too", file, made.name, other->origin));
            }
            all.push_back(std::move(made));
        }
    }
    return all;
}

std::vector<TemplateDefinition> known_templates() {
    std::vector<TemplateDefinition> all = read_user_templates();
    for (const TemplateDefinition& made : library_templates()) {
        if (find_in(all, made.name) == nullptr) all.push_back(made);
    }
    return all;
}

TemplateDefinition find_template(std::string_view name) {
    const std::vector<TemplateDefinition> user = read_user_templates();
    if (const TemplateDefinition* found = find_in(user, name)) return *found;
    // One of 138: a program that calls one kernel does not read them all, which takes 5 ms.
    const std::string field = fmt::format("\"name\": \"{}\"", name);
    for (const LibraryFile& file : library_files) {
        if (!contains(*file.text, field)) continue;
        if (auto found = read_template(*file.text, origin_of(file), name)) return std::move(*found);
    }
    const std::vector<TemplateDefinition>& library = library_templates();
    std::vector<std::string_view> names;
    for (const TemplateDefinition& made : user) names.push_back(made.name);
    for (const TemplateDefinition& made : library) names.push_back(made.name);
    const std::string_view nearest = nearest_name(name, names);
    throw SignatureError(fmt::format(
        "no template is called '{}'{}",
        printable(name),
        nearest.empty() ? "; kgen list shows all" : fmt::format("; did you mean '{}'?", nearest)));
}

}  // namespace kgen
