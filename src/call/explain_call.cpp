// SPDX-License-Identifier: MIT
#include "call/explain_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <utility>

#include "call/call_memory.hpp"
#include "device/registry.hpp"
#include "image/compile_settings.hpp"
#include "image/image_entry.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/loop_table.hpp"

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
                                       [](const Array* array) { return array != nullptr; });
    const bool is_here = has_array && !wanted.device;
    imagined.target =
        is_here ? backend(call.device).target()
                : default_target(wanted.device ? wanted.device->kind() : call.device.kind());
    if (wanted.arch) imagined.target.arch = *wanted.arch;
    // A GPU that is not here has the limits of a usual one of its architecture.
    if (is_here)
        imagined.limits = backend(call.device).limits();
    else if (imagined.target.kind == DeviceKind::cuda)
        imagined.limits = arch_limits(imagined.target.arch);
    return imagined;
}

// Returns the quickest loop for the call that is in the cache, or "".
std::string present_loop(const DefinedKernel& kernel,
                         const PlanRequest& request,
                         const Target& target) {
    if (!request.loop_name.empty()) return "";
    for (const std::string& loop : loops_by_cost(request)) {
        PlanRequest named = request;
        named.loop_name = loop;
        const PlannedJob planned = kernel.make_job(named.types, make_plan(named).baked, target);
        if (find_image(planned.request, compiler(target.kind), process_store()).entry) return loop;
    }
    return "";
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

std::optional<Forecast> forecast_call(const DefinedKernel& kernel,
                                      const CallView& view,
                                      const Target& target) {
    BoundCall call = bind_call(kernel.signature(), view, CallPurpose::explain);
    imagine_memory(kernel.signature(), call);
    return make_forecast(kernel.plan_request(call, target, arch_limits(target.arch), view));
}

Explanation explain_call(const DefinedKernel& kernel,
                         const CallView& view,
                         const TargetOptions& wanted) {
    const Signature& signature = kernel.signature();
    ImaginedCall imagined = imagine(signature, view, wanted);
    const PlanRequest plan_of =
        kernel.plan_request(imagined.call, imagined.target, imagined.limits, view);
    Relaying relaying;
    if (can_compile(compiler(imagined.target.kind))) relaying = find_relaid_inputs(plan_of);
    PerParameter<Operand>& operands = imagined.call.operands;
    imagine_copies(relaying.inputs, {operands.data(), operands.size()});
    const Plan plan = make_plan(plan_of);
    const PlannedJob planned = kernel.make_job(plan_of.types, plan.baked, imagined.target);
    const ImageRequest& request = planned.request;
    const Compiler& maker = compiler(imagined.target.kind);

    Explanation result;
    result.kernel = signature.name;
    result.signature = to_text(signature);
    result.types = to_text(imagined.call.types);
    std::vector<std::string> lines = explain_plan(plan_of, plan);
    for (const auto& [k, shape, strides] : relaying.inputs)
        lines.push_back(fmt::format("copy: {} is copied before the launch, to strides {}",
                                    signature.parameters[k].name,
                                    to_text(strides)));
    if (!relaying.inputs.empty())
        lines.push_back(
            fmt::format("because: arrays lie unlike each other in memory; the copies take {:.1f} "
                        "us, what follows {:.1f} us, the "
                        "launch without them {:.1f} us (predicted)",
                        relaying.copies_ns * 1e-3,
                        relaying.call_ns * 1e-3,
                        relaying.without_ns * 1e-3));
    result.plan = fmt::format("{}", fmt::join(lines, "\n"));
    for (const LoopOffer& offer : offered_loops(plan_of)) {
        result.loops.push_back(offer.name);
        if (offer.name == loop_of(plan.baked).name && offer.device_ns)
            result.predicted_ms = (relaying.copies_ns + *offer.device_ns) * 1e-6;
    }
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
    if (found) {
        result.log = log_of(*found.entry);
        return result;
    }
    result.miss_reason = to_text(found.reason);
    if (!can_compile(maker)) {
        result.present_loop = present_loop(kernel, plan_of, imagined.target);
        if (!result.present_loop.empty())
            result.miss_reason +=
                "; nothing can be compiled, so the loop " + result.present_loop + " runs";
    }
    return result;
}

}  // namespace kgen
