// SPDX-License-Identifier: MIT
#include "template/template_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <embedded/library.hpp>
#include <filesystem>
#include <kgen/error.hpp>
#include <kgen/suggestion.hpp>
#include <map>
#include <set>
#include <system_error>

#include "signature/names.hpp"
#include "template/program_templates.hpp"
#include "template/template_reader.hpp"
#include "text/error_parts.hpp"
#include "text/source_scan.hpp"

namespace kgen {

namespace {

namespace fs = std::filesystem;

std::string origin_of(const EmbeddedFile& file) {
    return fmt::format("{}{}", library_origin, file.name);
}

std::vector<TemplateDefinition> read_library() {
    std::vector<TemplateDefinition> all;
    for (const EmbeddedFile& file : embedded::library) {
        for (TemplateDefinition& made : read_templates(file.text, origin_of(file)))
            all.push_back(std::move(made));
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return all;
}

// Collects templates in the order in which they are found. Keeps only the first of each name.
template <typename Template>
class FirstOfEachName {
public:
    void add(std::vector<Template> more) {
        for (Template& made : more) {
            if (names_.insert(made.name).second) all_.push_back(std::move(made));
        }
    }
    std::vector<Template> take() { return std::move(all_); }

private:
    std::vector<Template> all_;
    std::set<std::string> names_;
};

}  // namespace

const std::vector<TemplateDefinition>& library_templates() {
    static const auto* const library = new std::vector(read_library());  // never destroyed
    return *library;
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
    FirstOfEachName<TemplateDefinition> found;
    if (const auto user = user_templates()) found.add(user->templates);
    found.add(embedded_templates());
    found.add(library_templates());
    return found.take();
}

std::vector<TemplateSummary> known_summaries() {
    FirstOfEachName<TemplateSummary> found;
    const auto add = [&](const std::vector<TemplateDefinition>& templates) {
        for (const TemplateDefinition& made : templates)
            found.add({{made.name, made.description, made.kind, made.origin}});
    };
    if (const auto user = user_templates()) add(user->templates);
    add(embedded_templates());
    for (const EmbeddedFile& file : embedded::library)
        found.add(read_summaries(file.text, origin_of(file)));
    return found.take();
}

TemplateDefinition find_template(std::string_view name) {
    const auto user = user_templates();
    if (const TemplateDefinition* found = user ? user->find(name) : nullptr) return *found;
    for (const TemplateDefinition& made : embedded_templates()) {
        if (is_called(made, name)) return made;
    }
    if (auto found = find_library_template(name)) return std::move(*found);
    fail_unknown_template(name, user.get());
}

std::optional<TemplateDefinition> find_library_template(std::string_view name) {
    // Reads only the one template, because reading all takes 5 ms. Looks for names first, then for aliases.
    for (const std::string& sign :
         {fmt::format("\"name\": \"{}\"", name), fmt::format("\"{}\"", name)}) {
        for (const EmbeddedFile& file : embedded::library) {
            if (!contains(file.text, sign)) continue;
            if (auto found = read_template(file.text, origin_of(file), name)) return found;
        }
    }
    return std::nullopt;
}

void fail_unknown_template(std::string_view name, const UserTemplates* user) {
    std::vector<std::string_view> names;
    const auto add = [&](const std::vector<TemplateDefinition>& templates) {
        for (const TemplateDefinition& made : templates) {
            names.push_back(made.name);
            names.insert(names.end(), made.aliases.begin(), made.aliases.end());
        }
    };
    if (user != nullptr) add(user->templates);
    add(embedded_templates());
    add(library_templates());
    const std::string_view nearest = nearest_name(name, names);
    refuse<SignatureError>(
        {ErrorKind::name, {}, std::string(nearest), std::string(name)},
        "no template is called '{}'{}",
        printable(name),
        nearest.empty() ? "; kgen list shows all" : fmt::format("; did you mean '{}'?", nearest));
}

}  // namespace kgen
