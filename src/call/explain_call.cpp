// SPDX-License-Identifier: MIT
#include "call/explain_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>

#include "call/call_memory.hpp"
#include "call/nearest_entry.hpp"
#include "device/registry.hpp"

namespace kgen {

namespace {

// A call without memory, and the target for which it is planned.
struct ImaginedCall {
    BoundCall call;
    Target target = {};
    Limits limits = {};
};

ImaginedCall imagine(const Signature& signature,
                     const CallView& view,
                     const TargetOptions& wanted) {
    ImaginedCall imagined{.call = bind_call(signature, view, CallPurpose::explain)};
    BoundCall& call = imagined.call;
    imagine_memory(signature, call);
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

}  // namespace

PlannedJob plan_job(const DefinedKernel& kernel,
                    const CallView& view,
                    const TargetOptions& wanted,
                    Fit fit,
                    Placement placement) {
    ImaginedCall imagined = imagine(kernel.signature(), view, wanted);
    place_memory(imagined.call, placement);
    PlanRequest request =
        kernel.plan_request(imagined.call, imagined.target, imagined.limits, view);
    request.fit = fit;
    return kernel.make_job(request.types, make_plan(request).baked, imagined.target);
}

Explanation explain_call(const DefinedKernel& kernel,
                         const CallView& view,
                         const TargetOptions& wanted) {
    const Signature& signature = kernel.signature();
    const ImaginedCall imagined = imagine(signature, view, wanted);
    const PlanRequest plan_of =
        kernel.plan_request(imagined.call, imagined.target, imagined.limits, view);
    const Plan plan = make_plan(plan_of);
    const PlannedJob planned = kernel.make_job(plan_of.types, plan.baked, imagined.target);
    const ImageRequest& request = planned.request;
    const Compiler& maker = compiler(imagined.target.kind);

    Explanation result;
    result.signature = to_text(signature);
    result.types = to_text(imagined.call.types);
    result.plan = fmt::format("{}", fmt::join(explain_plan(plan_of, plan), "\n"));
    result.source = planned.source.text;
    result.symbol = planned.source.symbol;
    result.target = imagined.target.arch;
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
    if (auto nearest = find_nearest_entry(signature.name, request)) {
        result.nearest_entry = std::move(nearest->path);
        result.nearest_differs = std::move(nearest->differs);
    }
    return result;
}

}  // namespace kgen
