// SPDX-License-Identifier: MIT
#include "raw/raw_definition.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <kgen/error.hpp>
#include <map>
#include <set>

#include "device/registry.hpp"
#include "image/code_file.hpp"
#include "program/raw_names.hpp"
#include "program/user_errors.hpp"
#include "signature/names.hpp"
#include "text/ascii_text.hpp"
#include "text/error_parts.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

// Checks a definition. Errors use the fields that are set so far.
class DefinitionChecks {
public:
    explicit DefinitionChecks(RawDefinition& definition) : definition_(definition) {}

    template <typename... Values>
    [[noreturn]] void fail(fmt::format_string<Values...> text, Values&&... values) const {
        throw CompileError(
            definition_.subject + ": " + fmt::format(text, std::forward<Values>(values)...),
            "",
            definition_.texts.empty() ? "" : definition_.texts.front().text);
    }

    // Compilers take C strings, so they would ignore the text after a NUL.
    void check_text(std::string_view what, std::string_view name, std::string_view text) const {
        const std::size_t at = text.find('\0');
        if (at == std::string_view::npos) return;
        fail("{} '{}' holds a NUL character at byte {}", what, printable(name), at);
    }

    void check_printable(std::string_view what, const std::string& name) const {
        if (has_control_byte(name))
            fail("{} '{}' holds a control character", what, printable(name));
    }

    void run() const {
        for (const std::string& name : definition_.names) {
            if (normalized_name(name).empty()) fail("the name is empty");
            check_printable("the name", name);  // it becomes one line of the compiled source
        }
        for (const UserText& text : definition_.texts)
            check_text("the source", text.label, text.text);
        check_headers();
        for (const std::string& directory : definition_.build.include_directories)
            check_text("the include directory", directory, directory);
        if (!definition_.texts.empty()) check_options();
    }

private:
    void check_headers() const {
        std::map<std::string, const Header*> known;
        for (const Header& header : definition_.build.headers) {
            if (header.name.empty()) fail("a header in memory has no name");
            check_text("the header", header.name, header.name);
            check_text("the header", header.name, header.text);
            check_printable("the header", header.name);
            if (header.name.front() == '/') {
                fail(
                    "the header '{}' in memory has an absolute name: expected a relative one such "
                    "as 'lib/a.h'",
                    header.name);
            }
            const std::string name = std::filesystem::path(header.name).lexically_normal().string();
            const auto [at, is_new] = known.try_emplace(name, &header);
            if (!is_new && at->second->text != header.text)
                fail("two headers in memory are called '{}', and their texts differ", name);
        }
    }

    // Refuses the options that the GPU's compiler would refuse, whatever device is used later. Options that
    // only another compiler refuses are reported when it compiles.
    void check_options() const {
        constexpr DeviceKind kind = default_gpu.kind();
        CompileJob job{.kernel = definition_.program,
                       .source = definition_.texts.front().text,
                       .options = definition_.build.options,
                       .target = {.kind = kind, .arch = std::string(traits(kind).default_arch)},
                       .kind = SourceKind::raw};
        try {
            static_cast<void>(compiler(kind).resolve_options(job));
        } catch (const CompileError& error) {
            throw with_parts(
                CompileError(with_subject(error.what(), definition_.program, definition_.subject),
                             error.log(),
                             error.source()),
                error.parts());
        }
    }

    RawDefinition& definition_;
};

// Returns the first part of the source's label: "saxpy" for "saxpy<float>", and "kernel" for names such as
// "(void (*)(int))filters::blur".
std::string leading_identifier(std::string_view name) {
    std::size_t end = 0;
    while (end < name.size() && is_word(name[end])) ++end;
    return end == 0 ? "kernel" : std::string(name.substr(0, end));
}

// Reads a file of source or compiled code. The directory of a source file is searched first for its includes.
void add_file(const std::string& path, RawDefinition& definition) {
    CodeFile file;
    try {
        file = read_code_file(path);
    } catch (const IoError& error) {
        const std::string_view message = error.what();
        throw IoError(definition.subject + std::string(message.substr(path.size())));
    }
    if (file.kind != CodeFile::Kind::source) {
        const cache::Digest digest = cache::sha256(file.image.sections.front().bytes);
        definition.compiled = CompiledFile{std::move(file.image), digest};
        return;
    }
    definition.texts.push_back({path, std::move(file.text)});
    const std::string directory = std::filesystem::path(path).parent_path().string();
    std::vector<std::string>& searched = definition.build.include_directories;
    searched.insert(searched.begin(), directory.empty() ? "." : directory);
}

std::vector<std::string> each_once(const std::vector<std::string>& names) {
    std::vector<std::string> kept;
    std::set<std::string> known;
    for (const std::string& name : names) {
        if (known.insert(normalized_name(name)).second) kept.push_back(name);
    }
    return kept;
}

}  // namespace

RawDefinition define_kernel(std::string_view code, const std::string& name, RawOptions options) {
    RawDefinition definition;
    definition.program = name;
    definition.subject = fmt::format("kernel '{}'", printable(name));
    const std::string label = leading_identifier(name) + ".cu";
    definition.module = fmt::format("module '{}'", label);
    definition.texts.push_back({label, std::string(code)});
    definition.build = std::move(options);
    definition.names = {name};
    const DefinitionChecks checks(definition);
    if (code.empty()) checks.fail("its source is empty");
    checks.run();
    return definition;
}

RawDefinition define_module(std::string_view code, RawModuleOptions options) {
    RawDefinition definition;
    definition.program = !options.file.empty()      ? options.file
                         : !options.sources.empty() ? "module"
                                                    : "module.cu";
    definition.subject = fmt::format("module '{}'", printable(definition.program));
    definition.module = definition.subject;
    const DefinitionChecks checks(definition);

    std::vector<std::string_view> given;
    if (!code.empty()) given.emplace_back("code");
    if (!options.file.empty()) given.emplace_back("file");
    if (!options.sources.empty()) given.emplace_back("sources");
    if (given.size() != 1) {
        checks.fail(
            "got {}, expected exactly one of code, file and sources",
            given.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(given, " and ")));
    }
    definition.build = {.options = std::move(options.options),
                        .headers = std::move(options.headers),
                        .include_directories = std::move(options.include_directories),
                        .arch = std::move(options.arch)};
    definition.names = each_once(options.names);
    if (!code.empty()) {
        definition.texts.push_back({definition.program, std::string(code)});
    } else if (!options.file.empty()) {
        checks.check_text("the file", options.file, options.file);
        add_file(options.file, definition);
    }
    for (ModuleSource& source : options.sources) {
        if (source.name.empty()) checks.fail("a source has no name");
        definition.texts.push_back({std::move(source.name), std::move(source.text)});
    }
    checks.run();
    return definition;
}

}  // namespace kgen
