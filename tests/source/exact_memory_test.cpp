// SPDX-License-Identifier: MIT
//
// Kernels read and write only elements of their arrays. Each loop of the host gets arrays next to protected
// pages, and so does each loop of a GPU when it runs on the CPU. If there is a GPU, the loops also run there
// with allocations of exactly the arrays' sizes, which compute-sanitizer can check.
#include "support/exact_memory.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/emulated.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr Edge edges[] = {Edge::end, Edge::begin};

template <typename AnyTrial>
void check_on(Device device, const AnyTrial& trial, Edge edge) {
    INFO(describe(trial));
    check_trial(device, trial, in_exact_memory(edge, [&](const auto& inputs, const auto& outputs) {
                    call_trial(trial, inputs, outputs);
                }));
}

Part with_strides(DType dtype, const Dims& shape, const Dims& strides) {
    return {dtype, shape, strides};
}

Part turned(DType dtype, const Dims& shape) {
    return {dtype, shape, f_order(shape, static_cast<std::int64_t>(item_size(dtype)))};
}

// Returns strides that libraries give to arrays without elements, and other valid strides.
std::vector<Dims> strides_of_nothing(const Dims& shape, std::size_t count) {
    std::vector<Dims> strides = {Dims::filled(shape.rank(), 0),
                                 c_order(shape, 4),
                                 Dims::filled(shape.rank(), 4),
                                 Dims::filled(shape.rank(), -4),
                                 Dims::filled(shape.rank(), std::int64_t{1} << 40)};
    strides.resize(count);
    return strides;
}

// Returns reductions of no elements, to outputs with and without elements.
std::vector<ReductionTrial> empty_reductions() {
    struct Case {
        Dims loop;
        AxisSet axes;
    };
    const Case cases[] = {{{0}, 1},
                          {{5, 0}, 2},
                          {{0, 5}, 1},
                          {{0, 5}, 2},
                          {{0, 0}, 2},
                          {{1, 0}, 2},
                          {{0, 1}, 3},
                          {{5, 0, 3}, 2},
                          {{5, 3, 0}, 6},
                          {{5, 0, 3}, 6},
                          {{0, 3, 5}, 3},
                          {{2500, 0}, 2},
                          {{0, 2500}, 1}};
    std::vector<ReductionTrial> trials;
    for (const Case& each : cases) {
        const bool all = each.loop == Dims{5, 0};
        for (const Dims& strides : strides_of_nothing(each.loop, all ? 5 : 1)) {
            ReductionTrial trial = dense_trial(float32, each.loop, each.axes);
            trial.inputs[0].strides = strides;
            trials.push_back(trial);
        }
    }
    for (const Fold fold : {Fold::outputs, Fold::struct_16, Fold::compensated}) {
        ReductionTrial trial = dense_trial(float32, {5, 0}, 2, fold);
        trial.inputs[0].strides = {0, 0};
        trials.push_back(trial);
    }
    // Two inputs, of which only one has elements.
    ReductionTrial two = dense_trial(float32, {5, 0}, 2);
    two.inputs.push_back(c_part(float32, {5, 1}));
    trials.push_back(two);
    two.inputs[0].strides = {0, 0};
    trials.push_back(two);
    return trials;
}

// Returns a trial for each row of the host's tables.
std::vector<Trial> elementwise_loops() {
    const Dims s{67, 93};
    const Part full = c_part(float32, s);
    return {
        {{c_part(float32, {1001}), c_part(float32, {1})}, c_part(float32, {1001})},
        {{c_part(uint8, {1001})}, c_part(float64, {1001})},
        {{full, with_strides(float32, s, {93 * 8, 8})}, full},
        {{with_strides(float32, s, {-93 * 4, -4}), c_part(float32, {93})}, full},
        {{c_part(float32, {67, 1}), full}, with_strides(float32, s, {93 * 8, 8})},
        {{turned(float32, s), full}, full, Extra::indices},
        {{turned(uint8, {130, 70})}, c_part(uint8, {130, 70})},
        {{turned(float32, {700, 3}), c_part(float32, {3})}, c_part(float32, {700, 3})},
        {{with_strides(float32, {700, 3}, {24, 8})}, c_part(float32, {700, 3})},
        {{with_strides(float32, {5, 67, 9}, {4, 180, 20})}, c_part(float32, {5, 67, 9})},
    };
}

std::vector<ReductionTrial> reduction_loops() {
    const auto of = [](const Part& part, AxisSet axes, Fold fold = Fold::sum) {
        ReductionTrial trial = dense_trial(part.dtype, part.shape, axes, fold);
        trial.inputs[0] = part;
        return trial;
    };
    return {
        of(c_part(float32, {1003}), 1),
        of(c_part(float32, {140003}), 1),
        of(c_part(uint8, {7, 301}), 2),
        of(with_strides(float32, {7, 301}, {301 * 8, 8}), 2),
        of(with_strides(float32, {7, 301}, {-301 * 4, -4}), 2, Fold::top),
        of(c_part(float32, {600, 7}), 2),
        of(c_part(float32, {301, 5}), 1),
        of(c_part(float32, {301, 290}), 1, Fold::struct_16),
        of(c_part(float32, {140003, 3}), 1),
        of(turned(float32, {30, 20}), 2),
        of(c_part(float32, {6, 30, 41}), 5),
    };
}

// Generates small calls with extents from 0 on and layouts of all kinds.
class SmallCalls {
public:
    explicit SmallCalls(std::uint32_t seed) : random_(seed) {}

    ReductionTrial next_reduction() {
        const Dims loop = random_shape();
        const auto axes = static_cast<AxisSet>(pick(0, (1 << loop.rank()) - 1));
        ReductionTrial trial = dense_trial(float32, loop, axes);
        trial.inputs[0].strides = random_strides(loop);
        trial.keepdims = pick(0, 1) == 1;
        trial.output = c_part(float32, result_shape(loop, axes, trial.keepdims));
        return trial;
    }
    Trial next() {
        const Dims loop = random_shape();
        Dims small = loop;
        for (std::int64_t& extent : small) extent = pick(0, 2) == 0 ? 1 : extent;
        return {{with_strides(float32, loop, random_strides(loop)), c_part(float32, small)},
                with_strides(float32, loop, f_order(loop, 4))};
    }

private:
    std::int64_t pick(std::int64_t low, std::int64_t high) {
        return low +
               static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(high - low + 1));
    }
    Dims random_shape() {
        constexpr std::int64_t extents[] = {0, 1, 1, 2, 5, 33};
        Dims shape;
        for (std::int64_t rank = pick(1, 3); rank > 0; --rank) shape.push_back(extents[pick(0, 5)]);
        return shape;
    }
    Dims random_strides(const Dims& shape) {
        switch (pick(0, 3)) {
            case 0:
                return f_order(shape, 4);
            case 1:
                return c_order(shape, 8);
            case 2:
                return negated(c_order(shape, 4), 0);
            default:
                return std::find(shape.begin(), shape.end(), 0) != shape.end()
                           ? Dims::filled(shape.rank(), 0)
                           : c_order(shape, 4);
        }
    }

    std::mt19937 random_;
};

// Runs every trial of this file on one device.
void check_all_on(Device device) {
    for (const Edge edge : edges) {
        for (const Trial& trial : elementwise_loops()) check_on(device, trial, edge);
        for (const ReductionTrial& trial : reduction_loops()) check_on(device, trial, edge);
    }
    for (const ReductionTrial& trial : empty_reductions()) check_on(device, trial, Edge::end);
}

}  // namespace

TEST_CASE("an empty reduction reads nothing", "[reduction][exact]") {
    for (const ReductionTrial& trial : empty_reductions())
        check_on(Device::host(), trial, Edge::end);
}

TEST_CASE("an empty reduction for a GPU reads nothing", "[reduction][exact][emulated]") {
    for (const ReductionTrial& trial : empty_reductions()) {
        INFO(describe(trial));
        check_emulated(trial, Fit::call, Edge::end);
        check_emulated(trial, Fit::general, Edge::end);
    }
}

TEST_CASE("each elementwise loop of the host stays within its arrays", "[exact]") {
    for (const Edge edge : edges) {
        for (const Trial& trial : elementwise_loops()) check_on(Device::host(), trial, edge);
    }
}

TEST_CASE("each loop of the host's reductions stays within its arrays", "[reduction][exact]") {
    for (const Edge edge : edges) {
        for (const ReductionTrial& trial : reduction_loops()) check_on(Device::host(), trial, edge);
    }
}

TEST_CASE("axes of extent 0 and 1 lead to no access outside of the arrays", "[exact][emulated]") {
    const Dims base{5, 6, 7};
    for (int axis = 0; axis < base.rank(); ++axis) {
        for (const std::int64_t extent : {0, 1}) {
            for (const bool reversed : {false, true}) {
                Dims loop = base;
                loop[axis] = extent;
                const Dims strides = reversed ? f_order(loop, 4) : c_order(loop, 4);
                const Part part = with_strides(float32, loop, strides);
                const Trial trial{{part, c_part(float32, {loop[2]})}, c_part(float32, loop)};
                check_on(Device::host(), trial, Edge::end);
                check_emulated(trial, Fit::general, Edge::end);
                for (AxisSet axes = 1; axes < 8; axes += 3) {
                    ReductionTrial fold = dense_trial(float32, loop, axes);
                    fold.inputs[0] = part;
                    check_on(Device::host(), fold, Edge::end);
                    check_emulated(fold, Fit::general, Edge::end);
                }
            }
        }
    }
}

TEST_CASE("raw parameters without elements need no memory", "[exact]") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel first(
            "T x, raw T y", "T z", "z = y.size() > 0 ? y[0] : x", "first_of_none");
        const Array x = full({3}, 7, float32, {.device = device});
        const Array none = Array::view(static_cast<void*>(nullptr),
                                       float32,
                                       {0, 5},
                                       {.device = device, .strides = Dims{0, 0}});
        CHECK(first(x, none).to_vector<float>() == std::vector<float>{7, 7, 7});
        // There is nothing to compute, and no array has memory.
        CHECK(first(none, x).shape() == Dims{0, 5});
        CHECK(first(none, x, out(none)).size() == 0);
    }
}

TEST_CASE("random small calls stay within their arrays", "[exact][emulated]") {
    SmallCalls calls(std::random_device{}());
    for (int k = 0; k < 3; ++k) {
        const Trial trial = calls.next();
        check_on(Device::host(), trial, edges[k % 2]);
        const ReductionTrial fold = calls.next_reduction();
        check_on(Device::host(), fold, edges[k % 2]);
        INFO(describe(fold));
        check_emulated(fold, Fit::call, edges[k % 2]);
        check_emulated(trial, Fit::general, edges[k % 2]);
    }
}

TEST_CASE("gpu: each loop stays within exact allocations, and empty reductions read nothing",
          "[cuda][exact][gpu]") {
    if (!has_gpu()) {
        WARN("skipped: this test needs a GPU");
        return;
    }
    check_all_on(Device::cuda(0));
    synchronize(Device::cuda(0));
}
