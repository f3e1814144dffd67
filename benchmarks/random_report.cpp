// SPDX-License-Identifier: MIT
//
// The text and the JSON of random calls.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "benchmarks/random_calls.hpp"

namespace kgen::bench {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t worst_count = 20;

std::string_view random_result(const RandomRow& row) {
    return !row.problem.empty() ? "failed" : row.is_right() ? "right" : "WRONG";
}

std::string string_of(const RandomRow& row, std::string_view name) {
    for (const auto& [key, text] : row.kernel) {
        if (key == name) return text;
    }
    return "";
}

// Returns one line: the kernel, then each operand's dtype, shape and strides.
std::string description(const RandomRow& row) {
    const std::string map = string_of(row, "map");
    std::string text =
        map.empty() ? string_of(row, "body") : fmt::format("{}; {}", map, string_of(row, "reduce"));
    std::replace(text.begin(), text.end(), '\n', ' ');
    constexpr std::size_t longest = 160;
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    if (row.axes) text += fmt::format(" axes {}", *row.axes);
    for (const RandomOperand& operand : row.operands) {
        text += fmt::format(" | {}{} {} {} strides {}",
                            operand.role == "input" ? "" : operand.role + " ",
                            to_text(operand.dtype),
                            to_text(operand.shape),
                            operand.is_aligned ? "aligned," : "misaligned,",
                            to_text(operand.strides));
    }
    return text;
}

struct Quantiles {
    double median;
    double most;  // 95 % of the values are at least this
    double worst;
};

Quantiles quantiles(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return {values[values.size() / 2], values[values.size() / 20], values.front()};
}

// The values of one figure over the right calls of a class.
struct Figure {
    RandomClass kind;
    const char* name;  // in JSON
    const char* text;
    std::vector<double> values;
};

// The calls whose time differs from the plan's prediction by at most 15 %.
struct Predicted {
    std::int64_t close = 0;
    std::int64_t all = 0;
};

Predicted predicted(const std::vector<RandomRow>& rows) {
    constexpr double most_difference = 0.15;
    Predicted count;
    for (const RandomRow& row : rows) {
        const auto share = row.prediction_share();
        if (!row.is_right() || !share) continue;
        ++count.all;
        if (std::abs(*share - 1) <= most_difference) ++count.close;
    }
    return count;
}

std::vector<Figure> figures(const std::vector<RandomRow>& rows) {
    std::vector<Figure> list;
    for (int at = 0; at < random_class_count; ++at) {
        const auto kind = static_cast<RandomClass>(at);
        Figure shares{kind, "floor_share", "floor / time", {}};
        Figure choices{kind, "choice_share", "best / chosen", {}};
        Figure predictions{kind, "prediction_share", "predicted / time", {}};
        Figure speeds{kind, "naive_speed", "naive / kgen", {}};
        Figure constants{kind, "constant_speed", "constant / kgen", {}};
        for (const RandomRow& row : rows) {
            if (row.kind() != kind || !row.is_right()) continue;
            shares.values.push_back(*row.floor_share());
            if (const auto share = row.choice_share()) choices.values.push_back(*share);
            if (const auto share = row.prediction_share()) predictions.values.push_back(*share);
            if (row.naive_ms) speeds.values.push_back(*row.naive_speed());
            if (row.constant_ms) constants.values.push_back(*row.constant_speed());
        }
        for (Figure* figure : {&shares, &choices, &predictions, &speeds, &constants}) {
            if (!figure->values.empty()) list.push_back(std::move(*figure));
        }
    }
    return list;
}

ordered_json row_object(const RandomRow& row) {
    ordered_json object = {
        {"seed", row.seed}, {"class", to_text(row.kind())}, {"result", random_result(row)}};
    if (!row.problem.empty()) object["problem"] = row.problem;
    for (const auto& [name, text] : row.kernel) object["kernel"][name] = text;
    object["operands"] = ordered_json::array();
    for (const RandomOperand& operand : row.operands) {
        object["operands"].push_back(
            {{"role", operand.role},
             {"dtype", to_text(operand.dtype)},
             {"shape", std::vector<std::int64_t>(operand.shape.begin(), operand.shape.end())},
             {"strides", std::vector<std::int64_t>(operand.strides.begin(), operand.strides.end())},
             {"offset_bytes", operand.offset_bytes},
             {"aligned", operand.is_aligned}});
    }
    if (row.axes) object["axes"] = *row.axes;
    object["expression"] = ordered_json::parse(row.expression);
    if (!row.problem.empty()) return object;
    object["loop"] = row.loop;
    object["median_ms"] = row.ms.median;
    object["low_ms"] = row.ms.low;
    object["high_ms"] = row.ms.high;
    object["bytes"] = row.traffic.bytes();
    object["sector_bytes"] = row.touched.bytes();
    object["floor_ms"] = row.floor_ms;
    object["floor_share"] = *row.floor_share();
    if (row.predicted_ms) {
        object["predicted_ms"] = *row.predicted_ms;
        object["prediction_share"] = *row.prediction_share();
    }
    for (const auto& [loop, ms] : row.loop_ms) object["loop_ms"][loop] = ms;
    if (row.second_choice_share) object["second_choice_share"] = *row.second_choice_share;
    if (row.cold_ms) object["cold_ms"] = *row.cold_ms;
    if (row.naive_ms) {
        object["naive_ms"] = *row.naive_ms;
        object["naive_speed"] = *row.naive_speed();
        object["constant_ms"] = *row.constant_ms;
        object["constant_speed"] = *row.constant_speed();
    }
    object["error"] = std::isfinite(row.error) ? ordered_json(row.error) : ordered_json();
    object["tolerance"] = row.tolerance;
    return object;
}

// Returns the right calls with the least values of a figure.
std::string worst_text(const std::vector<RandomRow>& rows,
                       std::string_view name,
                       std::optional<double> (RandomRow::*figure)() const) {
    std::vector<std::pair<double, const RandomRow*>> order;
    for (const RandomRow& row : rows) {
        const auto value = (row.*figure)();
        if (row.is_right() && value) order.emplace_back(*value, &row);
    }
    if (order.empty()) return "";
    std::sort(order.begin(), order.end());
    order.resize(std::min(order.size(), worst_count));
    std::string text = fmt::format("\nthe {} calls with the least {}\n", order.size(), name);
    for (const auto& [value, row] : order) {
        const bool is_second = figure == &RandomRow::choice_share && row->second_choice_share;
        text +=
            fmt::format("{:<20} {:<11} {:>6.3f}  {}{}; {}\n",
                        row->seed,
                        to_text(row->kind()),
                        value,
                        is_second ? fmt::format("(first {:.3f}) ", *row->first_choice_share()) : "",
                        row->loop,
                        description(*row));
    }
    return text;
}

}  // namespace

std::string random_row_text(const RandomRow& row) {
    const std::string start = fmt::format("{:<20} {:<11}", row.seed, to_text(row.kind()));
    if (!row.problem.empty()) {
        return fmt::format("{} failed: {}\n    {}\n", start, row.problem, description(row));
    }
    std::string text = fmt::format("{} {:>10.5f} {:>10.5f} {:>6.3f} {:>8} {:>8.1e}  {:<5}  {}\n",
                                   start,
                                   row.ms.median,
                                   row.floor_ms,
                                   *row.floor_share(),
                                   row.naive_ms ? fmt::format("{:.2f}", *row.naive_speed()) : "-",
                                   row.error,
                                   random_result(row),
                                   row.loop);
    if (!row.is_right()) text += fmt::format("    {}\n", description(row));
    return text;
}

std::string random_columns_text() {
    return fmt::format("{:<20} {:<11} {:>10} {:>10} {:>6} {:>8} {:>8}  {:<6} {}\n",
                       "seed",
                       "class",
                       "median ms",
                       "floor ms",
                       "share",
                       "vs naive",
                       "error",
                       "result",
                       "loop");
}

std::string random_summary_text(const std::vector<RandomRow>& rows) {
    std::string text = fmt::format("\n{:<12} {:<16} {:>6} {:>8} {:>8} {:>8}\n",
                                   "class",
                                   "figure",
                                   "calls",
                                   "median",
                                   "95 % >=",
                                   "worst");
    for (const Figure& figure : figures(rows)) {
        const Quantiles all = quantiles(figure.values);
        text += fmt::format("{:<12} {:<16} {:>6} {:>8.3f} {:>8.3f} {:>8.3f}\n",
                            to_text(figure.kind),
                            figure.text,
                            figure.values.size(),
                            all.median,
                            all.most,
                            all.worst);
    }
    if (const Predicted count = predicted(rows); count.all > 0) {
        text += fmt::format("\npredicted within 15 %: {} of {} calls\n", count.close, count.all);
    }
    text += worst_text(rows, "floor / time", &RandomRow::floor_share);
    text += worst_text(rows, "time of the best loop / time", &RandomRow::choice_share);
    text += worst_text(rows, "naive / kgen", &RandomRow::naive_speed);
    text += worst_text(rows, "constant / kgen", &RandomRow::constant_speed);
    const auto wrong = std::count_if(
        rows.begin(), rows.end(), [](const RandomRow& row) { return !row.is_right(); });
    text += fmt::format("\n{} of {} calls are right\n",
                        static_cast<std::ptrdiff_t>(rows.size()) - wrong,
                        rows.size());
    for (const RandomRow& row : rows) {
        if (!row.is_right()) {
            text += fmt::format(
                "{}: repeat it with --random 1 --seed {}\n", random_result(row), row.seed);
        }
    }
    return text;
}

ordered_json random_rows_json(const std::vector<RandomRow>& rows) {
    ordered_json object = {{"classes", ordered_json::array()}, {"rows", ordered_json::array()}};
    for (const Figure& figure : figures(rows)) {
        const Quantiles all = quantiles(figure.values);
        object["classes"].push_back({{"class", to_text(figure.kind)},
                                     {"figure", figure.name},
                                     {"calls", figure.values.size()},
                                     {"median", all.median},
                                     {"at_least_in_95_percent", all.most},
                                     {"worst", all.worst}});
    }
    if (const Predicted count = predicted(rows); count.all > 0) {
        object["predicted"] = {{"calls", count.all}, {"within_15_percent", count.close}};
    }
    for (const RandomRow& row : rows) object["rows"].push_back(row_object(row));
    return object;
}

}  // namespace kgen::bench
