// SPDX-License-Identifier: MIT
#include "call/defined_kernel.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>
#include <utility>

#include "device/registry.hpp"
#include "program/user_errors.hpp"
#include "signature/lexed_definition.hpp"
#include "signature/output_uses.hpp"
#include "text/error_parts.hpp"

namespace kgen {

namespace {

// Compilers take C strings, so they would ignore the text after a NUL.
void check_directories(const Signature& signature) {
    for (const std::string& directory : signature.definition().include_directories) {
        const bool has_nul = directory.find('\0') != std::string::npos;
        if (!has_nul && !directory.empty()) continue;
        refuse<SignatureError>(
            {ErrorKind::option, "include_directories", "a directory", directory},
            "kernel '{}': an include directory {}",
            signature.name,
            has_nul ? "holds a NUL character" : "is empty; name the working directory with '.'");
    }
}

}  // namespace

DefinedKernel::DefinedKernel(Definition definition, Merging merging)
    : signature_(parse_signature(std::move(definition))), merging_(merging) {
    check_outputs_named(signature_);
    check_directories(signature_);
}

PlanRequest DefinedKernel::plan_request(const BoundCall& call,
                                        const Target& target,
                                        const Limits& limits,
                                        const CallView& view) const {
    return {.signature = signature_,
            .types = call.types,
            .operands = call.operands,
            .loop = call.loop,
            .reduced_axes = call.reduced_axes,
            .target = target,
            .limits = limits,
            .block_size = view.block_size,
            .merging = merging_,
            .fit = Fit::call,
            .loop_name = signature_.definition().loop,
            .section = view.section};
}

IncludeRequest DefinedKernel::include_request(DeviceKind device) const {
    IncludeRequest request{.texts = {},
                           .headers = {},
                           .include_directories = signature_.definition().include_directories,
                           .options = signature_.definition().options,
                           .device = device};
    for (const CodeText& each : code_texts(signature_.definition()))
        request.texts.push_back({std::string(each.label), *each.text});
    return request;
}

PlannedJob DefinedKernel::make_job(const TypeBinding& types,
                                   const Baked& baked,
                                   const Target& target) const {
    IncludedFiles included;
    if (signature_.lexed->includes_files)
        included = find_included_files(include_request(target.kind));
    PlannedJob planned;
    planned.source = generate_source(signature_, types, baked, user_headers(included));
    CompileJob& job = planned.job;
    job = {.kernel = signature_.name,
           .source = planned.source.text,
           .symbol = planned.source.symbol,
           .options = signature_.definition().options,
           .target = target,
           .accumulator_symbol = planned.source.accumulator_symbol,
           .dtypes = describe_dtypes(signature_, types),
           .layout = describe_loop(baked)};
    for (const UserText& text : planned.source.user_texts) job.user_texts.push_back(text.text);
    if (signature_.definition().reduction)
        job.user_texts.push_back(signature_.definition().reduction->reduce_type);
    job.headers = std::move(included.headers);
    job.include_directories = std::move(included.include_directories);
    job.included_digest = std::move(included.digest);
    planned.request = make_request(job, compiler(target.kind));
    return planned;
}

FoundImage DefinedKernel::find_image(const PlannedJob& planned) const {
    const DeviceKind device = planned.job.target.kind;
    try {
        return find_or_compile(planned.job, planned.request, compiler(device), process_store());
    } catch (const CompileError& error) {
        std::vector<UserText> texts = planned.source.user_texts;
        if (!signature_.lexed->includes_files) throw explain_error(error, texts);
        const IncludeRequest includes = include_request(device);
        const IncludedFiles included = find_included_files(includes);
        for (UserText& header : user_headers(included)) texts.push_back(std::move(header));
        const CompileError told = explain_error(error, texts);
        const std::string missing = explain_missing_header(error.log(), includes, included);
        if (missing.empty()) throw told;
        throw with_parts(
            CompileError(std::string(told.what()) + "\n" + missing, told.log(), told.source()),
            told.parts());
    }
}

PlannedJob retarget(const PlannedJob& planned, const std::string& arch) {
    PlannedJob other = planned;
    other.job.target.arch = arch;
    other.request = retarget_request(planned.request, planned.job.target.arch, other.job);
    return other;
}

}  // namespace kgen
