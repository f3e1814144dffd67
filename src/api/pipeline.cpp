// SPDX-License-Identifier: MIT
//
// All stages on one screen: see Pipeline::run and Pipeline::build.
#include "api/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>

#include "api/call_memory.hpp"
#include "array/storage.hpp"
#include "device/registry.hpp"
#include "kernel/loaded_kernel.hpp"
#include "text/compiler_log.hpp"
#include "text/log.hpp"

namespace kgen {

namespace {

std::string table_key(const TypeBinding& types, const Baked& baked, Device device) {
    std::string key = to_text(device) + ' ';
    for (const DType dtype : types.dtypes) key += static_cast<char>('a' + static_cast<int>(dtype));
    return key + ' ' + to_key(baked);
}

// The stream of a call, checked against the device of its arrays.
Stream stream_of(const std::string& kernel, const BoundCall& call, const CallOptions& options) {
    if (!options.stream) return current_stream(call.device);
    if (options.stream->device() == call.device) return *options.stream;
    throw ShapeError(fmt::format("kernel '{}': the stream is of {}, but the call is on {}",
                                 kernel,
                                 to_text(options.stream->device()),
                                 to_text(call.device)));
}

// The same failure in the user's terms: where in which of their strings.
CompileError explain_error(const CompileError& error, const std::vector<UserText>& user_texts) {
    std::vector<LabelledText> texts;
    for (const UserText& text : user_texts) texts.push_back({text.label, text.text});
    std::string where = describe_errors(error.log(), texts);
    if (where.empty()) where = first_error(error.log());
    if (where.empty()) return error;
    const std::string message = error.what();
    return CompileError(
        message.substr(0, message.find('\n')) + "\n" + where, error.log(), error.source());
}

}  // namespace

Pipeline::Pipeline(Definition definition, Merging merging)
    : definition_(std::move(definition)),
      signature_(parse_signature(definition_)),
      merging_(merging) {}

PlanRequest Pipeline::plan_request(const BoundCall& call,
                                   const Target& target,
                                   const Limits& limits,
                                   const CallOptions& options) const {
    return {.signature = signature_,
            .types = call.types,
            .operands = call.operands,
            .loop = call.loop,
            .target = target,
            .limits = limits,
            .block_size = options.block_size,
            .merging = merging_};
}

CompileJob Pipeline::make_job(const Source& source, const Target& target) const {
    return {.kernel = signature_.name,
            .source = source.text,
            .symbol = source.symbol,
            .options = definition_.options,
            .target = target};
}

std::vector<Array> Pipeline::run(std::span<const Argument> arguments,
                                 const CallOptions& options) const {
    BoundCall call = bind_call(signature_, arguments, options, CallPurpose::run);
    const Stream stream = stream_of(signature_.name, call, options);
    const StreamScope scope(stream);  // memory is allocated, and inputs are copied, in its order
    const Backend& device = backend(call.device);
    prepare_memory(signature_, call);
    const Plan plan = make_plan(plan_request(call, device.target(), device.limits(), options));
    if (plan.runtime.count > 0) {
        const auto kernel = table_.get(table_key(call.types, plan.baked, call.device),
                                       [&] { return build(call.types, plan.baked, device); });
        for (const Array& array : call.arrays) {
            if (array.has_value()) array.storage()->used_on(stream);
        }
        launch_kernel(*kernel, plan.runtime, device, stream.handle(), signature_.name);
        finish_memory(call);
    }
    return {std::make_move_iterator(call.arrays.begin() + signature_.input_count),
            std::make_move_iterator(call.arrays.end())};
}

std::shared_ptr<const LoadedKernel> Pipeline::build(const TypeBinding& types,
                                                    const Baked& baked,
                                                    const Backend& device) const {
    log().debug("plan: kernel '{}' ({}) on {}: {}",
                signature_.name,
                to_text(types),
                to_text(device.device()),
                describe_loop(baked));
    const Source source = generate_source(definition_, signature_, types, baked);
    const CompileJob job = make_job(source, device.target());
    const ImageRequest request = make_request(job, compiler(job.target.kind));
    return process_kernels().get({request.digest, device.device()}, [&] {
        const FoundImage found = find_image_for(source, job, request);
        try {
            return load_kernel(found.image, device, signature_.name);
        } catch (const DeviceError& error) {
            if (found.origin != ImageOrigin::cache || !is_rejection(error)) throw;
            process_store().reject(request.digest, found.producer_identity, error.what());
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
        throw explain_error(error, source.user_texts);
    }
}

Explanation Pipeline::explain(std::span<const Argument> arguments,
                              const CallOptions& options,
                              const TargetOptions& wanted) const {
    BoundCall call = bind_call(signature_, arguments, options, CallPurpose::explain);
    imagine_memory(signature_, call);
    const bool has_array = std::any_of(call.arrays.begin(),
                                       call.arrays.end(),
                                       [](const Array& array) { return array.has_value(); });
    const bool is_there = has_array && !wanted.device;
    Target target =
        is_there ? backend(call.device).target()
                 : default_target(wanted.device ? wanted.device->kind() : call.device.kind());
    const Limits limits = is_there ? backend(call.device).limits() : Limits{};
    if (wanted.arch) target.arch = *wanted.arch;
    const PlanRequest plan_of = plan_request(call, target, limits, options);
    const Plan plan = make_plan(plan_of);
    const Source source = generate_source(definition_, signature_, call.types, plan.baked);
    const Compiler& maker = compiler(target.kind);
    const ImageRequest request = make_request(make_job(source, target), maker);

    Explanation result;
    result.signature = to_text(signature_);
    result.types = to_text(call.types);
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
    return result;
}

}  // namespace kgen
