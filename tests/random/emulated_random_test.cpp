// SPDX-License-Identifier: MIT
//
// Kernels for a GPU whose neighbours share their random numbers, run on the CPU (support/emulated.hpp).
#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <string>
#include <utility>
#include <vector>

#include "random/reference_numbers.hpp"
#include "support/catch.hpp"
#include "support/emulated.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// Runs the kernel for a GPU. Returns the plan's half that is compiled in.
Baked run(const Definition& definition,
          const std::string& loop,
          const Array& x,
          const Array& y,
          AxisSet reduced = 0) {
    Planned planned{.signature = parse_signature(definition)};
    planned.operands = {operand_of(x, false), operand_of(y, true)};
    const std::vector<ArgumentType> types(2, {ArgumentType::Kind::array, float32});
    planned.types = resolve_types(planned.signature, types);
    planned.plan = make_plan({.signature = planned.signature,
                              .types = planned.types,
                              .operands = planned.operands,
                              .loop = reduced == 0 ? y.shape() : x.shape(),
                              .reduced_axes = reduced,
                              .target = {DeviceKind::cuda, "sm_80"},
                              .limits = small_limits(),
                              .loop_name = loop});
    run_emulated(planned);
    return planned.plan.baked;
}

std::vector<float> numbers(std::int64_t count) {
    std::vector<float> list;
    for (std::int64_t i = 0; i < count; ++i)
        list.push_back(static_cast<float>(Reference{7, 0}.uniform(i, 24)));
    return list;
}

}  // namespace

TEST_CASE("elements of a GPU's vectors have their own random numbers", "[random][emulated]") {
    const DeviceScope scope(Device::host());
    const Dims shape{96, 128};
    const std::vector<float> expected = numbers(96 * 128);
    const auto turned = [](const Dims& of) { return zeros({of[1], of[0]}, float32).transpose(); };
    struct Row {
        std::string loop;
        Array x, y;
        bool shares;
    };
    const Row rows[] = {
        {"flat", zeros(shape, float32), empty(shape, float32), false},
        {"vector_rows", zeros({128}, float32), empty(shape, float32), true},
        {"vector_rows", zeros({96, 1}, float32), empty(shape, float32), true},
        {"shared_tiles", turned(shape), empty(shape, float32), true},
        {"shared_tiles", turned({128, 96}), empty({128, 96}, float32), true},
        {"shared_tiles", turned({32, 384}), empty({32, 384}, float32), true},
        // Neighbours in memory are not neighbours in C order.
        {"shared_tiles", zeros(shape, float32), turned(shape), false},
    };
    for (const Row& row : rows) {
        INFO(row.loop);
        const Definition definition{.name = "noise",
                                    .inputs = "T x",
                                    .outputs = "T y",
                                    .operation = "y = x + random_uniform<T>(7, i)"};
        CHECK(run(definition, row.loop, row.x, row.y).draws_neighbours == row.shares);
        CHECK(row.y.to_vector<float>() == expected);
    }
}

TEST_CASE("elements that a GPU folds have their own random numbers", "[random][emulated]") {
    const DeviceScope scope(Device::host());
    struct Row {
        Array x;
        AxisSet axes;
        bool shares;
    };
    const Array number = zeros({1, 1}, float32);
    const Row rows[] = {
        {zeros({30, 72}, float32), 2, true},
        {zeros({30, 70}, float32), 2, false},
        {zeros({70'001}, float32), 1, true},
        // Nothing is read: one, two and four elements at a time
        {number.broadcast_to({30, 72}), 2, true},
        {number.broadcast_to({600, 1000}), 3, true},
        {number.broadcast_to({1100, 1000}), 3, true},
    };
    const Definition definition{
        .name = "largest",
        .inputs = "T x",
        .outputs = "T y",
        .operation = "x + random_uniform<T>(7, i)",
        .reduction =
            ReductionTexts{.reduce = "a > b ? a : b", .post_map = "y = a", .identity = "-1"}};
    for (const Row& row : rows) {
        INFO(row.x.size());
        const std::vector<float> drawn = numbers(row.x.size());
        const std::size_t outputs =
            row.axes == 2 ? static_cast<std::size_t>(row.x.shape()[0]) : std::size_t{1};
        std::vector<float> expected(outputs, -1);
        for (std::size_t k = 0; k < drawn.size(); ++k) {
            float& largest = expected[k / (drawn.size() / outputs)];
            largest = std::max(largest, drawn[k]);
        }
        const Array y = empty({static_cast<std::int64_t>(outputs)}, float32);
        // A plan sees the reduced axes with extent 1.
        const Array kept = row.x.shape().rank() == 2 ? y.reshape({y.size(), 1}) : y;
        CHECK(run(definition, "reduced_rows", row.x, kept, row.axes).draws_neighbours ==
              row.shares);
        CHECK(y.to_vector<float>() == expected);
    }
}
