// SPDX-License-Identifier: MIT
#include "benchmarks/random_calls.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "benchmarks/cold_time.hpp"
#include "benchmarks/forced_loop.hpp"
#include "benchmarks/guard_pages.hpp"
#include "benchmarks/naive_loop.hpp"
#include "benchmarks/random_case.hpp"
#include "benchmarks/touched_memory.hpp"

namespace kgen::bench {

namespace {

// Allocations are aligned to 64 bytes at least, on every device.
constexpr std::uintptr_t least_alignment = 64;

RandomOperand described(std::string role, const Array& array) {
    const auto address = reinterpret_cast<std::uintptr_t>(array.data());
    return {std::move(role),
            array.dtype(),
            array.shape(),
            array.strides(),
            static_cast<std::int64_t>(lowest_address(array) % least_alignment),
            address % 16 == 0};
}

void describe_operands(const PreparedCase& prepared, bool has_raw, RandomRow& row) {
    const std::int64_t unit = memory_unit_bytes(prepared.output().device().kind());
    double elements = 1;
    for (const std::int64_t extent : prepared.loop_shape()) elements *= static_cast<double>(extent);
    for (const OperandMemory& input : prepared.inputs()) {
        const bool is_raw = has_raw && &input == &prepared.inputs().back();
        row.operands.push_back(described(is_raw ? "raw input" : "input", input.view()));
        // Each element of the loop gathers one element at most.
        const double most = elements * static_cast<double>(item_size(input.view().dtype()));
        const double most_units = elements * static_cast<double>(unit);
        row.traffic.read_bytes += std::min(distinct_bytes(input.view()), most);
        row.touched.read_bytes += std::min(touched_bytes(input.view(), unit), most_units);
    }
    for (const OperandMemory& output : prepared.outputs()) {
        row.operands.push_back(described("output", output.view()));
        row.traffic.written_bytes += distinct_bytes(output.view());
        row.touched.written_bytes += touched_bytes(output.view(), unit);
    }
}

std::vector<std::pair<std::string, std::string>> kernel_strings(const Case& given) {
    if (const auto* own = std::get_if<Kernel>(&given.kernel)) {
        return {{"inputs", own->inputs}, {"outputs", own->outputs}, {"body", own->body}};
    }
    const auto& own = std::get<Reduction>(given.kernel);
    return {{"inputs", own.inputs},
            {"outputs", own.outputs},
            {"map", own.map},
            {"reduce", own.reduce},
            {"post_map", own.post_map},
            {"identity", own.identity},
            {"reduce_type", own.options.reduce_type},
            {"preamble", own.options.preamble},
            {"accuracy", own.options.accuracy == Accuracy::compensated ? "compensated" : "plain"}};
}

// The tolerance of the naive loop, which adds the elements of an output one after the other: each addition may
// round. Numbers without a tolerance are integers.
double naive_tolerance(const PreparedCase& prepared, double tolerance) {
    double elements = 1;
    for (const std::int64_t extent : prepared.loop_shape()) elements *= static_cast<double>(extent);
    for (const std::int64_t extent : prepared.output().shape())
        elements /= static_cast<double>(std::max<std::int64_t>(extent, 1));
    return tolerance == 0 ? 0 : tolerance + elements * 0x1p-24;
}

// Returns a naive loop whose result is right, or throws Error. If the first one is wrong, it is compiled without the vectoriser of loops: with it,
// g++ 12.2 at -O3 miscompiles sums along a reversed axis of 2 or 4 elements if it knows the extent.
std::unique_ptr<NaiveLoop> right_naive_loop(const Case& given,
                                            const PreparedCase& prepared,
                                            NaiveKnows knows,
                                            double tolerance) {
    for (const char* options : {"", "-fno-tree-loop-vectorize"}) {
        auto loop = std::make_unique<NaiveLoop>(given, prepared, knows, options);
        if (prepared.error_of([&] { (*loop)(); }) <= naive_tolerance(prepared, tolerance))
            return loop;
    }
    throw Error("the naive loop gives a wrong result");
}

// Times the call with each of the loops. Throws Error if a result is wrong.
void measure_loops(const Case& given,
                   const std::vector<std::string>& loops,
                   Scale scale,
                   PreparedCase& prepared,
                   RandomRow& row) {
    if (loops.size() < 2 || std::getenv("KGEN_LOOP") != nullptr) return;
    for (const std::string& loop : loops) {
        const ForcedLoop name(loop);
        prepared.make_kernel_again(given);
        const auto call = [&] { prepared.call(); };
        if (!(prepared.error_of(call) <= row.tolerance))
            throw Error("the loop " + loop + " gives a wrong result");
        row.loop_ms.emplace_back(loop, call_time_ms(call, scale).median);
    }
}

// Measures a call again whose choice looks worse than good_choice: the chosen loop and the best one take turns.
void measure_choice_again(const Case& given, Scale scale, PreparedCase& prepared, RandomRow& row) {
    constexpr double good_choice = 0.95;
    constexpr int turns = 3;
    const std::optional<double> share = row.first_choice_share();
    if (scale == Scale::quick || !share || *share >= good_choice) return;
    const auto best = std::min_element(
        row.loop_ms.begin(), row.loop_ms.end(), [](const auto& one, const auto& other) {
            return one.second < other.second;
        });
    const auto measure = [&](const std::string& loop) {
        const ForcedLoop name(loop);
        prepared.make_kernel_again(given);
        return call_time_ms([&] { prepared.call(); }, scale).median;
    };
    std::vector<double> chosen;
    std::vector<double> others;
    for (int turn = 0; turn < turns; ++turn) {
        chosen.push_back(measure(""));
        others.push_back(measure(best->first));
    }
    row.second_choice_share = std::min(quartiles(others).median / quartiles(chosen).median, 1.0);
}

RandomRow measure_random_call(std::uint64_t seed, Scale scale, const Limits& limits) {
    const RandomCase given = random_case(seed, current_device().kind(), scale);
    RandomRow row{.seed = seed,
                  .kernel = kernel_strings(given),
                  .expression = given.expression,
                  .axes = given.axes};
    row.tolerance = given.tolerance();
    try {
        PreparedCase prepared(given, Scale::full);  // the case has its size already
        const auto* kernel = std::get_if<Kernel>(&given.kernel);
        const bool has_raw = kernel != nullptr && kernel->inputs.find("raw ") != std::string::npos;
        describe_operands(prepared, has_raw, row);
        const Explanation explanation = prepared.explain();
        row.loop = loop_words(explanation.plan);
        row.predicted_ms = explanation.predicted_ms;
        row.floor_ms = limits.floor_ms(row.touched);
        row.error = prepared.largest_error();
        if (row.kind() == RandomClass::host) {
            const auto naive = right_naive_loop(given, prepared, NaiveKnows::layout, row.tolerance);
            const auto constant = right_naive_loop(given, prepared, NaiveKnows::all, row.tolerance);
            const std::vector<Quartiles> times = times_in_turn_ms(
                {[&] { prepared.call(); }, [&] { (*naive)(); }, [&] { (*constant)(); }}, scale);
            row.ms = times[0];
            row.naive_ms = times[1].median;
            row.constant_ms = times[2].median;
        } else {
            const auto call = [&] { prepared.call(); };
            row.ms = call_time_ms(call, scale);
            if (row.kind() == RandomClass::small && current_device().kind() == DeviceKind::cuda)
                row.cold_ms = cold_time_ms(call).median;
        }
        if (row.is_right()) {
            measure_loops(given, explanation.loops, scale, prepared, row);
            measure_choice_again(given, scale, prepared, row);
        }
    } catch (const Error& error) {
        row.problem = error.what();
    }
    return row;
}

}  // namespace

std::string loop_words(const std::string& plan) {
    const std::string line = plan.substr(0, plan.find('\n'));
    return line.substr(line.find("; ") + 2);
}

std::vector<RandomRow> measure_random_calls(
    const RandomSelection& selection,
    Scale scale,
    const Limits& limits,
    const std::function<void(const std::string&)>& progress) {
    std::vector<RandomRow> rows;
    // Quick calls are not timed, so they also look for accesses outside of the host's arrays.
    std::optional<GuardPages> guards;
    if (scale == Scale::quick) guards.emplace();
    progress(random_columns_text());
    std::uint64_t seed = selection.seed;
    for (std::int64_t k = 0; k < selection.count; ++k, seed += seed_step) {
        seed = next_seed(seed, selection.classes);
        rows.push_back(measure_random_call(seed, scale, limits));
        progress(random_row_text(rows.back()));
    }
    progress(random_summary_text(rows));
    return rows;
}

}  // namespace kgen::bench
