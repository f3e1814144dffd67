// SPDX-License-Identifier: MIT
//
// Reductions whose inputs run along different axes, or along other axes than the outputs, run on the CPU: all axes reduced by an elementwise loop,
// kept axes joined to columns, threads of short folds that lie along two axes, and elementwise loops for outputs of one element.
#include "plan/loop_table.hpp"
#include "support/catch.hpp"
#include "support/choice.hpp"
#include "support/emulated.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

Limits few_processors() {
    Limits limits = small_limits();
    limits.processor_count = 2;
    return limits;
}

// Adds an input whose axes lie in memory in that order.
ReductionTrial with_order(ReductionTrial trial, DType dtype, const std::vector<int>& order) {
    trial.inputs.push_back(ordered_part(dtype, trial.loop, order));
    return trial;
}

ReductionTrial by_loop(ReductionTrial trial, std::string_view name) {
    trial.loop_name = name;
    return trial;
}

// Checks the trial, also with arrays that begin or end at memory that nothing may touch. Returns what the plan baked.
Baked check_everywhere(const ReductionTrial& trial) {
    const Baked baked = check_emulated(trial, Fit::call, {}, few_processors());
    for (const Edge edge : {Edge::end, Edge::begin})
        check_emulated(trial, Fit::call, edge, few_processors());
    return baked;
}

}  // namespace

TEST_CASE("an elementwise loop folds all axes of inputs that rows do not suit", "[emulated]") {
    const auto backwards = [](ReductionTrial trial) {
        trial.inputs[0].strides = negated(trial.inputs[0].strides, 1);
        return trial;
    };
    const auto strided = [](ReductionTrial trial, const Dims& strides) {
        trial.inputs[0].strides = strides;
        return trial;
    };
    const Dims square{515, 510};
    const Dims cube{61, 40, 96};
    const ReductionTrial rows[] = {
        with_order(dense_trial(float32, square, 0b11), float32, {1, 0}),
        with_order(dense_trial(float32, {512, 512}, 0b11), float32, {1, 0}),
        with_order(dense_trial(float32, square, 0b11, Fold::top), float32, {1, 0}),
        with_order(dense_trial(float32, square, 0b11, Fold::compensated), float32, {1, 0}),
        with_order(dense_trial(float32, square, 0b11, Fold::struct_16), float32, {1, 0}),
        with_order(dense_trial(float32, square, 0b11, Fold::struct_40), float32, {1, 0}),
        with_order(dense_trial(float32, square, 0b11, Fold::struct_100), float32, {1, 0}),
        backwards(with_order(dense_trial(float32, square, 0b11), float32, {1, 0})),
        with_order(dense_trial(uint8, square, 0b11), uint8, {1, 0}),
        with_order(dense_trial(int16, square, 0b11), uint8, {1, 0}),
        with_order(dense_trial(float64, square, 0b11), float64, {1, 0}),
        with_order(
            with_order(dense_trial(float32, cube, 0b111), float32, {2, 0, 1}), float16, {1, 2, 0}),
        // Short rows with gaps.
        strided(dense_trial(float32, {60001, 3}, 0b11), {20, 4}),
        strided(dense_trial(uint8, {60001, 2}, 0b11), {4, 1}),
        strided(dense_trial(int16, {60001, 2}, 0b11), {10, -2}),
        strided(dense_trial(float32, {301, 5, 130}, 0b111), {4 * 7 * 131, 4, 4 * 7}),
    };
    for (const ReductionTrial& row : rows) {
        const ReductionTrial trial = by_loop(row, "folded_elements");
        INFO(describe(trial));
        const Baked baked = check_everywhere(trial);
        CHECK(baked.loop == LoopKind::folded_elements);
        CHECK(baked.parts.size() == 1);
    }
}

TEST_CASE("kept axes that follow each other in the inputs are columns together", "[emulated]") {
    const auto ordered = [](DType dtype,
                            const Dims& loop,
                            const std::vector<int>& order,
                            AxisSet axes,
                            Fold fold = Fold::sum) {
        ReductionTrial trial = dense_trial(dtype, loop, axes, fold);
        trial.inputs[0] = ordered_part(dtype, loop, order);
        return trial;
    };
    const auto backwards = [](ReductionTrial trial, int axis) {
        trial.inputs[0].strides = negated(trial.inputs[0].strides, axis);
        return trial;
    };
    const ReductionTrial rows[] = {
        ordered(float32, {2, 32, 20001}, {2, 1, 0}, 0b100),
        ordered(float32, {2, 32, 20001}, {2, 1, 0}, 0b100, Fold::top),
        ordered(int16, {3, 5, 7, 20001}, {3, 2, 1, 0}, 0b1000),
        backwards(dense_trial(float32, {90001, 3, 5}, 0b001), 2),
        backwards(dense_trial(float16, {60001, 5, 3}, 0b001), 1),
        // Beside outer kept axes, and with inputs of another dtype in the same order.
        ordered(float32, {40, 3, 2, 5001}, {0, 3, 2, 1}, 0b1000),
        with_order(ordered(float32, {3, 4, 90001}, {2, 1, 0}, 0b100), uint8, {2, 1, 0}),
    };
    for (const ReductionTrial& row : rows) {
        const ReductionTrial trial = by_loop(row, "reduced_columns");
        INFO(describe(trial));
        CHECK(is_joined(check_everywhere(trial)));
    }
}

TEST_CASE("threads of short folds lie along the axes of both inputs", "[emulated]") {
    const ReductionTrial rows[] = {
        with_order(dense_trial(float32, {35, 3, 11000}, 0b010), float32, {2, 1, 0}),
        with_order(dense_trial(uint8, {130, 4, 2100}, 0b010), uint8, {2, 1, 0}),
        with_order(dense_trial(float32, {35, 3, 11000}, 0b010, Fold::top), float16, {2, 1, 0}),
        with_order(
            dense_trial(float32, {35, 3, 11000}, 0b010, Fold::struct_16), float32, {2, 1, 0}),
    };
    for (const ReductionTrial& row : rows) {
        const ReductionTrial trial = by_loop(row, "short_folds");
        INFO(describe(trial));
        const Baked baked = check_everywhere(trial);
        REQUIRE(baked.loop == LoopKind::short_folds);
        CHECK(baked.as<ThreadFoldsChoice>().turned);
    }
}

TEST_CASE("an elementwise loop runs a reduction whose outputs have one element each",
          "[emulated]") {
    const ReductionTrial rows[] = {
        dense_trial(float32, {1, 70001}, 0b01),
        dense_trial(float32, {1, 70001}, 0b01, Fold::top),
        dense_trial(float32, {1, 70001}, 0b01, Fold::compensated),
        dense_trial(float32, {300, 1, 301}, 0b010, Fold::struct_16),
        dense_trial(float32, {300, 1, 301}, 0b010, Fold::struct_40),
        dense_trial(float32, {300, 1, 301}, 0b010, Fold::struct_100),
        dense_trial(uint8, {300, 301}, 0),
        with_order(dense_trial(float32, {512, 1, 520}, 0b010), float32, {2, 1, 0}),
        with_order(dense_trial(int16, {512, 1, 520}, 0b010), uint8, {2, 1, 0}),
    };
    for (const ReductionTrial& trial : rows) {
        INFO(describe(trial));
        CHECK_FALSE(is_reduction(check_everywhere(trial).loop));
    }
    // A text that asks for a place needs a loop that counts it.
    const ReductionTrial places = dense_trial(float32, {1, 70001}, 0b01, Fold::places);
    CHECK(is_reduction(check_everywhere(places).loop));
}

TEST_CASE("a folding elementwise loop finds numbers, raw arrays and outputs", "[emulated]") {
    // The block of parameters ends in a narrow number behind a wide one, whose padding the own fields must not take.
    const Dims loop{512, 512};
    Planned planned{
        .signature = parse_signature(
            {.name = "placed",
             .inputs = "float32 x, float32 y, raw _non_const int32 w, complex128 s, "
                       "float32 t",
             .outputs = "float32 z, float32 v",
             .operation = "w[0] = 7, x * y",
             .reduction = ReductionTexts{
                 .reduce = "a + b", .post_map = "z = z + a + t; v = 2 * a", .identity = "0"}})};
    std::vector<float> x(512 * 512, 1);
    std::vector<float> y(512 * 512, 2);
    std::int32_t w = 0;
    float z = 5;
    float v = -1;
    const auto array = [](DType dtype, void* at, const Dims& shape, const Dims& strides) {
        return Operand{.dtype = dtype,
                       .shape = shape,
                       .strides = strides,
                       .address = reinterpret_cast<std::uintptr_t>(at)};
    };
    Operand s{.kind = OperandKind::scalar, .dtype = complex128};
    Operand t{.kind = OperandKind::scalar, .dtype = float32};
    convert_scalar(Scalar(3), t.dtype, t.scalar.data());
    planned.operands = {array(float32, x.data(), loop, {2048, 4}),
                        array(float32, y.data(), loop, {4, 2048}),
                        array(int32, &w, {1}, {4}),
                        s,
                        t,
                        array(float32, &z, {1, 1}, {0, 0}),
                        array(float32, &v, {1, 1}, {0, 0})};
    planned.operands[2].kind = OperandKind::raw;
    for (const std::size_t k : {2U, 5U, 6U}) planned.operands[k].written = true;
    using Kind = ArgumentType::Kind;
    planned.types = resolve_types(planned.signature,
                                  std::vector<ArgumentType>{{Kind::array, float32},
                                                            {Kind::array, float32},
                                                            {Kind::array, int32},
                                                            {Kind::scalar, complex128},
                                                            {Kind::scalar, float32},
                                                            {Kind::array, float32},
                                                            {Kind::array, float32}});
    planned.plan = make_plan({.signature = planned.signature,
                              .types = planned.types,
                              .operands = planned.operands,
                              .loop = loop,
                              .reduced_axes = 0b11,
                              .target = {DeviceKind::cuda, "sm_90"},
                              .limits = few_processors(),
                              .loop_name = "folded_elements"});
    CHECK(planned.plan.baked.loop == LoopKind::folded_elements);
    run_emulated(planned);
    CHECK(z == 5 + 2 * 512 * 512 + 3);
    CHECK(v == 4 * 512 * 512);
    CHECK(w == 7);
}

TEST_CASE("eight kept axes that do not merge are found again by their outputs", "[emulated]") {
    const Dims loop{40, 2, 2, 2, 2, 2, 2, 2, 2};
    for (const std::string_view name : {"reduced_columns", "short_folds"}) {
        ReductionTrial trial = by_loop(dense_trial(float32, loop, 0b1), name);
        Dims& strides = trial.inputs[0].strides;
        std::int64_t stride = 4;
        for (int axis = 8; axis >= 0; --axis) {  // a gap behind each axis
            strides[axis] = stride;
            stride = stride * loop[axis] + 4;
        }
        INFO(describe(trial));
        check_everywhere(trial);
    }
}
