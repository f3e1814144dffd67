// SPDX-License-Identifier: MIT
//
// `_ind` of kernels for a GPU, run on the CPU: shapes some of whose axes have one element, by which no index is divided.
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "plan/loop_table.hpp"
#include "support/catch.hpp"
#include "support/emulated.hpp"
#include "support/host_loops.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("_ind is right where axes have one element", "[emulated]") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const auto check = [&](const Dims& shape, bool turns) {
        INFO(to_text(shape));
        // The digits of `z` are the coordinates, and `w` has those of another element.
        Definition definition{
            .name = "indices", .inputs = "int64 x", .outputs = "int64 z, int64 w"};
        definition.operation =
            "z = x; for (ptrdiff_t at : _ind.get()) z = z * 10 + at; _ind.set(n - 1 - i); "
            "w = x; for (ptrdiff_t at : _ind.get()) w = w * 10 + at;";
        std::vector<std::int64_t> wanted;
        for (std::int64_t k = 0; k < count_of(shape); ++k) {
            std::int64_t digits = 0, rest = k, weight = 1;
            for (int axis = shape.rank() - 1; axis >= 0; --axis, weight *= 10) {
                digits += rest % shape[axis] * weight;
                rest /= shape[axis];
            }
            wanted.push_back(digits);
        }
        const std::vector<std::int64_t> zeros(wanted.size(), 0);
        std::vector<int> order;
        for (int axis = 0; axis < shape.rank(); ++axis)
            order.insert(turns ? order.begin() : order.end(), axis);
        const Placed x = place<std::int64_t>(host, zeros, shape, dense_strides(shape, order, 8));
        const Placed z = place<std::int64_t>(host, zeros, shape, c_order(shape, 8));
        const Placed w = place<std::int64_t>(host, zeros, shape, c_order(shape, 8));
        Planned planned{.signature = parse_signature(definition)};
        for (const Placed* each : {&x, &z, &w})
            planned.operands.push_back(operand_of(each->array, each != &x));
        planned.types = resolve_types(
            planned.signature, std::vector<ArgumentType>(3, {ArgumentType::Kind::array, int64}));
        for (const Fit fit : {Fit::call, Fit::any_size, Fit::general}) {
            planned.plan = make_plan({.signature = planned.signature,
                                      .types = planned.types,
                                      .operands = planned.operands,
                                      .loop = shape,
                                      .target = {DeviceKind::cuda, "sm_90"},
                                      .limits = small_limits(),
                                      .fit = fit});
            INFO(to_key(planned.plan.baked));
            int units = 0;
            for (const std::int64_t extent : shape) units += extent == 1 ? 1 : 0;
            CHECK(std::popcount(planned.plan.baked.unit_axes) == (fit == Fit::call ? units : 0));
            run_emulated(planned);
            CHECK(z.values<std::int64_t>() == wanted);
            CHECK(w.values<std::int64_t>() ==
                  std::vector<std::int64_t>(wanted.rbegin(), wanted.rend()));
        }
    };
    for (const Dims& shape :
         {Dims{1}, Dims{7}, Dims{1, 1}, Dims{1, 7}, Dims{7, 1}, Dims{1, 5, 1, 6, 1}})
        check(shape, false);
    for (int trial = 0; trial < rounds(12); ++trial) {
        Dims shape;
        for (int axis = pick(1, 7); axis > 0; --axis)
            shape.push_back(pick(0, 1) == 0 ? 1 : pick(2, 6));
        check(shape, trial % 2 == 1);
    }
}
