// SPDX-License-Identifier: MIT
//
// Draws calls, checks their results, times them, and sums up how close they come to their floors.
#pragma once

#include <algorithm>
#include <nlohmann/json_fwd.hpp>

#include "benchmarks/limits.hpp"
#include "benchmarks/measurement.hpp"
#include "benchmarks/random_draw.hpp"

namespace kgen::bench {

// The calls that a run draws: `count` calls of these classes from a seed on, see random_draw.hpp.
struct RandomSelection {
    std::int64_t count = 0;
    std::uint64_t seed = 1;
    std::vector<RandomClass> classes;
};

struct RandomOperand {
    std::string role;  // "input", "raw input" or "output"
    DType dtype;
    Dims shape;
    Dims strides;                   // in bytes
    std::int64_t offset_bytes = 0;  // of its first byte in memory, modulo 64
    bool is_aligned = true;         // to 16 bytes
};

struct RandomRow {
    std::uint64_t seed = 0;
    // The kernel's strings by their names, as in {"body", "y0 = x0;"}.
    std::vector<std::pair<std::string, std::string>> kernel = {};
    std::string expression = {};  // see RandomCase
    std::vector<RandomOperand> operands = {};
    std::optional<std::vector<int>> axes = {};  // reduced axes; all if a reduction has none
    std::string loop;                           // the plan's words for the loop that ran
    Traffic traffic = {};
    Traffic touched = {};  // whole sectors (GPU) or cache lines (host), which the floor counts
    Quartiles ms = {};
    double floor_ms = 0;
    std::optional<double> predicted_ms = {};  // of the plan, if it predicts a time
    // Class host, timed in turn with kgen: the naive loop, and one whose extents and strides are constants.
    std::optional<double> naive_ms = {};
    std::optional<double> constant_ms = {};
    std::optional<double> cold_ms = {};  // class small on a GPU: the median with a flushed L2 cache
    // The median time in ms with each loop that can run the call, if there are several.
    std::vector<std::pair<std::string, double>> loop_ms = {};
    // choice_share() of a second measurement, if there was one.
    std::optional<double> second_choice_share = {};
    double error = 0;  // NaN: see Row
    double tolerance = 0;
    std::string problem = {};  // why there is no time, else empty

    RandomClass kind() const { return class_of(seed); }
    bool is_right() const { return problem.empty() && error <= tolerance; }
    // Nothing if the call failed.
    std::optional<double> floor_share() const {
        return problem.empty() ? std::optional(floor_ms / ms.median) : std::nullopt;
    }
    // The plan's prediction divided by the time.
    std::optional<double> prediction_share() const {
        return predicted_ms && problem.empty() ? std::optional(*predicted_ms / ms.median)
                                               : std::nullopt;
    }
    // The time of the best loop divided by that of the chosen one.
    std::optional<double> choice_share() const {
        return second_choice_share ? second_choice_share : first_choice_share();
    }
    std::optional<double> first_choice_share() const {
        std::optional<double> share;
        for (const auto& [name, each] : loop_ms)
            share = std::min(share.value_or(1), each / ms.median);
        return share;
    }
    std::optional<double> naive_speed() const {
        return naive_ms ? std::optional(*naive_ms / ms.median) : std::nullopt;
    }
    std::optional<double> constant_speed() const {
        return constant_ms ? std::optional(*constant_ms / ms.median) : std::nullopt;
    }
};

// Returns the words of a plan for its loop. Its first line is "loop: ELEMENTS shape SHAPE; WORDS".
std::string loop_words(const std::string& plan);

// Calls `progress` with a line for each call.
std::vector<RandomRow> measure_random_calls(
    const RandomSelection& selection,
    Scale scale,
    const Limits& limits,
    const std::function<void(const std::string&)>& progress);

// Return the columns, a line for one call, and the tables that sum up all: quantiles for each class, and the worst calls.
std::string random_columns_text();
std::string random_row_text(const RandomRow& row);
std::string random_summary_text(const std::vector<RandomRow>& rows);

nlohmann::ordered_json random_rows_json(const std::vector<RandomRow>& rows);

}  // namespace kgen::bench
