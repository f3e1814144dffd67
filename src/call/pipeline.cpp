// SPDX-License-Identifier: MIT
//
// Pipeline::run and Pipeline::build call all stages in order.
#include "call/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <kgen/error.hpp>

#include "call/call_memory.hpp"
#include "call/planned_launch.hpp"
#include "call/scratch_use.hpp"
#include "device/registry.hpp"
#include "image/compile_settings.hpp"
#include "kernel/loaded_kernel.hpp"
#include "memory/memory_check.hpp"
#include "memory/storage.hpp"
#include "text/log.hpp"
#include "types/accumulator.hpp"

namespace kgen {

bool Pipeline::run_remembered(RememberedCalls& calls,
                              const CallView& view,
                              const CallOperands& operands,
                              std::span<Array> results) const {
    const std::string& name = signature().name;
    RememberedCall* known = calls.find(view, operands);
    if (known == nullptr) return false;
    if (known->relaid().empty()) return known->run(view, operands, name, results);
    const std::vector<RelaidInput> inputs = known->relaid();
    const Stream stream = known->stream_of(view);
    if (!may_relay(known->backend(), stream)) return false;
    const std::vector<Array> copies =
        relaid_copies(inputs, {operands.arrays.data(), operands.count}, stream);
    known = calls.find(view, operands);
    if (known == nullptr || known->relaid().size() != inputs.size()) return false;
    if (!copies.empty()) {
        try {
            return known->run(view, operands, name, results, copies);
        } catch (const DeviceError&) {
            // The outputs may fit without the copies.
            std::fill(results.begin(), results.end(), Array());
        }
    }
    known->forget();
    return false;
}

void Pipeline::run(const CallView& view, std::span<Array> results) const {
    const Signature& signature = kernel_.signature();
    CallOperands operands;
    RememberedCalls* remembered =
        !checks_pointers() && !view.section && operands.read(signature, view)
            ? remembered_.of_this_thread()
            : nullptr;
    if (remembered != nullptr && run_remembered(*remembered, view, operands, results)) return;

    BoundCall call = bind_call(signature, view, CallPurpose::run);
    const Stream stream = stream_of(signature, call, view);
    const Backend& device = backend(call.device);
    check_arguments(signature, call);
    prepare_memory(signature, call, stream, Temporaries::allowed);
    if (!call.has_temporaries && can_compile(compiler(device.target().kind))) {
        Relaying relaying =
            find_relaid_inputs(kernel_.plan_request(call, device.target(), device.limits(), view));
        const bool is_relaid = !relaying.inputs.empty();
        if (is_relaid && may_relay(device, stream))
            relay_inputs(call, std::move(relaying.inputs), stream);
        else if (is_relaid)
            remembered = nullptr;  // calls that nobody captures have copies
    }
    const Variant* variant = nullptr;
    Plan plan;
    try {
        plan = plan_call(call, device, view, variant);
    } catch (const Error&) {
        if (call.relaid.empty()) throw;
        leave_inputs(call);
        plan = plan_call(call, device, view, variant);
    }
    if (variant != nullptr) {
        if (remembered != nullptr)
            remembered->record(signature, view, operands, call, plan, *variant, device);
        for (const Array* array : call.arrays) {
            if (array != nullptr) array->storage()->used_on(stream);
        }
        view.use_images(stream);
        if (const ScratchUse use = scratch_use(*variant, plan.runtime))
            use.fill(plan.runtime.block, device.scratch(use.counters, use.bytes, stream.handle()));
        launch_kernel(*variant->code.kernel, plan.runtime, device, stream.handle(), signature.name);
        finish_memory(call, stream);
    }
    for (std::size_t k = 0; k < results.size(); ++k)
        results[k] = *call.arrays[static_cast<std::size_t>(signature.input_count) + k];
}

BoundLaunch Pipeline::bind(const CallView& view) const {
    const Signature& signature = kernel_.signature();
    BoundCall call = bind_call(signature, view, CallPurpose::run);
    const Stream stream = stream_of(signature, call, view);
    const Backend& device = backend(call.device);
    check_arguments(signature, call);
    prepare_memory(signature, call, stream, Temporaries::refused);
    const Variant* variant = nullptr;
    const Plan plan = plan_call(call, device, view, variant);
    return BoundLaunch(std::make_shared<const PlannedLaunch>(
        signature, call.arrays, view.images(), stream, device, variant, plan.runtime));
}

std::size_t Pipeline::accumulator_bytes(const CallView& view) const {
    const BoundCall call = bind_call(signature(), view, CallPurpose::explain);
    const Variant* variant = nullptr;
    plan_call(call, backend(call.device), view, variant);
    return variant->code.accumulator_bytes;
}

Plan Pipeline::plan_call(const BoundCall& call,
                         const Backend& device,
                         const CallView& view,
                         const Variant*& variant) const {
    PlanRequest request = kernel_.plan_request(call, device.target(), device.limits(), view);
    Plan plan = make_plan(request);
    variant = nullptr;
    if (plan.runtime.count == 0) return plan;
    try {
        variant = &variant_of(call, plan.baked, device);
        return plan;
    } catch (const Error&) {
        if (can_compile(compiler(device.target().kind))) throw;
        // The first error names the missing variant of this call, which the user can precompile.
        const std::exception_ptr missing = std::current_exception();
        const auto is_present = [&] {
            try {
                plan = make_plan(request);
                variant = &variant_of(call, plan.baked, device);
                return true;
            } catch (const Error&) {
                return false;
            }
        };
        const auto tell = [&](std::string_view missed, std::string_view runs) {
            log().info("kernel '{}' ({}) on {}: {} and nothing can be compiled; {}",
                       signature().name,
                       to_text(call.types),
                       to_text(device.device()),
                       missed,
                       runs);
        };
        if (request.loop_name.empty()) {
            // The quickest loop is among them, because a loop may have another form if it is named.
            for (const std::string& loop : loops_by_cost(request)) {
                request.loop_name = loop;
                if (!is_present()) continue;
                tell("the quickest loop for this layout is not compiled",
                     fmt::format("the loop {} runs", loop));
                return plan;
            }
            request.loop_name = {};
        }
        request.fit = Fit::general;
        const bool has_general = signature().row_outputs == nullptr;
        if (!has_general || !is_present()) std::rethrow_exception(missing);
        tell("no compiled variant fits this layout", "its general variant runs, which is slower");
    }
    return plan;
}

const Variant& Pipeline::variant_of(const BoundCall& call,
                                    const Baked& baked,
                                    const Backend& device) const {
    return variants_.get(call.types, baked, call.device, [&] {
        VariantCode code{.kernel = build(call.types, baked, device)};
        if (signature().reduction)
            code.accumulator_bytes = kgen::accumulator_bytes(signature(), call.types);
        if (code.accumulator_bytes == 0) code.accumulator_bytes = code.kernel->accumulator_bytes();
        return code;
    });
}

std::shared_ptr<const LoadedKernel> Pipeline::build(const TypeBinding& types,
                                                    const Baked& baked,
                                                    const Backend& device) const {
    const std::string& name = signature().name;
    const PlannedJob planned = kernel_.make_job(types, baked, device.target());
    log().debug("plan: kernel '{}' ({}) on {}: {}",
                name,
                to_text(types),
                to_text(device.device()),
                planned.job.layout);
    return process_kernels().get({planned.request.digest, device.device()}, [&] {
        const FoundImage found = kernel_.find_image(planned);
        try {
            return load_kernel(found.image, device, name);
        } catch (const DeviceError& error) {
            if (found.origin != ImageOrigin::cache || !is_rejection(error)) throw;
            reject_image(planned.request, found, error.what(), process_store());
            return load_kernel(kernel_.find_image(planned).image, device, name);
        }
    });
}

}  // namespace kgen
