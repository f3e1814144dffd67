// SPDX-License-Identifier: MIT
//
// If compiling is forbidden, the general variant of a kernel and its types serves every layout.
#include "call/explain_call.hpp"
#include "call/pipeline.hpp"
#include "device/registry.hpp"
#include "image/compile_settings.hpp"
#include "image/find_or_compile.hpp"
#include "image/process_store.hpp"
#include "support/random_reduction.hpp"
#include "support/random_trial.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

struct GeneralCall {
    Definition definition;
    std::vector<DType> dtypes;  // one for each parameter
    Dims shape = {8};           // of each input
    bool is_reduction = false;
};

PlannedJob general_job(Device device, const GeneralCall& call) {
    const Pipeline pipeline(call.definition, Merging::yes);
    std::vector<Argument> arguments;
    for (std::size_t k = 0; k < call.dtypes.size(); ++k) {
        const bool folded = call.is_reduction && pipeline.signature().parameters[k].output;
        arguments.emplace_back(ArraySpec{call.dtypes[k], folded ? Dims{} : call.shape, {}});
    }
    const CallOptions options;
    const CallView view(arguments, options);
    return plan_job(pipeline.kernel(), view, {.device = device}, Fit::general, Placement::aligned);
}

// Compiles the general variant and stores it in the cache.
void compile_general(Device device, const GeneralCall& call) {
    const PlannedJob planned = general_job(device, call);
    find_or_compile(
        planned.job, planned.request, compiler(planned.job.target.kind), process_store());
}

std::vector<DType> dtypes_of(const Trial& trial) {
    std::vector<DType> dtypes;
    for (const Part& part : trial.inputs) dtypes.push_back(part.dtype);
    dtypes.push_back(trial.output.dtype);
    return dtypes;
}

}  // namespace

TEST_CASE("one variant walks random layouts right where nothing may be compiled") {
    for (const Device device : present_devices()) {
        RandomTrials random(77);
        for (int run = 0; run < 32; ++run) {
            const Trial trial = random.next();
            INFO("run " << run);
            compile_general(device,
                            {sum_definition(trial.inputs.size(), trial.extra), dtypes_of(trial)});
            const CompileModeScope never(CompileMode::never);
            check_trial(device, trial);
        }
    }
    SUCCEED();
}

TEST_CASE("one variant folds random layouts right where nothing may be compiled", "[reduction]") {
    for (const Device device : present_devices()) {
        RandomReductions random(78);
        int folded = 0;
        for (int run = 0; run < 60; ++run) {
            const ReductionTrial trial = random.next();
            if (trial.fold != Fold::sum && trial.fold != Fold::top) continue;
            INFO("run " << run);
            std::vector<DType> dtypes;
            for (const Part& part : trial.inputs) dtypes.push_back(part.dtype);
            dtypes.push_back(trial.output.dtype);
            const Definition definition = fold_definition(trial.inputs.size(), trial.fold);
            // GPUs have one general variant for many outputs, and one for few outputs of many elements each.
            compile_general(device, {definition, dtypes, {8}, true});
            compile_general(device, {definition, dtypes, {1 << 20}, true});
            const CompileModeScope never(CompileMode::never);
            check_trial(device, trial);
            ++folded;
        }
        CHECK(folded >= 30);
    }
}

TEST_CASE("a general variant depends on no layout and no size", "[plan]") {
    const auto key = [](DeviceKind device, const Dims& shape, const Dims& strides) {
        const Signature signature = parse_signature(sum_definition(2, Extra::index));
        const std::vector<DType> dtypes = {float32, uint8, float32};
        std::vector<ArgumentType> types;
        std::vector<Operand> operands;
        for (const DType dtype : dtypes) {
            types.push_back({ArgumentType::Kind::array, dtype});
            operands.push_back({.dtype = dtype,
                                .written = operands.size() == 2,
                                .shape = shape,
                                .strides = operands.empty() ? strides : c_strides(shape, 4),
                                .address = (operands.size() + 1) << 40});
        }
        const TypeBinding binding = resolve_types(signature, types);
        return to_key(make_plan({.signature = signature,
                                 .types = binding,
                                 .operands = operands,
                                 .loop = shape,
                                 .target = {device, "sm_90"},
                                 .fit = Fit::general})
                          .baked);
    };
    for (const DeviceKind device : {DeviceKind::cuda, DeviceKind::host}) {
        const std::string one = key(device, {16}, {4});
        CHECK(key(device, {3, 5, 7}, {4, 120, 12}) == one);
        CHECK(key(device, {1 << 20, 1 << 14}, {4, 1 << 22}) == one);
        CHECK(key(device, {}, {}) == one);
        CHECK(key(device, {2, 3, 2, 3, 2, 3, 2, 3}, {4, 0, 4, 0, 4, 0, 4, 0}) == one);
    }
}

TEST_CASE("a general variant says how many axes it has", "[plan]") {
    // Every other element along nine axes, so no two axes merge.
    Dims shape;
    Dims strides = Dims::filled(9, 0);
    std::int64_t stride = 8;
    for (int axis = 8; axis >= 0; --axis) {
        strides[axis] = stride;
        stride *= 4;
        shape.push_back(2);
    }
    const Trial trial{.inputs = {{float32, shape, strides}}, .output = c_part(float32, shape)};
    const Planned planned = plan_of(trial);
    const PlanRequest request{.signature = planned.signature,
                              .types = planned.types,
                              .operands = planned.operands,
                              .loop = shape,
                              .target = {DeviceKind::cuda, "sm_90"},
                              .fit = Fit::general};
    CHECK_THROWS_WITH(make_plan(request),
                      "kernel 'sum1': its general variant has 8 axes, but the layout of this call "
                      "has 9 that do not merge; pass contiguous copies, or allow compiling");
}
