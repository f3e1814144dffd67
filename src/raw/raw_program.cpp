// SPDX-License-Identifier: MIT
//
// RawProgram::load_sources runs stages 4 to 6 for a raw program.
#include "raw/raw_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <kgen/error.hpp>

#include "device/raw_backend.hpp"
#include "device/registry.hpp"
#include "image/included_files.hpp"
#include "kernel/loaded_kernel.hpp"
#include "program/raw_source.hpp"
#include "program/user_errors.hpp"
#include "text/advice.hpp"
#include "text/compiler_log.hpp"
#include "text/error_parts.hpp"
#include "text/log.hpp"
#include "text/milliseconds_since.hpp"

namespace kgen {

namespace {

// The loaded programs of this process by request digest and device. A program is unloaded as soon as no
// module, kernel, bound launch or graph uses it. There are two reasons: its variables may occupy much memory,
// and a program that is used again later must start with the initial values of its variables. The table is
// never destroyed, because static destructors of the program may still launch kernels.
using ProgramTable = LiveTable<LoadedProgram, KernelKey, KernelKeyHash>;
ProgramTable& process_programs() {
    static auto* table = new ProgramTable(0);
    return *table;
}

// Returns the texts that an error may point into.
std::vector<UserText> texts_of(const RawSource& source, const IncludedFiles& included) {
    std::vector<UserText> texts = source.user_texts;
    for (UserText& header : user_headers(included)) texts.push_back(std::move(header));
    return texts;
}

// Whether this is one of kgen's own headers, which every device uses unchanged.
bool is_stand_in(const Header& header, const IncludedFiles& included) {
    return std::any_of(included.files.begin(), included.files.end(), [&](const IncludedFile& file) {
        return file.name == header.name && file.origin == HeaderOrigin::stand_in;
    });
}

IncludeRequest include_request(const RawDefinition& definition, DeviceKind device) {
    return {.texts = definition.texts,
            .headers = definition.build.headers,
            .include_directories = definition.build.include_directories,
            .options = definition.build.options,
            .device = device};
}

std::vector<std::string> declared_names(const RawDefinition& definition) {
    std::vector<std::string> names;
    for (const UserText& text : definition.texts) {
        for (std::string& name : declared_kernels(text.text)) names.push_back(std::move(name));
    }
    return names;
}

// Returns the sources and those of the user's headers that they include.
std::vector<UserText> written_texts(const RawDefinition& definition, DeviceKind device) {
    std::vector<UserText> texts = definition.texts;
    if (texts.empty()) return texts;
    const IncludedFiles included = find_included_files(include_request(definition, device));
    for (UserText& header : user_headers(included)) texts.push_back(std::move(header));
    return texts;
}

std::vector<DeclaredKernel> declarations(const RawDefinition& definition,
                                         const ProgramName& kernel,
                                         std::size_t parameter_count,
                                         const std::vector<UserText>& texts,
                                         DeviceKind device) {
    const std::string& name = kernel.shown();
    std::vector<DeclaredKernel> found =
        find_declared_kernels(texts, name, device, definition.build.options);
    std::erase_if(found, [&](const DeclaredKernel& each) {
        return each.parameters.size() != parameter_count;
    });
    // If several remain, those with the same qualified name are preferred.
    const std::string qualified = normalized_name(name.substr(0, name.find_first_of("<(")));
    const auto is_it = [&](const DeclaredKernel& each) { return each.name == qualified; };
    if (std::any_of(found.begin(), found.end(), is_it)) std::erase_if(found, std::not_fn(is_it));
    return found;
}

// Reads the parameter types of an extern "C" kernel from the sources. A type that two declarations spell
// differently is unknown.
std::vector<ParameterType> declared_types(const RawDefinition& definition,
                                          const ProgramName& kernel,
                                          std::size_t parameter_count,
                                          DeviceKind device) {
    if (kernel.declaration != kernel.symbol || parameter_count == 0) return {};
    const std::vector<UserText> texts = written_texts(definition, device);
    std::vector<ParameterType> types;
    for (const DeclaredKernel& each :
         declarations(definition, kernel, parameter_count, texts, device)) {
        if (each.is_template) continue;
        const bool is_first = types.empty();
        for (std::size_t k = 0; k < parameter_count; ++k) {
            ParameterType type =
                read_declared_type(each.parameters[k], texts, definition.build.options);
            if (is_first) {
                types.push_back(std::move(type));
            } else if (types[k].text != type.text) {
                types[k] = {};
            }
        }
    }
    return types;
}

}  // namespace

std::uint64_t loaded_program_hits() {
    return process_programs().hits();
}

const std::string& RawProgram::code() const noexcept {
    static const std::string none;
    return definition_.texts.empty() ? none : definition_.texts.front().text;
}

const LoadedProgram& RawProgram::on(const Backend& backend) const {
    // The table never removes a value, so the reference stays valid.
    return *loaded_.get(&backend, [&] { return load(backend); });
}

// Replaces "program 'x'" in the errors of the stages by the kernel or module that the user defined.
RawProgram::Loaded RawProgram::load(const Backend& backend) const {
    const auto renamed = [&](const Error& error) {
        return with_subject(error.what(), definition_.program, definition_.subject);
    };
    try {
        return definition_.compiled ? load_file(backend) : load_sources(backend);
    } catch (const CompileError& error) {
        throw with_parts(CompileError(renamed(error), error.log(), error.source()), error.parts());
    } catch (const DeviceError& error) {
        throw DeviceError(renamed(error), error.call(), error.code());
    }
}

RawProgram::Loaded RawProgram::load_sources(const Backend& backend) const {
    const DeviceKind kind = backend.device().kind();
    const RawOptions& build = definition_.build;
    const IncludeRequest includes = include_request(definition_, kind);
    const IncludedFiles included = find_included_files(includes);
    const RawSource source = make_raw_source({.program = definition_.program,
                                              .texts = definition_.texts,
                                              .names = definition_.names,
                                              .device = kind,
                                              .options = build.options,
                                              .headers = included.headers,
                                              .own_headers = user_headers(included)});
    CompileJob job{.kernel = definition_.program,
                   .source = source.text,
                   .symbol = {},
                   .options = build.options,
                   .target = backend.target(),
                   .kind = SourceKind::raw,
                   .name_expressions = definition_.names,
                   .lowered_names = source.lowered_names,
                   .include_directories = included.include_directories,
                   .included_digest = included.digest,
                   .linked_sources = source.linked};
    for (const UserText& text : source.user_texts) job.user_texts.push_back(text.text);
    for (const Header& header : included.headers) {
        job.headers.push_back(
            is_stand_in(header, included)
                ? header
                : Header{header.name,
                         make_raw_header({header.name, header.text}, kind, definition_.program)});
    }
    if (build.arch && !traits(kind).is_single) job.target.arch = *build.arch;

    const Compiler& maker = compiler(kind);
    const ImageRequest request = make_request(job, maker);
    const auto find = [&] {
        try {
            return find_or_compile(job, request, maker, process_store());
        } catch (const CompileError& error) {
            const std::string missing = explain_missing_header(error.log(), includes, included);
            throw explain_raw_error(
                error, texts_of(source, included), declared_names(definition_), missing);
        }
    };
    const auto make = [&] {
        const FoundImage found = find();
        try {
            return load_image(found.image, backend);
        } catch (const DeviceError& error) {
            if (found.origin != ImageOrigin::cache || !is_rejection(error)) throw;
            reject_image(request, found, error.what(), process_store());
            return load_image(find().image, backend);
        }
    };
    // If the request does not contain everything that the image depends on, it is not shared.
    if (!is_reproducible(job)) return make();
    return process_programs().get({request.digest, backend.device()}, make);
}

RawProgram::Loaded RawProgram::load_file(const Backend& backend) const {
    return process_programs().get({definition_.compiled->digest, backend.device()},
                                  [&] { return load_image(definition_.compiled->image, backend); });
}

RawProgram::Loaded RawProgram::load_image(const Image& image, const Backend& backend) const {
    const auto start = std::chrono::steady_clock::now();
    LoadedProgram loaded;
    loaded.module = backend.raw().load_module(image, definition_.program);
    loaded.lowered_names = image.lowered_names;
    loaded.kernels = program_names(loaded.module->kernel_symbols(), loaded.lowered_names);
    loaded.log = image.log;
    log().debug("load: {} on {}: {:.2f} ms",
                definition_.subject,
                to_text(backend.device()),
                milliseconds_since(start));
    return std::make_shared<const LoadedProgram>(std::move(loaded));
}

void RawProgram::check_kernel_name(const std::string& name) const {
    if (definition_.compiled || !is_template_name(name)) return;
    const std::string wanted = normalized_name(name);
    for (const std::string& known : definition_.names) {
        if (normalized_name(known) == wanted) return;
    }
    throw with_parts(
        CompileError(fmt::format("kernel '{}': {} has no such kernel: its names are {}{}\n"
                                 "add it to RawModuleOptions::names, which instantiates templates",
                                 name,
                                 definition_.module,
                                 list_names(definition_.names),
                                 suggest_name(name, definition_.names)),
                     "",
                     code()),
        {ErrorKind::name, {}, list_names(definition_.names), name});
}

ReadyKernels& RawProgram::kernels(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return kernels_[name];
}

std::shared_ptr<const ReadyKernel> RawProgram::make_ready(const std::string& name,
                                                          const Backend& backend) const {
    const LoadedProgram& loaded = on(backend);
    const ProgramName& found = kernel_name(name, loaded);
    std::shared_ptr<const LoadedKernel> kernel = loaded.module->kernel(found.symbol);
    if (kernel == nullptr) {
        throw DeviceError(fmt::format("kernel '{}': the code on {} has no entry point '{}'",
                                      name,
                                      to_text(backend.device()),
                                      found.symbol));
    }
    const std::span<const KernelParameter> known = kernel->parameters();
    std::vector<ParameterType> types = types_in_code(known, found.symbol);
    if (types.empty())
        types = declared_types(definition_, found, known.size(), backend.device().kind());
    std::vector<TypedParameter> parameters = type_parameters(known, types);
    const std::size_t bytes = block_bytes(parameters);
    return std::make_shared<const ReadyKernel>(ReadyKernel{.backend = &backend,
                                                           .raw = &backend.raw(),
                                                           .module = loaded.module,
                                                           .kernel = std::move(kernel),
                                                           .parameters = std::move(parameters),
                                                           .block_bytes = bytes});
}

std::vector<RawParameter> RawProgram::parameters(const std::string& name,
                                                 const ReadyKernel& ready) const {
    std::vector<RawParameter> described;
    for (const TypedParameter& each : ready.parameters)
        described.push_back(describe_parameter(each));
    const DeviceKind device = ready.backend->device().kind();
    const std::vector<DeclaredKernel> found = declarations(definition_,
                                                           kernel_name(name, on(*ready.backend)),
                                                           described.size(),
                                                           written_texts(definition_, device),
                                                           device);
    for (std::size_t k = 0; k < described.size() && !found.empty(); ++k) {
        const auto same = [&](const DeclaredKernel& each) {
            return each.parameters[k].name == found.front().parameters[k].name;
        };
        if (std::all_of(found.begin(), found.end(), same))
            described[k].name = found.front().parameters[k].name;
    }
    return described;
}

const ProgramName& RawProgram::kernel_name(const std::string& name,
                                           const LoadedProgram& loaded) const {
    const std::vector<const ProgramName*> found = find_name(name, loaded.kernels);
    if (found.size() == 1) return *found.front();
    std::vector<std::string> shown;
    std::string message;
    if (found.empty()) {
        for (const ProgramName& each : loaded.kernels) shown.push_back(each.shown());
        message = fmt::format("kernel '{}': {} has no such kernel: it has {}",
                              name,
                              definition_.module,
                              list_names(shown));
        const std::vector<std::string> declared = declared_names(definition_);
        if (std::find(declared.begin(), declared.end(), name) != declared.end()) {
            message += "\nthe source declares it, but no code was generated for it: " +
                       advise(Advice::name_templates);
        } else {
            message += suggest_name(name, shown);
        }
    } else {
        for (const ProgramName* each : found) shown.push_back(each->declaration);
        message =
            fmt::format("kernel '{}': {} has {} of that name: {}\nname one with its parameters",
                        name,
                        definition_.module,
                        found.size(),
                        list_names(shown));
    }
    throw with_parts(CompileError(message, "", code()),
                     {ErrorKind::name, {}, list_names(shown), name});
}

GlobalVariable RawProgram::variable(const std::string& name, const Backend& backend) const {
    const LoadedProgram& loaded = on(backend);
    std::vector<std::string> symbols = loaded.module->variable_symbols();
    for (const LoweredName& each : loaded.lowered_names) symbols.push_back(each.symbol);
    std::sort(symbols.begin(), symbols.end());
    symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
    const std::vector<ProgramName> names = program_names(symbols, loaded.lowered_names);
    std::optional<MemoryRegion> region;
    for (const ProgramName* each : find_name(name, names)) {
        if (!region) region = loaded.module->variable(each->symbol);
    }
    // Without PTX in the image there is no list of symbols, so the name itself is tried.
    if (!region) region = loaded.module->variable(name);
    if (region) {
        return {fmt::format("{}: variable '{}'", definition_.subject, name),
                backend.device(),
                region->pointer,
                region->bytes,
                loaded.module};
    }
    std::vector<std::string> shown;
    for (const ProgramName& each : names) {
        if (loaded.module->variable(each.symbol)) shown.push_back(each.shown());
    }
    throw with_parts(
        CompileError(fmt::format("{}: there is no variable '{}': the module has {}{}\n"
                                 "the compiler drops variables that no kernel uses: '&{}' in "
                                 "RawModuleOptions::names keeps it",
                                 definition_.subject,
                                 name,
                                 list_names(shown),
                                 suggest_name(name, shown),
                                 name),
                     "",
                     code()),
        {ErrorKind::name, {}, list_names(shown), name});
}

}  // namespace kgen
