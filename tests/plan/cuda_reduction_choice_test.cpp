// SPDX-License-Identifier: MIT
//
// Which CUDA loop a reduction gets, and the parts of its launch. Tests plans for an H200 and needs no device.
#include <algorithm>
#include <string>

#include "plan/loop_table.hpp"
#include "source/source.hpp"
#include "support/choice.hpp"
#include "support/planned_block.hpp"
#include "support/random_reduction.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr std::int64_t operator""_Ki(unsigned long long count) {
    return static_cast<std::int64_t>(count) << 10;
}
constexpr std::int64_t operator""_Mi(unsigned long long count) {
    return static_cast<std::int64_t>(count) << 20;
}

// Returns the loop, the elements of an access (v), the accesses at once (u) and the launch.
std::string choice_of(const ReductionTrial& trial) {
    const Planned planned = plan_of(trial);
    const Baked& baked = planned.plan.baked;
    const auto* folds = std::get_if<ThreadFoldsChoice>(&baked.choice);
    if (baked.loop == LoopKind::folded_elements || !is_reduction(baked.loop))
        return std::string(loop_of(baked).name) + "; " + std::to_string(planned.plan.runtime.grid) +
               " x " + std::to_string(planned.plan.runtime.threads);
    std::string text = baked.loop == LoopKind::staged_rows    ? "staged rows"
                       : folds != nullptr                     ? "short folds"
                       : baked.loop == LoopKind::reduced_rows ? "rows"
                       : test::is_wide(baked)                 ? "wide columns"
                       : test::is_merged(baked)               ? "merged columns"
                       : test::is_joined(baked)               ? "joined columns"
                                                              : "columns";
    if (baked.loop == LoopKind::reduced_rows)
        text += test::has_block_team(baked)
                    ? " by blocks"
                    : " by " + std::to_string(field_of<RowTeams>(planned, FieldKind::own).team);
    if (is_split(baked)) text += ", split";
    if (test::is_shifted(baked)) text += ", shifted";
    if (folds != nullptr && folds->along) text += " along";
    if (folds != nullptr && folds->turned) text += " turned";
    const int accesses = folds != nullptr ? folds->accesses
                         : baked.loop == LoopKind::reduced_rows
                             ? baked.as<ReducedRowsChoice>().accesses
                             : test::choice_or_default<ReducedColumnsChoice>(baked).accesses;
    if (baked.loop != LoopKind::staged_rows)
        text += "; v" + std::to_string(baked.vector) + " u" + std::to_string(accesses);
    const Runtime& runtime = planned.plan.runtime;
    text += "; " + std::to_string(runtime.grid) + " x " + std::to_string(runtime.threads);
    if (runtime.shared_bytes > 0) text += ", " + std::to_string(runtime.shared_bytes) + " bytes";
    return text;
}

ReductionTrial converted(DType from, DType to, const Dims& loop, AxisSet axes) {
    ReductionTrial trial = dense_trial(to, loop, axes);
    trial.inputs[0] = c_part(from, loop);
    return trial;
}

// Returns a float32 array of that shape whose axes lie in memory in that order.
ReductionTrial ordered(const Dims& loop, const std::vector<int>& order, AxisSet axes) {
    ReductionTrial trial = dense_trial(float32, loop, axes);
    trial.inputs[0] = ordered_part(float32, loop, order);
    return trial;
}

}  // namespace

TEST_CASE("each geometry gets its CUDA loop", "[plan]") {
    struct Row {
        const char* geometry;
        ReductionTrial trial;
        std::string choice;
    };
    const Dims square{16_Ki, 16_Ki};
    const Row rows[] = {
        {"full", dense_trial(float32, {256_Mi}, 1), "rows by blocks, split; v4 u4; 528 x 256"},
        {"full float64",
         dense_trial(float64, {128_Mi}, 1),
         "rows by blocks, split; v2 u4; 528 x 256"},
        {"full float16",
         converted(float16, float32, {256_Mi}, 1),
         "rows by blocks, split; v8 u8; 527 x 256"},
        {"full int8",
         converted(int8, int64, {512_Mi}, 1),
         "rows by blocks, split; v16 u8; 527 x 256"},
        {"small middle",
         dense_trial(float32, {1_Mi, 8, 4}, 2),
         "staged rows; 8192 x 256, 16400 bytes"},
        {"a middle axis of bytes",
         dense_trial(uint8, {300000, 37, 50}, 2),
         "short folds; v2 u16; 29297 x 256"},
        {"columns of uint8 of odd number",
         dense_trial(uint8, {16_Ki, 16_Ki - 1}, 1),
         "columns, split; v16 u2; 512 x 256"},
        {"full 2^24", dense_trial(float32, {16_Mi}, 1), "rows by blocks, split; v4 u4; 512 x 256"},
        {"full 2^20", dense_trial(float32, {1_Mi}, 1), "rows by blocks, split; v4 u4; 256 x 256"},
        {"full 2^12", dense_trial(float32, {4_Ki}, 1), "rows by blocks; v4 u4; 1 x 256"},
        {"full of a square",
         dense_trial(float32, square, 3),
         "rows by blocks, split; v4 u4; 528 x 256"},
        {"full compensated",
         dense_trial(float32, {256_Mi}, 1, Fold::compensated),
         "rows by blocks, split; v4 u8; 528 x 256"},
        {"full own accumulator",
         dense_trial(float32, {256_Mi}, 1, Fold::struct_16),
         "rows by blocks, split; v4 u4; 528 x 256"},
        {"rows 2^14", dense_trial(float32, square, 2), "rows by blocks; v4 u8; 16384 x 512"},
        {"rows of 1024", dense_trial(float32, {256_Ki, 1_Ki}, 2), "rows by 32; v4 u4; 65536 x 128"},
        {"rows of 268435",
         dense_trial(float32, {1000, 268435}, 2),
         "rows by blocks, shifted; v4 u8; 1000 x 512"},
        {"rows of 2^24",
         dense_trial(float32, {16, 16_Mi}, 2),
         "rows by blocks, split; v4 u8; 528 x 256"},
        {"rows of 16",
         dense_trial(float32, {16_Mi, 16}, 2),
         "staged rows; 65536 x 256, 16400 bytes"},
        {"outputs along another axis than the input",
         ordered({512, 3, 5632}, {1, 2, 0}, 2),
         "short folds turned; v4 u3; 2816 x 256"},
        {"full of inputs of which the first is turned",
         [] {
             ReductionTrial trial = dense_trial(float32, {100000, 128}, 3);
             trial.inputs.insert(trial.inputs.begin(),
                                 ordered_part(float32, {100000, 128}, {1, 0}));
             trial.inputs.push_back(c_part(float32, {100000, 128}));
             return trial;
         }(),
         "folded_elements; 528 x 256"},
        {"full of few rows, one input turned",
         [] {
             ReductionTrial trial = dense_trial(float32, {512, 8021}, 3);
             trial.inputs.push_back(ordered_part(float32, {512, 8021}, {1, 0}));
             return trial;
         }(),
         "folded_elements; 528 x 256"},
        {"rows of 3", dense_trial(float32, {64_Mi, 3}, 2), "short folds along; v4 u3; 65536 x 256"},
        {"rows of 7", dense_trial(float32, {32_Mi, 7}, 2), "staged rows; 58255 x 256, 16144 bytes"},
        {"rows of 63",
         dense_trial(float32, {4_Mi, 63}, 2),
         "staged rows; 65536 x 128, 16144 bytes"},
        {"columns 2^14", dense_trial(float32, square, 1), "columns, split; v4 u4; 256 x 512"},
        {"columns of 2^18",
         dense_trial(float32, {256_Ki, 1_Ki}, 1),
         "columns, split; v4 u4; 264 x 512"},
        {"columns of 1000", dense_trial(float32, {1000, 268435}, 1), "columns; v4 u8; 2098 x 256"},
        {"16 columns",
         dense_trial(float32, {16_Mi, 16}, 1),
         "wide columns, split; v4 u4; 264 x 512"},
        {"3 columns", dense_trial(float32, {64_Mi, 3}, 1), "wide columns, split; v4 u4; 264 x 512"},
        {"2^24 columns", dense_trial(float32, {16, 16_Mi}, 1), "short folds; v4 u16; 16384 x 256"},
        {"a middle axis", dense_trial(float32, {256, 1_Ki, 1_Ki}, 2), "columns; v4 u8; 2048 x 256"},
        {"outer and inner",
         dense_trial(float32, {1_Ki, 1_Ki, 256}, 5),
         "rows by blocks; v4 u4; 1024 x 512"},
        {"permuted",
         ordered({32, 56, 24, 48, 40}, {0, 2, 4, 1, 3}, 0b01010),
         "rows by blocks; v4 u8; 30720 x 128"},
        {"turned", ordered(square, {1, 0}, 2), "columns, split; v4 u4; 256 x 512"},
        {"every other row",
         {.loop = {8_Ki, 16_Ki},
          .axes = 2,
          .inputs = {{float32, {8_Ki, 16_Ki}, {128_Ki, 4}}},
          .output = c_part(float32, {8_Ki})},
         "rows by blocks; v4 u8; 8192 x 512"},
        {"every other element",
         {.loop = {16_Ki, 8_Ki},
          .axes = 2,
          .inputs = {{float32, {16_Ki, 8_Ki}, {64_Ki, 8}}},
          .output = c_part(float32, {16_Ki})},
         "rows by blocks; v1 u8; 16384 x 512"},
        {"two inputs",
         {.loop = {128_Mi},
          .axes = 1,
          .inputs = {c_part(float32, {128_Mi}), c_part(float32, {128_Mi})},
          .output = c_part(float32, {})},
         "rows by blocks, split; v4 u4; 527 x 256"},
        {"two inputs, one misaligned",
         {.loop = {128_Mi},
          .axes = 1,
          .inputs = {c_part(float32, {128_Mi}), c_part(float32, {128_Mi}, 4)},
          .output = c_part(float32, {})},
         "rows by blocks, split; v4 u4; 527 x 256"},
        {"misaligned",
         {.loop = {128_Mi},
          .axes = 1,
          .inputs = {c_part(float32, {128_Mi}, 4)},
          .output = c_part(float32, {})},
         "rows by blocks, split, shifted; v4 u4; 527 x 256"},
        {"rows of odd length",
         dense_trial(float32, {16_Ki, 16_Ki - 1}, 2),
         "rows by blocks, shifted; v4 u8; 16384 x 512"},
        {"columns of odd number",
         dense_trial(float32, {16_Ki, 16_Ki - 1}, 1),
         "columns, split; v4 u4; 256 x 512"},
        {"rows of 64 of an own accumulator",
         dense_trial(float32, {256_Ki, 64}, 2, Fold::struct_40),
         "rows by 4; v4 u4; 8192 x 128"},
        {"rows of 1024 of an own accumulator",
         dense_trial(float32, {256_Ki, 1_Ki}, 2, Fold::struct_16),
         "rows by 8; v4 u4; 16384 x 128"},
        {"one element each", dense_trial(float32, {1_Mi}, 0), "flat; 1024 x 256"},
        {"two elements each in a small call",
         dense_trial(float32, {2, 7283}, 1),
         "short folds; v1 u2; 29 x 256"},
        {"rows of 3 bytes",
         dense_trial(uint8, {2359296, 3}, 2),
         "short folds along; v16 u3; 576 x 256"},
        {"neighbours of each output",
         dense_trial(float32, {8192, 333, 11}, 0b101),
         "merged columns, split; v4 u4; 255 x 512"},
        {"rows that follow each other in several groups",
         dense_trial(int16, {8, 160, 13, 176, 22}, 0b01010),
         "merged columns, split; v8 u4; 208 x 484"},
        {"long rows between the outputs",
         dense_trial(float32, {2000, 20, 300}, 0b101),
         "rows by blocks, split; v4 u4; 520 x 256"},
        {"many elements in turned columns",
         {.loop = {442, 16384, 2},
          .axes = 1,
          .inputs = {{float16, {442, 16384, 2}, {65536, 2, 32768}},
                     c_part(float16, {442, 16384, 2})},
          .output = c_part(float16, {16384, 2})},
         "short folds; v1 u16; 128 x 256"},
        {"segments of three slots",
         {.loop = {700000, 6},
          .axes = 3,
          .inputs = {{uint8, {700000, 6}, {8, 1}}},
          .output = c_part(uint8, {})},
         "folded_elements; 528 x 256"},
        {"64 elements each", dense_trial(float32, {64, 1000}, 1), "columns; v1 u4; 32 x 512"},
        {"columns of uint8",
         dense_trial(uint8, {16_Ki, 16_Ki}, 1),
         "columns, split; v16 u4; 512 x 256"},
    };
    for (const Row& row : rows) {
        INFO(row.geometry << ": " << describe(row.trial));
        CHECK(choice_of(row.trial) == row.choice);
    }
}

TEST_CASE("a reduction changes its CUDA loop where the table says", "[plan]") {
    // Returns the choice without its launch.
    const auto way_of = [](DType dtype, const Dims& loop, AxisSet axes) {
        const std::string choice = choice_of(dense_trial(dtype, loop, axes));
        return choice.substr(0, choice.rfind("; "));
    };
    const auto rows = [&](std::int64_t outputs, std::int64_t row, DType dtype = float32) {
        return way_of(dtype, {outputs, row}, 2);
    };
    const auto columns = [&](std::int64_t high, std::int64_t count, DType dtype = float32) {
        return way_of(dtype, {high, count}, 1);
    };
    // Rows of up to 512 bytes, or of 1024 bytes and 256 elements, can be staged in shared memory.
    for (const DType dtype : {float32, float16, float64}) {
        const auto item = static_cast<std::int64_t>(item_size(dtype));
        const std::int64_t most = std::max(512 / item, std::min<std::int64_t>(1024 / item, 256));
        ReductionTrial staged = dense_trial(dtype, {500000, most}, 2);
        ReductionTrial longer = dense_trial(dtype, {500000, most + 1}, 2);
        staged.loop_name = longer.loop_name = "staged_rows";
        CHECK(plan_of(staged).plan.baked.loop == LoopKind::staged_rows);
        CHECK_THROWS_AS(plan_of(longer), ShapeError);
        CHECK(rows(2111, most, dtype) != "staged rows");
    }
    // Many short rows are staged, if they begin within vectors, or if a team would have a few threads. Rows of single
    // bytes whose ends are aligned are folded as quickly where they lie.
    CHECK(rows(500000, 31) == "staged rows");
    CHECK(rows(500000, 17, float16) == "staged rows");
    CHECK(rows(500000, 32, float64) == "staged rows");
    CHECK(rows(2111, 31) != "staged rows");
    // Threads of a team have eight slots of a row, or four if the team would have fewer than eight threads.
    CHECK(rows(500000, 4 * 16) == "rows by 4; v4 u4");
    CHECK(rows(500000, 4 * 32) == "rows by 8; v4 u4");
    CHECK(rows(500000, 4 * 64) == "rows by 8; v4 u4");
    CHECK(rows(500000, 4 * 128) == "rows by 16; v4 u4");
    CHECK(rows(500000, 8 * 33, float16) == "rows by 8; v8 u8");
    CHECK(rows(500000, 8 * 41, float16) == "rows by 8; v8 u8");
    CHECK(rows(500000, 8 * 128, float16) == "rows by 16; v8 u8");
    // Few outputs have larger teams, so that the device has threads enough.
    CHECK(rows(8192, 4 * 64) == "rows by 16; v4 u4");
    CHECK(rows(500000, 150, float64) == "rows by 8; v2 u4");
    CHECK(rows(500000, 9) == "staged rows");
    // A thread reads no more at once than it has.
    CHECK(rows(2111, 40) == "rows by 4; v4 u4");
    // A thread folds few elements alone. Those of an output are read as vectors if there are enough outputs.
    CHECK(rows(2111, 2) == "short folds; v1 u2");
    CHECK(rows(100, 7) == "short folds; v1 u7");
    CHECK(rows(500000, 2) == "short folds along; v4 u2");
    // A block folds each row if the row has at least 512 slots; with fewer than 2112 outputs, at least 256. It has fewer threads,
    // with more accesses each, or warps fold the rows, if that is predicted to take less time.
    CHECK(rows(2112, 2044) == "rows by 32; v4 u4");
    CHECK(rows(2112, 2048) == "rows by blocks; v4 u4");
    CHECK(rows(2112, 4096) == "rows by blocks; v4 u8");
    CHECK(rows(2112, 8192) == "rows by blocks; v4 u8");
    CHECK(rows(2112, 8196) == "rows by blocks; v4 u8");
    CHECK(rows(2111, 1020) == "rows by 32; v4 u4");
    CHECK(rows(2111, 1024) == "rows by blocks; v4 u4");
    CHECK(rows(2111, 2048) == "rows by blocks; v4 u4");
    // With fewer than 800 outputs, rows of more than 1024 slots may be split, and those of fewer than 32 outputs are; below 8 MiB
    // only rows of more than 12288 slots, or where that is predicted to be quicker.
    CHECK(rows(799, 4096) == "rows by blocks; v4 u8");
    CHECK(rows(799, 4100) == "rows by blocks; v4 u8");
    CHECK(rows(31, 100000) == "rows by blocks, split; v4 u8");
    CHECK(rows(32, 1000000) == "rows by blocks, split; v4 u8");
    CHECK(rows(120, 20000) == "rows by blocks; v4 u4");
    CHECK(rows(800, 4100) == "rows by blocks; v4 u8");
    CHECK(rows(1, 32768) == "rows by blocks; v4 u4");
    CHECK(rows(1, 49152) == "rows by blocks, split; v4 u4");
    CHECK(rows(1, 49156) == "rows by blocks, split; v4 u4");
    // With fewer than 128 outputs, a block has so many threads that it reads a whole row at once.
    const auto threads_of = [](const Dims& loop) {
        return plan_of(dense_trial(float32, loop, 2)).plan.runtime.threads;
    };
    CHECK(threads_of({127, 1300}) == 128);
    CHECK(threads_of({128, 1300}) == 64);
    CHECK(threads_of({1, 4096}) == 256);
    CHECK(threads_of({1, 32768}) == 1024);
    // Columns narrower than a warp's vectors form wide rows if there are at least two wide rows, one block for all small ones. If it takes
    // less time, threads have single columns instead, and narrow blocks fold all rows.
    CHECK(columns(1024, 4) == "columns; v1 u4");
    CHECK(columns(1023, 4) == "columns; v1 u8");
    CHECK(columns(12288, 4) == "wide columns; v4 u8");
    CHECK(columns(12289, 4) == "wide columns, split; v4 u4");
    CHECK(columns(5000, 127) == "wide columns, split; v4 u4");
    CHECK(columns(6000, 128) == "columns, split; v4 u4");
    CHECK(columns(4000, 128) == "columns; v2 u4");
    CHECK(columns(10000, 3, float64) == "wide columns, split; v2 u4");
    CHECK(columns(1000, 3, float64) == "columns; v1 u4");
    CHECK(columns(10000, 3, uint8) == "columns; v1 u4");
    CHECK(columns(10000, 3, float16) == "columns; v1 u4");
    // A block folds small columns alone; a cache line of columns has eight threads.
    CHECK(columns(1536, 1000) == "columns; v4 u8");
    CHECK(columns(1537, 1000) == "columns; v4 u4");
    // A block is 16 threads high, and each thread reads four rows at once, so more than 64 rows may be split. They are if there are
    // too few columns for the device.
    CHECK(columns(64, 2000) == "columns; v1 u4");
    CHECK(columns(64, 20000) == "columns; v4 u4");
    CHECK(columns(65, 20000) == "columns; v4 u4");
    CHECK(columns(65, 20001) == "columns; v4 u4");
    CHECK(columns(2000, 2000) == "columns; v4 u4");
    CHECK(columns(8000, 400) == "columns, split; v4 u4");
    CHECK(columns(20000, 2000) == "columns, split; v4 u4");
    // A thread has fewer columns in small calls.
    CHECK(columns(65, 1000) == "columns; v1 u4");
    // With 1024 or more groups of columns, no output is split, and with fewer ones only if it takes less time.
    CHECK(columns(65, 131068) == "columns; v4 u4");
    CHECK(columns(65, 130944) == "columns; v4 u4");
    CHECK(way_of(float32, {1024, 2000, 4}, 2) == "wide columns; v4 u4");
    CHECK(way_of(float32, {1023, 2000, 4}, 2) == "wide columns; v4 u4");
    CHECK(way_of(float32, {30, 200000, 4}, 2) == "wide columns, split; v4 u4");
    // From 256 rows on, eight are read at once.
    CHECK(columns(255, 131072) == "columns; v4 u4");
    CHECK(columns(256, 131072) == "columns; v4 u8");
    // A block has as many threads as can leave their folds in shared memory.
    const auto block_of = [](DType dtype, Fold fold = Fold::sum) {
        return plan_of(dense_trial(dtype, {4096, 4096}, 1, fold)).plan.baked.block_bound;
    };
    CHECK(block_of(float32) == 512);
    CHECK(block_of(float64) == 512);
    CHECK(block_of(float16) == 512);
    CHECK(block_of(uint8) == 256);
    CHECK(block_of(float32, Fold::compensated) == 512);
    CHECK(block_of(float16, Fold::compensated) == 512);
}

namespace {

bool is_power(std::int64_t count) {
    return count > 0 && (count & (count - 1)) == 0;
}

// Returns whether that many pieces of `each` cover `all`. The last piece may be partial, but none is empty.
bool cover(std::int64_t pieces, std::int64_t each, std::int64_t all) {
    return pieces >= 1 && pieces * each >= all &&
           (pieces - 1) * each < std::max<std::int64_t>(all, 1);
}

std::int64_t elements_of(const ReductionTrial& trial, bool reduced) {
    std::int64_t count = 1;
    for (int axis = 0; axis < trial.loop.rank(); ++axis) {
        if (is_reduced(trial, axis) == reduced) count *= trial.loop[axis];
    }
    return count;
}

// Returns the first property of a launch that the kernels cannot handle, or "".
std::string wrong_launch(const ReductionTrial& trial) {
    const Planned planned = plan_of(trial);
    const Baked& baked = planned.plan.baked;
    const Runtime& runtime = planned.plan.runtime;
    const std::int64_t outputs = elements_of(trial, false);
    const std::int64_t folded = elements_of(trial, true);
    if (runtime.count != outputs) return "count";
    if (outputs == 0) return runtime.grid == 0 ? "" : "grid of nothing";
    // The launches of elementwise loops have tests of their own.
    if (!is_reduction(baked.loop)) return folded == 1 ? "" : "elementwise loop";
    if (baked.loop == LoopKind::folded_elements) {
        const auto shape = field_of<FoldedShape>(planned, FieldKind::own);
        if (shape.pieces != runtime.grid || shape.pieces > shape.blocks) return "pieces of blocks";
        if (runtime.threads != baked.block_bound || !is_power(runtime.threads)) return "threads";
        return runtime.scratch.handed == runtime.grid ? "" : "accumulators";
    }
    const bool warps = baked.loop != LoopKind::reduced_columns;  // a warp exchanges values
    if (runtime.threads > baked.block_bound || runtime.threads < 1 ||
        (warps && runtime.threads % 32 != 0))
        return "threads";
    if (is_split(baked) != (runtime.scratch.handed > 0)) return "scratch without pieces";
    if (baked.loop == LoopKind::staged_rows) {
        const auto rows = field_of<StageSizes>(planned, FieldKind::own);
        const auto columns = static_cast<std::int64_t>(rows.by_columns.extent);
        if (rows.segments * columns != outputs || rows.row != folded) return "staged rows";
        if (!cover(runtime.grid, rows.block, rows.segments)) return "blocks of staged rows";
        if (runtime.shared_bytes < rows.block * columns * rows.row ||
            runtime.shared_bytes > 48 * 1024)
            return "shared memory";
        return "";
    }
    if (runtime.shared_bytes != 0) return "shared memory";
    if (baked.loop == LoopKind::short_folds) {
        const auto shape = field_of<FoldShape>(planned, FieldKind::own);
        const auto by = static_cast<std::int64_t>(shape.by_vectors.extent);
        if (shape.rows != folded) return "elements";
        if (!is_power(shape.side)) return "side";
        const bool turned = baked.as<ThreadFoldsChoice>().turned;
        if (turned && by != outputs / shape.columns) return "outputs across";
        const std::int64_t across = turned ? shape.vectors / by : by;
        if (!cover(across / shape.side, shape.side * baked.vector, shape.columns)) return "vectors";
        if (outputs / shape.columns * across != shape.vectors) return "rows of vectors";
        return cover(runtime.grid,
                     runtime.threads * baked.as<ThreadFoldsChoice>().groups,
                     shape.vectors)
                   ? ""
                   : "blocks";
    }
    if (baked.loop == LoopKind::reduced_rows) {
        const auto teams = field_of<RowTeams>(planned, FieldKind::own);
        if (teams.segments * teams.row != folded) return "segments";
        if (!is_power(teams.lanes) || !is_power(teams.team)) return "lanes";
        if (teams.lanes > teams.team || runtime.threads % teams.team != 0) return "team";
        if (test::has_block_team(baked) != (teams.team > 32)) return "a block's team";
        const std::int64_t slots = (teams.row + baked.vector - 1) / baked.vector;
        const std::int64_t pieces = teams.by_pieces.extent;
        const std::int64_t slot_pieces = teams.by_slot_pieces.extent;
        if (pieces % slot_pieces != 0) return "pieces of segments";
        if (!cover(pieces / slot_pieces, teams.segments_each, teams.segments)) return "segments";
        if (!cover(slot_pieces, teams.slots_each, slots)) return "slots";
        if (!is_split(baked) && pieces != 1) return "pieces";
        if (!cover(runtime.grid, runtime.threads / teams.team, outputs * pieces)) return "blocks";
        if (!is_split(baked)) return "";
        const std::int64_t groups = teams.team / teams.lanes;  // each folds a segment at a time
        if (pieces > slot_pieces && 2 * teams.segments_each < groups) return "idle lanes";
        return runtime.scratch.handed == outputs * pieces ? "" : "accumulators";
    }
    const auto tiles = field_of<ColumnTiles>(planned, FieldKind::own);
    const bool merged = test::is_merged(baked);
    if (merged ? tiles.each < 2 || tiles.each % tiles.by_neighbours.extent != 0 : tiles.each != 1)
        return "columns of an output";
    if (tiles.columns % tiles.each != 0 || outputs * tiles.each % tiles.columns != 0)
        return "columns";
    const std::int64_t side_by_side = tiles.by_tiles.extent;
    const std::int64_t pieces = tiles.by_pieces.extent;
    const std::int64_t period = tiles.by_period.extent;
    if (!cover(side_by_side, period, tiles.columns / tiles.each)) return "tiles";
    if (!cover(pieces, tiles.rows_each, tiles.rows)) return "rows";
    const std::int64_t wide_row = std::int64_t{tiles.across} * baked.vector;
    if (test::is_wide(baked)) {
        if (tiles.across > runtime.threads || wide_row % tiles.columns != 0) return "wide rows";
        if (period != tiles.columns || side_by_side != 1) return "wide columns";
        if (tiles.height * period != wide_row) return "rows of a wide row";
        // Elements before the first one that share its vector count too.
        const bool shifted = baked.as<ReducedColumnsChoice>().shifted;
        const std::int64_t elements = folded * tiles.columns + (shifted ? baked.vector - 1 : 0);
        if (!cover(tiles.rows, wide_row, elements)) return "wide rows of all";
    } else {
        if (!merged && !is_power(tiles.across)) return "across";
        if (tiles.across * tiles.height != runtime.threads) return "across and down";
        // Columns are repeated in one tile only.
        if (merged && side_by_side > 1 &&
            static_cast<std::uint32_t>(tiles.each) != tiles.by_neighbours.extent)
            return "repeats";
        if (merged ? period * tiles.each > wide_row : period != wide_row) return "width";
        if (tiles.rows * tiles.each != folded) return "rows of all";
    }
    const std::int64_t groups = outputs * tiles.each / tiles.columns * side_by_side;
    if (runtime.grid != groups * pieces) return "blocks";
    if (!is_split(baked)) return pieces == 1 ? "" : "pieces";
    // The block that folds the partials has a thread for each column.
    if (period > runtime.threads) return "columns of a block";
    const std::int64_t bundles = tiles.bundle == 0 ? 0 : (pieces + tiles.bundle - 1) / tiles.bundle;
    return runtime.scratch.handed == groups * (pieces + bundles) * period ? "" : "accumulators";
}

}  // namespace

TEST_CASE("the launches of reductions cover all elements once", "[plan]") {
    const auto check_launch = [](const ReductionTrial& trial) {
        const std::string wrong = wrong_launch(trial);
        if (!wrong.empty()) FAIL_CHECK(wrong << ": " << describe(trial));
    };
    RandomReductions random(9);
    for (int run = 0; run < rounds(3000); ++run) {
        check_launch(random.next());
    }
    // Sizes from 0 up to the size of a GPU's memory.
    std::mt19937_64 numbers(10);
    const auto pick = [&](std::int64_t most) {
        return static_cast<std::int64_t>(numbers() % static_cast<std::uint64_t>(most)) + 1;
    };
    const auto extent = [&] {  // any order of magnitude
        return std::int64_t{1} << pick(30) >> 1 | pick(std::int64_t{1} << pick(11));
    };
    const DType dtypes[] = {float32, uint8, float16, float64, complex128};
    for (int run = 0; run < rounds(6000); ++run) {
        Dims loop;
        std::int64_t left = std::int64_t{1} << 36;
        for (std::int64_t rank = pick(4); rank > 0; --rank) {
            loop.push_back(std::min(extent(), left));
            left /= loop[loop.rank() - 1];
        }
        if (pick(50) == 1) loop[0] = 0;
        const ReductionTrial trial =
            dense_trial(dtypes[pick(5) - 1],
                        loop,
                        static_cast<AxisSet>(pick(16) - 1) & ((AxisSet{1} << loop.rank()) - 1),
                        static_cast<Fold>(pick(fold_count) - 1));
        if (elements_of(trial, false) <= std::int64_t{1} << 30) check_launch(trial);
    }
}

TEST_CASE("sources of reductions depend on the layout's class, never on sizes", "[plan]") {
    const auto source_of = [](const ReductionTrial& trial) {
        const Planned planned = plan_of(trial);
        return generate_source(planned.signature, planned.types, planned.plan.baked).text;
    };
    for (const Fold fold : {Fold::sum, Fold::places, Fold::outputs, Fold::top, Fold::struct_40}) {
        const auto same = [&](const Dims& one, const Dims& other, AxisSet axes) {
            return source_of(dense_trial(float32, one, axes, fold)) ==
                   source_of(dense_trial(float32, other, axes, fold));
        };
        INFO("fold " << static_cast<int>(fold));
        CHECK(same({100000, 40}, {200000, 17}, 2));       // staged rows
        CHECK(same({3000, 400}, {90000, 1000}, 2));       // rows by warps
        CHECK(same({1000, 16384}, {20000, 40000}, 2));    // rows by blocks
        CHECK(same({1 << 20}, {1 << 28}, 1));             // split rows
        CHECK(same({700, 40, 5000}, {2, 20, 90000}, 5));  // segments
        CHECK(same({1 << 20, 1024}, {5000, 2000}, 1));    // columns
        CHECK(same({1 << 20, 16}, {9999, 120}, 1));       // wide columns
        CHECK_FALSE(same({16384, 4096}, {16384, 4095}, 2));
    }
}

TEST_CASE("the block of a reduction depends on addresses modulo 16 and through data alone",
          "[plan]") {
    RandomReductions random(8);
    for (int run = 0; run < 500; ++run) {
        const ReductionTrial trial = random.next();
        INFO(describe(trial));
        check_moved_block(trial);
    }
}
