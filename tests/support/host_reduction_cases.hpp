// SPDX-License-Identifier: MIT
//
// Geometries that together reach every path through the host's reduction loops, and float32
// reductions of them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/host_reductions.hpp"
#include "support/layouts.hpp"

namespace kgen::test {

inline Definition reduction(std::string inputs,
                            std::string outputs,
                            std::string map,
                            std::string reduce,
                            std::string post_map,
                            std::string identity) {
    Definition definition{.name = "folded",
                          .inputs = std::move(inputs),
                          .outputs = std::move(outputs),
                          .operation = std::move(map)};
    definition.reduction = ReductionTexts{.reduce = std::move(reduce),
                                          .post_map = std::move(post_map),
                                          .identity = std::move(identity)};
    return definition;
}

inline Definition sum_of(std::string map) {
    return reduction("T x", "T y", std::move(map), "a + b", "y = a", "0");
}

inline Dims kept_shape(const Dims& loop, AxisSet axes) {
    Dims shape = loop;
    for (int axis = 0; axis < loop.rank(); ++axis) {
        if ((axes >> axis & 1) != 0) shape[axis] = 1;
    }
    return shape;
}

inline std::int64_t product(const Dims& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return count;
}

// Returns values in [-1, 1) that use all digits.
inline std::vector<float> fractions(std::int64_t count) {
    std::mt19937 random(5);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(random()) * 0x1p-31F - 1;
    return values;
}

// Returns for each element of the loop the C-order index of its output.
inline std::vector<std::int64_t> outputs_of(const Dims& loop, AxisSet axes) {
    Dims strides = c_strides(kept_shape(loop, axes), 1);
    for (int axis = 0; axis < loop.rank(); ++axis) {
        if ((axes >> axis & 1) != 0) strides[axis] = 0;
    }
    return naive_offsets(loop, strides);
}

inline const std::vector<Cut> cuts = {
    {1, 0, 0}, {1, 1009, 17}, {2, 4096, 0}, {3, 333, 1}, {7, 70001, 12345}};

// Runs a reduction of one C-ordered float32 array to float32 and returns the results.
inline std::vector<float> float_results(const Definition& definition,
                                        std::vector<float> values,
                                        const Dims& loop,
                                        AxisSet axes,
                                        const Cut& cut,
                                        HostCxx cxx = HostCxx::gnu) {
    const Dims kept = kept_shape(loop, axes);
    std::vector<float> results(static_cast<std::size_t>(product(kept)), -7.0F);
    PlannedReduction planned(
        definition, {dense_operand(values, loop), dense_operand(results, kept)}, loop, axes, cxx);
    planned.run(cut);
    CHECK(planned.counters_are_zero());
    return results;
}

struct FoldGeometry {
    const char* name;
    Dims loop;
    AxisSet axes;
    LoopKind kind;
    bool wide;
    bool split;
};

// One geometry for each path through the loops. In each, the last band of accumulators is not full (64 floats
// for rows, 256 for columns; see reduce_host.cuh).
inline const std::vector<FoldGeometry> geometries = {
    {"one long row", {300001}, 1, LoopKind::reduced_rows, false, true},
    {"one short row", {37}, 1, LoopKind::reduced_rows, false, false},
    {"few long rows", {3, 70001}, 2, LoopKind::reduced_rows, false, true},
    {"many long rows", {600, 17000}, 2, LoopKind::reduced_rows, false, false},
    {"rows of a few bands", {701, 203}, 2, LoopKind::reduced_rows, false, false},
    {"rows of 17", {1111, 17}, 2, LoopKind::reduced_columns, false, false},
    {"rows of 17 that are few", {7, 17}, 2, LoopKind::reduced_rows, false, false},
    {"rows of 5", {11111, 5}, 2, LoopKind::short_folds, false, false},
    {"columns", {333, 1001}, 1, LoopKind::reduced_columns, false, true},
    {"many columns", {17, 140000}, 1, LoopKind::reduced_columns, false, false},
    {"many columns of 3", {3, 140000}, 1, LoopKind::short_folds, false, false},
    {"few columns under an outer axis", {300, 20, 6}, 2, LoopKind::short_folds, false, false},
    {"narrow columns", {50001, 7}, 1, LoopKind::reduced_columns, true, true},
    {"few narrow columns", {17, 7}, 1, LoopKind::reduced_columns, true, false},
    {"a middle axis", {5, 601, 130}, 2, LoopKind::reduced_columns, false, true},
    {"outer and inner axes", {40, 11, 301}, 5, LoopKind::reduced_rows, false, false},
    {"columns under an outer axis", {31, 9, 35, 12}, 5, LoopKind::reduced_columns, true, false},
};

// Geometries of both kinds of loop, with and without pieces and wide rows.
inline std::vector<FoldGeometry> few_geometries() {
    return {geometries[0], geometries[4], geometries[5], geometries[7], geometries[9]};
}

}  // namespace kgen::test
