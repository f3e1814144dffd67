// SPDX-License-Identifier: MIT
//
// Pipeline::run and Pipeline::build call all stages in order.
#include "call/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <kgen/error.hpp>

#include "call/call_memory.hpp"
#include "call/nearest_entry.hpp"
#include "call/planned_launch.hpp"
#include "call/scratch_use.hpp"
#include "device/registry.hpp"
#include "image/can_compile.hpp"
#include "kernel/loaded_kernel.hpp"
#include "memory/memory_check.hpp"
#include "memory/storage.hpp"
#include "program/user_errors.hpp"
#include "signature/output_uses.hpp"
#include "text/log.hpp"
#include "types/accumulator.hpp"

namespace kgen {

namespace {

// Returns the stream of a call. Throws ShapeError if it belongs to another device than the arrays.
Stream stream_of(const std::string& kernel, const BoundCall& call, const CallView& view) {
    if (view.stream == nullptr) return current_stream(call.device);
    if (view.stream->device() == call.device) return *view.stream;
    throw ShapeError(fmt::format("kernel '{}': the stream is of {}, but the call is on {}",
                                 kernel,
                                 to_text(view.stream->device()),
                                 to_text(call.device)));
}

}  // namespace

Pipeline::Pipeline(Definition definition, Merging merging)
    : definition_(std::move(definition)),
      signature_(parse_signature(definition_)),
      includes_files_(includes_files(definition_)),
      merging_(merging) {
    check_outputs_named(signature_);
}

PlanRequest Pipeline::plan_request(const BoundCall& call,
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
            .merging = merging_};
}

IncludeRequest Pipeline::include_request(DeviceKind device) const {
    IncludeRequest request{.texts = {},
                           .headers = {},
                           .include_directories = {},
                           .options = definition_.options,
                           .device = device};
    for (const CodeText& each : code_texts(definition_))
        request.texts.push_back({std::string(each.label), *each.text});
    return request;
}

IncludedFiles Pipeline::included_files(DeviceKind device) const {
    return includes_files_ ? find_included_files(include_request(device)) : IncludedFiles();
}

CompileJob Pipeline::make_job(const Source& source,
                              IncludedFiles included,
                              const Target& target) const {
    CompileJob job{.kernel = signature_.name,
                   .source = source.text,
                   .symbol = source.symbol,
                   .options = definition_.options,
                   .target = target,
                   .accumulator_symbol = source.accumulator_symbol};
    for (const UserText& text : source.user_texts) job.user_texts.push_back(text.text);
    if (definition_.reduction) job.user_texts.push_back(definition_.reduction->reduce_type);
    job.headers = std::move(included.headers);
    job.include_directories = std::move(included.include_directories);
    job.included_digest = std::move(included.digest);
    return job;
}

std::vector<std::string> Pipeline::parameter_names() const {
    std::vector<std::string> names;
    for (const Parameter& parameter : signature_.parameters) names.push_back(parameter.name);
    return names;
}

std::vector<Array> Pipeline::run_all(const CallView& view) const {
    std::vector<Array> results(static_cast<std::size_t>(signature_.output_count()));
    run(view, results);
    return results;
}

Array Pipeline::run_single(const CallView& view) const {
    const int outputs = signature_.output_count();
    if (outputs > 1) {
        throw TypeError(fmt::format(
            "kernel '{0}': it has {1} outputs; call outputs<{1}>(...)", signature_.name, outputs));
    }
    Array result;
    run(view, std::span<Array>(&result, static_cast<std::size_t>(outputs)));
    return result;
}

void Pipeline::run_several(const CallView& view, std::span<Array> results) const {
    const int outputs = signature_.output_count();
    if (static_cast<std::size_t>(outputs) != results.size()) {
        throw TypeError(fmt::format("kernel '{}': outputs<{}> was called, but it has {} output{}",
                                    signature_.name,
                                    results.size(),
                                    outputs,
                                    outputs == 1 ? "" : "s"));
    }
    run(view, results);
}

void Pipeline::run(const CallView& view, std::span<Array> results) const {
    CallOperands operands;
    RememberedCalls* remembered = !checks_pointers() && operands.read(signature_, view)
                                      ? remembered_.of_this_thread()
                                      : nullptr;
    if (remembered != nullptr) {
        RememberedCall* known = remembered->find(view, operands);
        if (known != nullptr && known->run(view, operands, signature_.name, results)) return;
    }

    BoundCall call = bind_call(signature_, view, CallPurpose::run);
    const Stream stream = stream_of(signature_.name, call, view);
    const Backend& device = backend(call.device);
    check_arguments(call);
    prepare_memory(signature_, call, stream, Temporaries::allowed);
    PlannedCall planned = plan_call(call, device, view);
    Plan& plan = planned.plan;
    if (planned.variant != nullptr) {
        const Variant& variant = *planned.variant;
        if (remembered != nullptr)
            remembered->record(signature_, view, operands, call, plan, variant, device);
        for (const Array& array : call.arrays) {
            if (array.has_value()) array.storage()->used_on(stream);
        }
        view.use_images(stream);
        if (const ScratchUse use = scratch_use(variant, plan.runtime))
            use.fill(plan.runtime.block, device.scratch(use.counters, use.bytes, stream.handle()));
        launch_kernel(*variant.code.kernel, plan.runtime, device, stream.handle(), signature_.name);
        finish_memory(call, stream);
    }
    std::move(call.arrays.begin() + signature_.input_count, call.arrays.end(), results.begin());
}

BoundLaunch Pipeline::bind(const CallView& view) const {
    BoundCall call = bind_call(signature_, view, CallPurpose::run);
    const Stream stream = stream_of(signature_.name, call, view);
    const Backend& device = backend(call.device);
    check_arguments(call);
    prepare_memory(signature_, call, stream, Temporaries::refused);
    const PlannedCall planned = plan_call(call, device, view);
    return BoundLaunch(std::make_shared<const PlannedLaunch>(signature_,
                                                             call.arrays,
                                                             view.images(),
                                                             stream,
                                                             device,
                                                             planned.variant,
                                                             planned.plan.runtime));
}

// Checks the memory of the arrays. Only does so if KGEN_CHECK_POINTERS is set.
void Pipeline::check_arguments(const BoundCall& call) const {
    if (!checks_pointers()) return;
    for (std::size_t k = 0; k < call.arrays.size(); ++k) {
        check_foreign(
            fmt::format("kernel '{}': {}", signature_.name, describe_argument(signature_, k)),
            call.arrays[k]);
    }
}

Pipeline::PlannedCall Pipeline::plan_call(const BoundCall& call,
                                          const Backend& device,
                                          const CallView& view) const {
    PlanRequest request = plan_request(call, device.target(), device.limits(), view);
    PlannedCall planned{.plan = make_plan(request)};
    if (planned.plan.runtime.count == 0) return planned;
    try {
        planned.variant = &variant_of(call, planned.plan.baked, device);
        return planned;
    } catch (const Error&) {
        if (can_compile(compiler(device.target().kind))) throw;
        const std::exception_ptr missing = std::current_exception();
        request.fit = Fit::general;
        try {
            planned.plan = make_plan(request);
            planned.variant = &variant_of(call, planned.plan.baked, device);
        } catch (const Error&) {
            // The first error names the missing variant of this call, which the user can precompile.
            std::rethrow_exception(missing);
        }
    }
    log().info(
        "kernel '{}' ({}) on {}: no compiled variant fits this layout and nothing can be "
        "compiled; its general variant runs, which is slower",
        signature_.name,
        to_text(call.types),
        to_text(device.device()));
    return planned;
}

const Variant& Pipeline::variant_of(const BoundCall& call,
                                    const Baked& baked,
                                    const Backend& device) const {
    return variants_.get(call.types, baked, call.device, [&] {
        VariantCode code{.kernel = build(call.types, baked, device)};
        if (signature_.reduction)
            code.accumulator_bytes = accumulator_bytes(signature_, call.types);
        if (code.accumulator_bytes == 0) code.accumulator_bytes = code.kernel->accumulator_bytes();
        return code;
    });
}

std::shared_ptr<const LoadedKernel> Pipeline::build(const TypeBinding& types,
                                                    const Baked& baked,
                                                    const Backend& device) const {
    log().debug("plan: kernel '{}' ({}) on {}: {}",
                signature_.name,
                to_text(types),
                to_text(device.device()),
                describe_loop(baked));
    IncludedFiles included = included_files(device.target().kind);
    const Source source =
        generate_source(definition_, signature_, types, baked, user_headers(included));
    const CompileJob job = make_job(source, std::move(included), device.target());
    const ImageRequest request = make_request(job, compiler(job.target.kind));
    return process_kernels().get({request.digest, device.device()}, [&] {
        const FoundImage found = find_image_for(source, job, request);
        try {
            return load_kernel(found.image, device, signature_.name);
        } catch (const DeviceError& error) {
            if (found.origin != ImageOrigin::cache || !is_rejection(error)) throw;
            reject_image(request, found, error.what(), process_store());
            return load_kernel(find_image_for(source, job, request).image, device, signature_.name);
        }
    });
}

FoundImage Pipeline::find_image_for(const Source& source,
                                    const CompileJob& job,
                                    const ImageRequest& request) const {
    try {
        return find_or_compile(job, request, compiler(job.target.kind), process_store());
    } catch (const CompileError& error) {
        if (!includes_files_) throw explain_error(error, source.user_texts);
        const IncludeRequest includes = include_request(job.target.kind);
        const IncludedFiles included = find_included_files(includes);
        std::vector<UserText> texts = source.user_texts;
        for (UserText& header : user_headers(included)) texts.push_back(std::move(header));
        const CompileError told = explain_error(error, texts);
        const std::string missing = explain_missing_header(error.log(), includes, included);
        if (missing.empty()) throw told;
        throw CompileError(std::string(told.what()) + "\n" + missing, told.log(), told.source());
    }
}

Pipeline::ImaginedCall Pipeline::imagine(const CallView& view, const TargetOptions& wanted) const {
    ImaginedCall imagined{.call = bind_call(signature_, view, CallPurpose::explain)};
    BoundCall& call = imagined.call;
    imagine_memory(signature_, call);
    const bool has_array = std::any_of(call.arrays.begin(),
                                       call.arrays.end(),
                                       [](const Array& array) { return array.has_value(); });
    if (has_array && !wanted.device) {
        imagined.target = backend(call.device).target();
        imagined.limits = backend(call.device).limits();
    } else {
        imagined.target =
            default_target(wanted.device ? wanted.device->kind() : call.device.kind());
    }
    if (wanted.arch) imagined.target.arch = *wanted.arch;
    return imagined;
}

PlannedJob Pipeline::plan_job(const PlanRequest& request, const Plan& plan) const {
    PlannedJob planned;
    IncludedFiles included = included_files(request.target.kind);
    planned.source =
        generate_source(definition_, signature_, request.types, plan.baked, user_headers(included));
    planned.job = make_job(planned.source, std::move(included), request.target);
    planned.request = make_request(planned.job, compiler(request.target.kind));
    planned.loop = describe_loop(plan.baked);
    return planned;
}

PlannedJob Pipeline::plan_job(const CallView& view,
                              const TargetOptions& wanted,
                              Fit fit,
                              Placement placement) const {
    ImaginedCall imagined = imagine(view, wanted);
    place_memory(imagined.call, placement);
    PlanRequest request = plan_request(imagined.call, imagined.target, imagined.limits, view);
    request.fit = fit;
    return plan_job(request, make_plan(request));
}

PlannedJob Pipeline::retarget(const PlannedJob& planned, const std::string& arch) {
    PlannedJob other = planned;
    other.job.target.arch = arch;
    other.request = retarget_request(planned.request, planned.job.target.arch, other.job);
    return other;
}

Explanation Pipeline::explain(const CallView& view, const TargetOptions& wanted) const {
    const ImaginedCall imagined = imagine(view, wanted);
    const Target& target = imagined.target;
    const PlanRequest plan_of = plan_request(imagined.call, target, imagined.limits, view);
    const Plan plan = make_plan(plan_of);
    const auto& [source, job, request, loop] = plan_job(plan_of, plan);
    const Compiler& maker = compiler(target.kind);

    Explanation result;
    result.signature = to_text(signature_);
    result.types = to_text(imagined.call.types);
    result.plan = fmt::format("{}", fmt::join(explain_plan(plan_of, plan), "\n"));
    result.source = source.text;
    result.symbol = source.symbol;
    result.target = target.arch;
    result.options = request.options;
    result.request = request.digest.to_hex();
    for (const cache::DigestPart& part : request.parts) {
        result.request_parts.emplace_back(part.name, part.digest.short_hex());
    }
    std::string identity;
    try {
        const Producer& producer = maker.producer();
        result.producer = producer.name + ", " + producer.path;
        identity = producer.identity;
    } catch (const DeviceError& error) {
        result.producer = error.what();
    }
    const cache::FindResult found = find_image(request, maker, process_store());
    result.cached = found.entry.has_value();
    result.cache_entry = found ? found.path : process_store().entry_path(request.digest, identity);
    if (found) return result;
    result.miss_reason = to_text(found.reason);
    if (auto nearest = find_nearest_entry(signature_.name, request)) {
        result.nearest_entry = std::move(nearest->path);
        result.nearest_differs = std::move(nearest->differs);
    }
    return result;
}

}  // namespace kgen
