// SPDX-License-Identifier: MIT
#include "benchmarks/random_plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/svg_text.hpp"

namespace kgen::bench {

namespace {

constexpr int left = 60;
constexpr int side = 360;  // of a square panel
constexpr int gap = 70;    // between the panels
constexpr int top = 84;    // space for the title and the legend
constexpr int bottom = 50;
constexpr double axis_end = 1.2;  // greater values lie at the end

constexpr std::string_view class_colours[random_class_count] = {
    "#0b6e4f", "#d1495b", "#3066be", "#edae49", "#7d5ba6"};

using Value = std::optional<double> (RandomRow::*)() const;

// The place of a point within its panel.
double panel_x(double begin, double value) {
    return begin + std::clamp(value, 0.0, axis_end) / axis_end * side;
}
double panel_y(double fraction) {
    return top + side * (1 - fraction);
}

std::vector<double> sorted_values(const std::vector<RandomRow>& rows,
                                  RandomClass kind,
                                  Value value) {
    std::vector<double> values;
    for (const RandomRow& row : rows) {
        if (row.kind() != kind || !row.is_right()) continue;
        if (const auto each = (row.*value)()) values.push_back(*each);
    }
    std::sort(values.begin(), values.end());
    return values;
}

std::string axes_text(double begin, std::string_view name) {
    std::string text;
    for (int step = 0; step <= 6; ++step) {
        const double x = panel_x(begin, step * 0.2);
        text += svg_line(x, top, x, top + side, "stroke=\"#dddddd\"");
        text += svg_text(x, top + side + 16, "middle", fmt::format("{:.1f}", step * 0.2));
    }
    for (int step = 0; step <= 4; ++step) {
        const double y = panel_y(step * 0.25);
        text += svg_line(begin, y, begin + side, y, "stroke=\"#dddddd\"");
        text += svg_text(begin - 6, y + 4, "end", fmt::format("{} %", step * 25));
    }
    const double one = panel_x(begin, 1);
    text += svg_line(one, top, one, top + side, "stroke=\"#222222\" stroke-width=\"1.5\"");
    return text + svg_text(begin + side / 2.0, top + side + 36, "middle", name);
}

// A step upward at each value.
std::string curve_text(double begin, const std::vector<double>& values, std::string_view colour) {
    std::string points = fmt::format("{:.1f},{:.1f}", begin, panel_y(0));
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double x = panel_x(begin, values[k]);
        for (const std::size_t below : {k, k + 1}) {
            const double fraction = static_cast<double>(below) / static_cast<double>(values.size());
            points += fmt::format(" {:.1f},{:.1f}", x, panel_y(fraction));
        }
    }
    points += fmt::format(" {:.1f},{:.1f}", begin + side, panel_y(1));
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                       points,
                       colour);
}

}  // namespace

std::string random_plot(const Report& report) {
    std::string text = svg_start(left + 2 * side + gap + 30, top + side + bottom);
    text += svg_text(
        left, 22, "start", fmt::format("Random calls below a value, {}", report.device_name));
    constexpr std::pair<std::string_view, Value> panels[] = {
        {"floor / time", &RandomRow::floor_share}, {"best / chosen", &RandomRow::choice_share}};
    double begin = left;
    for (const auto& [name, value] : panels) {
        text += axes_text(begin, name);
        double x = begin;
        for (int at = 0; at < random_class_count; ++at) {
            const auto kind = static_cast<RandomClass>(at);
            const std::vector<double> values = sorted_values(report.random_calls, kind, value);
            if (values.empty()) continue;
            const std::string_view colour = class_colours[at];
            text += curve_text(begin, values, colour);
            text += svg_line(
                x, 52, x + 12, 52, fmt::format("stroke=\"{}\" stroke-width=\"3\"", colour));
            const std::string label = fmt::format("{} ({})", to_text(kind), values.size());
            text += svg_text(x + 16, 56, "start", label);
            x += 26 + 6.2 * static_cast<double>(label.size());
        }
        begin += side + gap;
    }
    return text + "</svg>\n";
}

}  // namespace kgen::bench
