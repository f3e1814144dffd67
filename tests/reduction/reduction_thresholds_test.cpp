// SPDX-License-Identifier: MIT
//
// Results of reductions with sizes around every threshold at which the plan changes its loop, on every device
// present. tests/plan/cuda_reduction_choice_test.cpp tests which loop CUDA gets.
#include <initializer_list>

#include "support/reduction_trial.hpp"
#include "support/sanitizers.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

using Sizes = std::initializer_list<std::int64_t>;
constexpr DType all_dtypes[] = {float32, uint8, float16, float64};

std::int64_t item_of(DType dtype) {
    return static_cast<std::int64_t>(item_size(dtype));
}

// The largest sizes are thresholds of GPUs. Under a sanitizer the loop over indices would take most of a minute for them.
void check(const ReductionTrial& trial) {
    if (is_sanitized && count_of(trial.loop) > 1'000'000) return;
    for (const Device device : present_devices()) check_trial(device, trial);
}

void check_rows(DType dtype, std::int64_t outputs, std::int64_t row, Fold fold = Fold::sum) {
    check(dense_trial(dtype, {outputs, row}, 2, fold));
}

void check_columns(DType dtype, std::int64_t high, std::int64_t columns, Fold fold = Fold::sum) {
    check(dense_trial(dtype, {high, columns}, 1, fold));
}

// Rows of every other element, which are read one by one.
void check_gapped_rows(DType dtype, std::int64_t outputs, std::int64_t row) {
    ReductionTrial trial = dense_trial(dtype, {outputs, row}, 2);
    const std::int64_t item = item_of(dtype);
    trial.inputs[0].strides = {2 * row * item, 2 * item};
    check(trial);
}

}  // namespace

TEST_CASE("short rows are right where shared memory for them begins and ends", "[reduction]") {
    for (const DType dtype : all_dtypes) {
        for (const std::int64_t more : {-1, 0, 1}) {  // rows of 512 bytes
            check_rows(dtype, 2112, 512 / item_of(dtype) + more);
            check_rows(dtype, 2112 + more, 2);
        }
    }
    for (const std::int64_t row : {1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 100})
        check_rows(float32, 2113, row, row % 2 == 0 ? Fold::places : Fold::top);
}

TEST_CASE("blocks of short rows are right whole, cut off and misaligned", "[reduction]") {
    // A block stages 1344 rows of 3 float32 or 64 rows of 100 float32.
    for (const std::int64_t outputs : {2687, 2688, 2689}) check_rows(float32, outputs, 3);
    for (const std::int64_t outputs : {2175, 2176, 2177}) check_rows(float32, outputs, 100);
    for (const DType dtype : all_dtypes) {
        for (std::int64_t shift = item_of(dtype); shift < 16; shift += item_of(dtype)) {
            ReductionTrial trial = dense_trial(dtype, {2115, 5}, 2);
            trial.inputs[0].shift = shift;
            check(trial);
            // The second input has one element for each row.
            trial.inputs.push_back(c_part(dtype, {2115, 1}));
            check(trial);
        }
    }
}

TEST_CASE("rows are right around vectors, warps and blocks", "[reduction]") {
    for (const DType dtype : all_dtypes) {
        const std::int64_t vector = 16 / item_of(dtype);
        for (const std::int64_t row : {2 * vector - 1, 2 * vector, 2 * vector + 1})
            check_rows(dtype, 100, row);
        // From 64 slots on, a block folds a row instead of a warp. Rows of more than 1024 slots are split.
        for (const std::int64_t slots : {63, 64, 65, 128, 129, 1023, 1024, 1025}) {
            for (const std::int64_t more : {-1, 0, 1}) check_rows(dtype, 3, slots * vector + more);
        }
    }
    for (const std::int64_t row : {1, 2, 3, 7, 8, 9, 16, 17, 31, 32, 33, 64, 127, 128, 129, 255})
        check_rows(float32, 130, row, Fold::top);
    // With fewer than 128 outputs, blocks may be larger.
    for (const std::int64_t outputs : {127, 128, 129}) {
        for (const std::int64_t row : {252, 256, 260, 1040, 4092, 4096, 4100})
            check_rows(float32, outputs, row);
    }
}

TEST_CASE("rows are right where blocks and pieces begin", "[reduction]") {
    for (const std::int64_t row : {511, 512, 513}) {
        check_gapped_rows(float32, 2111, row);
        check_gapped_rows(float32, 2112, row);
    }
    for (const std::int64_t row : {1024, 1025}) {
        for (const std::int64_t outputs : {799, 800}) check_gapped_rows(uint8, outputs, row);
    }
    check_rows(float32, 2112, 2044);
    check_rows(float32, 2112, 2045);
    for (const std::int64_t row : {4095, 4096, 4097}) check_rows(float32, 799, row);
}

TEST_CASE("rows in pieces are right whatever is left over", "[reduction]") {
    for (const std::int64_t row : {4097, 8191, 65536, 270000, 1000003}) {
        check_rows(float32, 1, row);
        check_rows(uint8, 1, row, row < 300000 ? Fold::places : Fold::sum);
        check_rows(float32, 3, row, Fold::top);
    }
    // Each row begins at another offset within a vector.
    for (const std::int64_t shift : {4, 8, 12}) {
        for (const std::int64_t row : {9, 259, 4098, 20001}) {
            ReductionTrial trial = dense_trial(float32, {5, row}, 2);
            trial.inputs[0].shift = shift;
            check(trial);
        }
    }
}

TEST_CASE("rows in several segments are right", "[reduction]") {
    for (const std::int64_t segments : {2, 3, 33}) {
        for (const std::int64_t row : {2, 7, 8, 63, 64, 257, 1030}) {
            for (const std::int64_t outputs : {1, 7})
                check(dense_trial(float32, {segments, outputs, row}, 5, Fold::places));
        }
    }
    check(dense_trial(float32, {3, 2200, 6}, 5));
    check(dense_trial(float32, {2, 800, 260}, 5));
    check(dense_trial(uint8, {130, 3, 1000}, 5));
}

TEST_CASE("few columns of few rows are right however often they come", "[reduction]") {
    for (const std::int64_t outer : {2111, 2112, 5000}) {
        for (const std::int64_t rows : {2, 8, 63, 64}) {
            for (const std::int64_t columns : {2, 4, 5})
                check(dense_trial(float32, {outer, rows, columns}, 2, Fold::places));
        }
    }
    check(dense_trial(uint8, {3000, 3, 7}, 2));
    check(dense_trial(float32, {3000, 3, 2, 5}, 4, Fold::top));
    check(dense_trial(float32, {3000, 3, 2, 5}, 6));
}

TEST_CASE("wide columns are right from where they begin", "[reduction]") {
    for (const DType dtype : all_dtypes) {
        const std::int64_t vector = 16 / item_of(dtype);
        for (const std::int64_t columns : {2, 3, 16, 31}) {
            const std::int64_t high = 1024 * vector / columns;
            for (const std::int64_t more : {-1, 0, 1, 2})
                check_columns(dtype, high + more, columns);
        }
        const std::int64_t most = 32 * vector;
        for (const std::int64_t columns : {most - 1, most, most + 1})
            check_columns(dtype, 2000, columns);
    }
    for (const std::int64_t columns : {5, 7, 63, 64, 65, 100, 127}) {
        check_columns(float32, 3333, columns, Fold::places);
        check_columns(float32, 3333, columns, Fold::top);
    }
    // From 1024 outer indices on, no output is split.
    for (const std::int64_t outer : {1023, 1024})
        check(dense_trial(float64, {outer, 1024, 2}, 2, Fold::sum));
}

TEST_CASE("columns are right around vectors, heights and pieces", "[reduction]") {
    for (const DType dtype : all_dtypes) {
        for (const std::int64_t columns : {511, 512, 513, 514}) {
            for (const std::int64_t high : {2, 63, 64, 65, 66, 300})
                check_columns(dtype, high, columns);
        }
    }
    for (const std::int64_t high : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33}) {
        check_columns(float32, high, 1030, Fold::places);
        check_columns(float32, high, 132, Fold::top);
    }
    // Few columns. From 256 rows on, a thread reads more of them at once.
    for (const std::int64_t high : {255, 256, 257}) {
        for (const std::int64_t columns : {3, 4}) {
            check(dense_trial(float32, {3, high, columns}, 2));
            check(dense_trial(float32, {40, high, columns}, 2, Fold::outputs));
        }
    }
    // About 2^17 columns of few rows, and about 1024 groups of columns. These are not split into pieces.
    for (const std::int64_t columns : {130944, 131072, 131073}) check_columns(uint8, 3, columns);
    for (const std::int64_t outer : {1023, 1024}) check(dense_trial(float32, {outer, 66, 32}, 2));
}

TEST_CASE("accumulators of any size are right in every loop", "[reduction]") {
    for (const Fold fold : {Fold::struct_16, Fold::struct_40, Fold::struct_100}) {
        check_rows(float32, 2112, 9, fold);
        check_rows(float32, 2112, 129, fold);
        check_rows(float32, 130, 900, fold);
        check_rows(float32, 2, 30011, fold);
        check_columns(float32, 2000, 5, fold);
        check_columns(float32, 300, 500, fold);
        check_columns(float32, 3, 3001, fold);
        check(dense_trial(float32, {9, 3, 1001}, 5, fold));
    }
}
