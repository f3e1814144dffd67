// SPDX-License-Identifier: MIT
//
// Which CUDA loop a layout gets, and the parts of its launch. Tests plans only and needs no device.

#include <algorithm>
#include <random>

#include "plan/tile_places.hpp"
#include "source/source.hpp"
#include "support/planned_block.hpp"
#include "support/random_trial.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::vector<Access> accesses_of(const Baked& baked) {
    std::vector<Access> accesses;
    for (const BakedOperand& operand : baked.operands) accesses.push_back(operand.access);
    return accesses;
}

Part turned_part(DType dtype, const Dims& shape) {
    return {dtype, shape, f_order(shape, static_cast<std::int64_t>(item_size(dtype)))};
}

std::string source_of(const Trial& trial) {
    const Planned planned = plan_of(trial);
    return generate_source(planned.signature, planned.types, planned.plan.baked).text;
}

}  // namespace

TEST_CASE("each kind of layout gets its loop", "[plan]") {
    struct Row {
        const char* layout;
        Trial trial;
        LoopKind loop;
        int vector;
        std::vector<Access> accesses;
    };
    using enum Access;
    const Dims s{1920, 2560};
    const Part full = c_part(float32, s);
    const Part f = turned_part(float32, s);
    const Row rows[] = {
        {"contiguous", {{full, full}, full}, LoopKind::flat, 4, {vector, vector, vector}},
        {"all transposed", {{f, f}, f}, LoopKind::flat, 4, {vector, vector, vector}},
        {"one element",
         {{full, c_part(float32, {1, 1})}, full},
         LoopKind::flat,
         4,
         {vector, uniform, vector}},
        {"one input misaligned",
         {{c_part(float32, s, 4), full}, full},
         LoopKind::flat,
         4,
         {singles, vector, vector}},
        {"a row",
         {{full, c_part(float32, {2560})}, full},
         LoopKind::vector_rows,
         4,
         {vector, vector, vector}},
        {"a column",
         {{full, c_part(float32, {1920, 1})}, full},
         LoopKind::vector_rows,
         4,
         {vector, uniform, vector}},
        {"gaps within rows",
         {{full, {float32, s, {10400, 8}}}, full},
         LoopKind::flat,
         4,
         {vector, elements, vector}},
        {"gaps within rows and between the output's",
         {{full, {float32, s, {10400, 8}}}, {float32, s, {5280, 4}}},
         LoopKind::vector_rows,
         4,
         {vector, elements, vector}},
        {"rows of even length",
         {{c_part(float32, {1920, 1270}), c_part(float32, {1270})}, c_part(float32, {1920, 1270})},
         LoopKind::flat,
         4,
         {vector, elements, vector}},
        {"rows of odd length",
         {{c_part(float32, {1920, 1271}), c_part(float32, {1271})}, c_part(float32, {1920, 1271})},
         LoopKind::flat,
         4,
         {vector, elements, vector}},
        {"a transposed input",
         {{f, full}, full},
         LoopKind::shared_tiles,
         4,
         {shared, vector, vector}},
        {"a transposed input and a column",
         {{f, c_part(float32, {1920, 1})}, full},
         LoopKind::shared_tiles,
         4,
         {shared, uniform, vector}},
        {"transposed bytes",
         {{turned_part(uint8, s)}, c_part(uint8, s)},
         LoopKind::shared_tiles,
         8,
         {shared, vector}},
        {"transposed float16",
         {{turned_part(float16, s)}, c_part(float16, s)},
         LoopKind::shared_tiles,
         8,
         {shared, vector}},
        {"transposed, of odd extents",
         {{turned_part(float32, {4097, 12711})}, c_part(float32, {4097, 12711})},
         LoopKind::staged_runs,
         4,
         {shared, vector}},
        {"an output with gaps",
         {{full}, {float32, s, {20480, 8}}},
         LoopKind::flat,
         1,
         {vector, elements}},
    };
    for (const Row& row : rows) {
        INFO(row.layout << ": " << describe(row.trial));
        const Baked baked = plan_of(row.trial).plan.baked;
        CHECK(baked.loop == row.loop);
        CHECK(baked.vector == row.vector);
        CHECK((accesses_of(baked) == row.accesses));
    }
}

TEST_CASE("small loops have 256 threads a block, and fewer elements a thread", "[plan]") {
    const auto planned = [](const Part& input) {
        return plan_of({{input}, c_part(float32, input.shape)}, {}, {.processor_count = 132}).plan;
    };
    CHECK(planned(c_part(float32, {1})).runtime.threads == 256);
    CHECK(planned(c_part(float32, {1 << 20})).runtime.threads == 256);
    // Dense arrays keep whole vectors. Of other arrays, 1024 threads on each of 132 multiprocessors get one
    // element each before any gets two.
    CHECK(planned(c_part(float32, {8})).baked.vector == 4);
    const auto vector_of = [&](std::int64_t count) {
        return planned({float32, {count}, {8}}).baked.vector;
    };
    CHECK(vector_of(1024 * 132 * 4) == 4);
    CHECK(vector_of(1024 * 132 * 4 - 1) == 2);
    CHECK(vector_of(1024 * 132 * 2) == 2);
    CHECK(vector_of(1024 * 132 * 2 - 1) == 1);
    CHECK(vector_of(1) == 1);
}

TEST_CASE("sources of rows depend on the layout's class, and those of tiles rarely on sizes",
          "[plan]") {
    const auto rows = [](const Dims& shape, Extra extra) {
        return Trial{
            {c_part(float32, shape), c_part(float32, {shape[1]})}, c_part(float32, shape), extra};
    };
    const auto tiles = [](const Dims& shape, Extra extra) {
        return Trial{
            {turned_part(float32, shape), c_part(float32, shape)}, c_part(float32, shape), extra};
    };
    const auto outer = [](const Dims& shape, Extra extra) {
        return Trial{{c_part(float32, {shape[0], 1}), c_part(float32, {shape[1]})},
                     c_part(float32, shape),
                     extra};
    };
    for (const Extra extra : {Extra::none, Extra::index, Extra::indices}) {
        CHECK(source_of(rows({1236, 4568}, extra)) == source_of(rows({9200, 788}, extra)));
        CHECK(source_of(tiles({1236, 4568}, extra)) == source_of(tiles({920, 784}, extra)));
        CHECK(source_of(outer({1236, 4568}, extra)) == source_of(outer({924, 7880}, extra)));
        // Tiles with a short and a long side have the same source too.
        CHECK(source_of(tiles({32, 65536}, extra)) == source_of(tiles({65536, 128}, extra)));
        CHECK(source_of(tiles({1235, 4567}, extra)) != source_of(tiles({1236, 4568}, extra)));
    }
}

TEST_CASE("a tile runs over more axes until its rows are 256 bytes long", "[plan]") {
    struct Row {
        Part input;
        Part output;
        int along_b, along_a;
        Dims extents;  // of all tiles along b and a
    };
    const auto turned = [](DType dtype, const Dims& shape) {
        return Part{dtype, shape, f_order(shape, static_cast<std::int64_t>(item_size(dtype)))};
    };
    const Row rows[] = {
        {turned(float32, {90000, 64}), c_part(float32, {90000, 64}), 1, 1, {90000, 64}},
        {turned(float32, {90000, 4, 17}), c_part(float32, {90000, 4, 17}), 1, 2, {90000, 68}},
        {turned(float64, {90000, 10, 8, 2}),
         c_part(float64, {90000, 10, 8, 2}),
         1,
         3,
         {90000, 160}},
        // Rows of 9000 bytes have longer vectors than rows of 387, so they lie along a.
        {turned(uint8, {9000, 9, 43}), c_part(uint8, {9000, 9, 43}), 2, 1, {387, 9000}},
        {turned(float32, {6, 7, 50, 8, 9}), c_part(float32, {6, 7, 50, 8, 9}), 3, 2, {2100, 72}},
        // The axis of 4 does not continue the output's rows, which lie 80 bytes apart.
        {turned(float32, {90000, 4, 17}),
         {float32, {90000, 4, 17}, {320, 80, 4}},
         1,
         1,
         {17, 90000}},
    };
    for (const Row& row : rows) {
        const Planned planned = plan_of(
            Trial{.inputs = {row.input}, .output = row.output, .loop_name = "shared_tiles"});
        INFO(to_text(row.output.shape) << "; " << to_key(planned.plan.baked));
        const auto& choice = planned.plan.baked.as<SharedTilesChoice>();
        CHECK(choice.axes_b == row.along_b);
        CHECK(choice.axes_a == row.along_a);
        const TileShape tile = field_of<TileShape>(planned, FieldKind::own);
        CHECK(Dims{tile.extent_b, tile.extent_a} == row.extents);
    }
}

TEST_CASE("a loop of more blocks than can be launched gives way to another one", "[plan]") {
    const Dims shape{std::int64_t{1} << 31, 2, 2};
    const Planned planned = plan_of({{{uint8, shape, {4, 1, 2}}}, c_part(uint8, shape)});
    CHECK(planned.plan.baked.loop != LoopKind::shared_tiles);
    CHECK(planned.plan.runtime.grid > 0);
}

TEST_CASE("tiles cover their axes exactly and fit into shared memory", "[plan]") {
    std::mt19937 random(5);
    const DType dtypes[] = {uint8, float16, float32, float64, complex128};
    for (int run = 0; run < rounds(4000); ++run) {
        const auto pick = [&](std::int64_t low, std::int64_t high) {
            return low +
                   static_cast<std::int64_t>(random() % static_cast<unsigned>(high - low + 1));
        };
        const std::int64_t unit = pick(0, 1) == 0 ? 8 : 1;
        const std::int64_t most = pick(0, 3) == 0 ? 5000 : 300;
        const Dims shape{pick(2, most) * unit, pick(16, most) * unit};
        const DType dtype = dtypes[pick(0, 4)];
        Trial trial{{}, c_part(dtype, shape)};
        for (std::int64_t k = pick(1, 4); k > 0; --k)
            trial.inputs.push_back(turned_part(dtypes[pick(0, 4)], shape));
        if (pick(0, 4) == 0) trial.block_size = static_cast<int>(pick(1, 1024));
        const Planned planned = plan_of(trial);
        const Baked& baked = planned.plan.baked;
        if (baked.loop != LoopKind::shared_tiles) continue;
        INFO(describe(trial));
        const TileShape tile = field_of<TileShape>(planned, FieldKind::own);
        const int threads = planned.plan.runtime.threads;
        const auto pieces = [](std::int64_t extent, std::int64_t side) {
            return (extent + side - 1) / side;
        };
        bool right = (tile.extent_a == shape[1] && tile.extent_b == shape[0]) ||
                     (tile.extent_a == shape[0] && tile.extent_b == shape[1]);
        right = right && tile.patches_a * baked.vector == tile.tile_a;
        right = right && tile.patches_b * baked.as<SharedTilesChoice>().side_b == tile.tile_b;
        right = right && tile.patches_a > 0 && tile.patches_b > 0;
        right = right && planned.plan.runtime.grid == pieces(tile.extent_a, tile.tile_a) *
                                                          pieces(tile.extent_b, tile.tile_b);
        CHECK(right);
        CHECK(tile.pitch >= tile.patches_a);
        CHECK(tile.room >= tile.pitch * tile.tile_b);
        CHECK(tile.room % 16 == 0);
        const TilePlaces tiles = place_tiles(planned.signature, baked, planned.types.dtypes);
        CHECK(planned.plan.runtime.shared_bytes == tiles.bytes * tile.room * baked.vector);
        CHECK(planned.plan.runtime.shared_bytes <= 48 * 1024);
        CHECK(threads <= baked.block_bound);
        // The next patch and the next vector of a thread are `threads` positions further on.
        const bool steps = tile.patch_step_a * tile.patches_b + tile.patch_step_b == threads &&
                           tile.patch_step_b < tile.patches_b &&
                           tile.row_step_b * tile.patches_a + tile.row_step_a == threads &&
                           tile.row_step_a < tile.patches_a;
        CHECK(steps);
        CHECK(tile.by_patches_a.extent == static_cast<std::uint32_t>(tile.patches_a));
        CHECK(tile.by_patches_b.extent == static_cast<std::uint32_t>(tile.patches_b));
    }
}

TEST_CASE("rows that fill sectors in part when they are copied back run by tiles", "[plan]") {
    // Rows of 24 bytes, 72 apart, and of 28 bytes, 32 apart.
    const Trial bytes{{{int8, {8, 3, 4822357}, {4822357, 38578856, 1}, 3}},
                      {int8, {8, 3, 4822357}, {1, 8, 72}, 15}};
    CHECK(plan_of(bytes).plan.baked.loop == LoopKind::shared_tiles);
    const Trial floats{{{float32, {824, 7, 484}, {13552, 1936, 4}, 24}},
                       {float32, {824, 7, 484}, {32, 4, 26368}, 4}};
    CHECK(plan_of(floats).plan.baked.loop == LoopKind::shared_tiles);
}

TEST_CASE("a small array that repeats does not decide the axes of tiles", "[plan]") {
    const Dims s{16, 32768, 11, 4, 4};
    const Part turned{uint16, s, {2, 32, 4194304, 46137344, 1048576}};
    const Part output{uint16, s, {11534336, 352, 32, 8, 2}};
    CHECK(plan_of({{turned}, output}).plan.baked.loop == LoopKind::shared_tiles);
    const Part small{uint16, s, {8, 0, 0, 2, 128}};
    CHECK(plan_of({{turned, small}, output}).plan.baked.loop == LoopKind::shared_tiles);
}

TEST_CASE("staged runs do not copy rows that repeat", "[plan]") {
    const Dims s{17, 2000, 2};
    Trial trial{{{uint16, s, {2, 34, 68000}}, {uint16, s, {2, 0, 34}}}, c_part(uint16, s)};
    trial.loop_name = "staged_runs";
    const auto second = [&] { return accesses_of(plan_of(trial).plan.baked)[1]; };
    CHECK(second() == Access::elements);
    trial.inputs[1].strides = {2, 68, 34};
    CHECK(second() == Access::shared);
}

TEST_CASE("staged runs of any number of arrays cover their sides and fit into shared memory",
          "[plan]") {
    std::mt19937 random(6);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(random() % static_cast<unsigned>(high - low + 1));
    };
    const DType dtypes[] = {uint8, float16, float32, float64, complex128};
    int staged = 0;
    int tables = 0;
    for (int run = 0; run < 4000; ++run) {
        const bool is_small = pick(0, 1) == 0;
        const Dims shape{pick(2, 3000), pick(2, is_small ? 6 : 300), pick(2, is_small ? 40 : 300)};
        const DType dtype = dtypes[pick(0, 4)];
        Trial trial{{c_part(dtype, shape)}, c_part(dtype, shape)};
        for (std::int64_t k = pick(1, 7); k > 0; --k) {
            std::vector<int> order = axis_order(3);
            if (pick(0, 2) > 0) std::shuffle(order.begin(), order.end(), random);
            Part part = ordered_part(dtypes[pick(0, 4)], shape, order);
            part.strides[order[0]] *= pick(1, 2);  // gaps along the slowest axis
            trial.inputs.push_back(part);
        }
        trial.loop_name = "staged_runs";
        Planned planned;
        try {
            planned = plan_of(trial);
        } catch (const ShapeError&) {
            continue;
        }
        INFO(describe(trial) << "; " << to_key(planned.plan.baked));
        ++staged;
        for (const BakedOperand& operand : planned.plan.baked.operands)
            tables += operand.access == Access::shared && operand.inner == StrideClass::strided;
        const auto tile = field_of<RunShape>(planned, FieldKind::own);
        CHECK(tile.extent_a * tile.extent_b <= shape[0] * shape[1] * shape[2]);
        CHECK(tile.tile_a >= 1);
        CHECK(tile.tile_b >= 1);
        CHECK(planned.plan.runtime.shared_bytes > 0);
        CHECK(planned.plan.runtime.shared_bytes <= 48 * 1024);
    }
    CHECK(staged > 100);
    CHECK(tables > 100);
}

TEST_CASE("a block depends on addresses modulo 16 and through data and views alone", "[plan]") {
    RandomTrials random(8);
    for (int run = 0; run < 500; ++run) {
        const Trial trial = random.next();
        INFO(describe(trial));
        check_moved_block(trial);
    }
}
