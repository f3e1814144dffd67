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
#include <map>
#include <set>
#include <system_error>

#include "signature/names.hpp"
#include "store_root.hpp"
#include "store_settings.hpp"
#include "template/template_reader.hpp"
#include "text/environment.hpp"
#include "text/source_scan.hpp"
#include "text/split.hpp"

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

// Throws IoError if another user may have written the file or directory. This matters because a template is
// code, and one in KGEN_TEMPLATE_PATH silently replaces the built-in template of the same name.
void check_trust(const std::string& path, cache::TrustMode trust) {
    const std::string problem = cache::distrust_path(fs::absolute(path).string(), trust);
    if (!problem.empty()) throw IoError(fmt::format("KGEN_TEMPLATE_PATH: {}", problem));
}

// Like read_template_path, but first checks the directory and all its files with check_trust.
std::vector<TemplateDefinition> read_trusted_path(const std::string& path) {
    const cache::TrustMode trust = cache::resolve_settings().trust;
    check_trust(path, trust);
    std::error_code error;
    if (fs::is_directory(path, error)) {
        for (const std::string& file : template_files(path)) check_trust(file, trust);
    }
    return read_template_path(path);
}

// Collects templates in the order in which they are found. Keeps only the first of each name.
class FirstOfEachName {
public:
    void add(std::vector<TemplateDefinition> more) {
        for (TemplateDefinition& made : more) {
            if (names_.insert(made.name).second) all_.push_back(std::move(made));
        }
    }
    std::vector<TemplateDefinition> take() { return std::move(all_); }

private:
    std::vector<TemplateDefinition> all_;
    std::set<std::string> names_;
};

std::vector<TemplateDefinition> read_user_templates() {
    const std::string path = environment("KGEN_TEMPLATE_PATH").value_or("");
    FirstOfEachName found;
    for (const std::string_view part : split(path, ':')) {
        if (!part.empty()) found.add(read_trusted_path(std::string(part)));
    }
    return found.take();
}

}  // namespace

const std::vector<TemplateDefinition>& library_templates() {
    static const auto* const library = new std::vector(read_library());  // never destroyed
    return *library;
}

std::vector<TemplateDefinition> read_template_path(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return read_template_file(path);
    std::vector<TemplateDefinition> all;
    std::map<std::string, std::string> origins;
    for (const std::string& file : template_files(path)) {
        for (TemplateDefinition& made : read_template_file(file)) {
            const auto [other, is_new] = origins.emplace(made.name, made.origin);
            if (!is_new) {
                throw SignatureError(fmt::format(
                    "{}:1:1: template '{}' is also defined in {}", file, made.name, other->second));
            }
            all.push_back(std::move(made));
        }
    }
    return all;
}

std::vector<TemplateDefinition> known_templates() {
    FirstOfEachName found;
    found.add(read_user_templates());
    found.add(library_templates());
    return found.take();
}

TemplateDefinition find_template(std::string_view name) {
    const std::vector<TemplateDefinition> user = read_user_templates();
    if (const TemplateDefinition* found = find_in(user, name)) return *found;
    // Reads only the one template, because reading all 138 takes 5 ms.
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
