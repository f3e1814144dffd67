// SPDX-License-Identifier: MIT
#include "api/row_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <kgen/error.hpp>
#include <utility>

#include "call/explain_call.hpp"
#include "call/kernel_access.hpp"
#include "call/thread_slots.hpp"
#include "device/registry.hpp"
#include "plan/loop_table.hpp"

namespace kgen {

namespace {

// Row kernels need no memory for what lies between kernels. A kernel for each reduction must be predicted to take less than this
// share of their time, and folds less than this share of the quicker of both.
constexpr double clearly_quicker = 0.9;
constexpr double quicker_folds = 0.97;
// Most kernels of a statement that row kernels can compute. A way of more is not taken, even if it is predicted to be quicker.
constexpr std::size_t most_launches = 2;
// Rows of so many elements of 4 bytes are one kernel, which reads them once, whatever times are predicted.
constexpr std::int64_t always_kept = 4096;
// From the end of a kernel to the start of the next one in the same stream.
constexpr double next_kernel_ns = 700;

// Returns what is expected of all kernels of the statement, or nothing if the time of one is not predicted.
std::optional<Forecast> forecast(const detail::Tape& tape,
                                 StepParts& parts,
                                 const KnownStatement& known,
                                 const Target& target) {
    const std::vector<Dims> shapes = shapes_of(tape, known);
    std::vector<ArraySpec> results;
    Forecast sum;
    for (std::size_t k = 0; k < known.kernels.size(); ++k) {
        const Step& step = known.statement.steps[k];
        parts.imagine_arrays(known, k, results);
        const CallView view(tape.parts);
        const PipelineChoice& pipelines = KernelAccess::choice(known.kernels[k]);
        const std::optional<Forecast> one =
            forecast_call(pipelines.choose(view).kernel(), view, target);
        if (!one) return std::nullopt;
        sum.ns += one->ns + (k > 0 ? next_kernel_ns : 0);
        if (step.definition.rows) {
            sum.is_idle |= one->is_idle;
            sum.reads_again |= one->reads_again;
        }
        for (const std::size_t node : step.outputs)
            results.push_back(
                {.dtype = known.statement.list.nodes[node].dtype, .shape = shapes[node]});
    }
    return sum;
}

struct Layout {
    Dims shape, strides;
};

// What was chosen for a statement whose arrays have these layouts.
struct Remembered {
    RowChoice choice;
    Device device = Device::host();
    std::vector<Layout> arrays;
    std::vector<Dims> drawn;

    bool is_of(const detail::Tape& tape, const KnownStatement& joined, Device where) const {
        return choice.joined == &joined && device == where &&
               std::equal(tape.arrays.begin(),
                          tape.arrays.end(),
                          arrays.begin(),
                          arrays.end(),
                          [](const Array& array, const Layout& layout) {
                              return array.shape() == layout.shape &&
                                     array.strides() == layout.strides;
                          }) &&
               std::equal(tape.shapes.begin(),
                          tape.shapes.end(),
                          drawn.begin(),
                          drawn.end(),
                          [](const detail::DrawnShape& drawn_one, const Dims& shape) {
                              return drawn_one.shape == shape;
                          });
    }
};

// Returns a place for a statement and shapes.
std::size_t place_of(const detail::Tape& tape, const KnownStatement& joined, std::size_t places) {
    std::uint64_t hash = std::hash<const void*>()(&joined) / alignof(KnownStatement);
    for (const Array& each : tape.arrays) {
        for (const std::int64_t extent : each.shape())
            hash = (hash ^ static_cast<std::uint64_t>(extent)) * 0x9e3779b97f4a7c15u;
    }
    return (hash ^ hash >> 32) % places;
}

bool has_few_launches(const KnownStatement& known) {
    return known.kernels.size() <= most_launches;
}

bool is_clearly_quicker(const RowChoice& choice) {
    return choice.of_rows && choice.of_joined &&
           choice.of_joined->ns < clearly_quicker * choice.of_rows->ns;
}

// Whether the arrays of the rows have elements of at least 4 bytes.
bool folds_wide_arrays(const KnownStatement& folds, const detail::Tape& tape) {
    const auto is_wide = [&](const StepInput& input) {
        return input.from == StepInput::From::array &&
               item_size(tape.arrays[input.index].dtype()) >= item_size(float32);
    };
    const std::vector<Step>& steps = folds.statement.steps;
    return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
        return !step.reductions.empty() &&
               std::any_of(step.inputs.begin(), step.inputs.end(), is_wide);
    });
}

// Returns the kernels that fold the rows in one pass, if there are two at most.
const KnownStatement* find_folds(detail::Tape& tape,
                                 std::span<const Dims> shapes,
                                 std::int64_t longest_row) {
    if (!tape.shapes.empty()) return nullptr;  // numbers would be drawn twice
    const KnownStatement& folds = find_statement(tape, Joining::folds);
    if (!folds.statement.has_rows || !has_few_launches(folds)) return nullptr;
    if (longest_row <= always_kept && folds_wide_arrays(folds, tape)) return nullptr;
    const RowFit fit = find_row_fit(folds.statement, shapes, {}, shapes_of(tape, folds), 1);
    return fit == RowFit::fits ? &folds : nullptr;
}

std::string time_text(const Forecast& forecast) {
    return fmt::format("{:.1f} us", forecast.ns / 1000);
}

}  // namespace

RowChoice choose_rows(detail::Tape& tape,
                      StepParts& parts,
                      const KnownStatement& joined,
                      const Target& target,
                      Predictions predictions) {
    RowChoice choice{.chosen = &joined, .joined = &joined};
    if (!joined.statement.has_rows) return choice;
    const KnownStatement& rows = find_statement(tape, Joining::rows);
    if (!rows.statement.has_rows) return choice;  // not for arrays of this rank
    std::vector<Dims> shapes;
    for (const Array& each : tape.arrays) shapes.push_back(each.shape());
    const bool predicts = predicts_times(target.kind);
    const std::int64_t threads = predicts ? 1 : backend(Device::host()).limits().processor_count;
    const std::vector<Dims> nodes = shapes_of(tape, rows);
    const std::vector<Dims> drawn = drawn_shapes(tape);
    choice.fit = find_row_fit(rows.statement, shapes, drawn, nodes, threads);
    if (choice.fit == RowFit::fits || choice.fit == RowFit::few_rows) choice.rows = &rows;
    if (choice.fit != RowFit::fits) return choice;
    choice.chosen = &rows;
    if (!predicts) return choice;
    const bool takes_joined = has_few_launches(joined) || !has_few_launches(rows);
    const KnownStatement* const folds =
        find_folds(tape, shapes, longest_row(rows.statement, shapes, drawn, nodes));
    if (predictions == Predictions::needed && !takes_joined && folds == nullptr) return choice;
    try {
        choice.of_rows = forecast(tape, parts, rows, target);
        if (takes_joined || predictions == Predictions::all)
            choice.of_joined = forecast(tape, parts, joined, target);
        if (folds != nullptr) choice.of_folds = forecast(tape, parts, *folds, target);
    } catch (const Error&) {  // the call fails with a better message
        return choice;
    }
    if (choice.of_folds) choice.folds = folds;
    if (!choice.of_rows) return choice;
    double least = choice.of_rows->ns;
    if (takes_joined && is_clearly_quicker(choice)) {
        choice.chosen = &joined;
        least = choice.of_joined->ns;
    }
    if (choice.of_folds && choice.of_folds->ns < quicker_folds * least) choice.chosen = folds;
    return choice;
}

std::vector<const KnownStatement*> RowChoice::others() const {
    std::vector<const KnownStatement*> list;
    for (const KnownStatement* const each : {rows, folds, joined})
        if (each != nullptr && each != chosen) list.push_back(each);
    return list;
}

RowChoice remembered_choice(detail::Tape& tape, StepParts& parts, const KnownStatement& joined) {
    using Recent = std::array<Remembered, 64>;
    static auto* const threads = new ThreadSlots<Recent>;  // never destroyed
    const Device device = parts.device();
    Recent* const recent = threads->of_this_thread();
    Remembered* const found =
        recent == nullptr ? nullptr : &(*recent)[place_of(tape, joined, recent->size())];
    if (found != nullptr && found->is_of(tape, joined, device)) return found->choice;
    const RowChoice choice =
        choose_rows(tape, parts, joined, backend(device).target(), Predictions::needed);
    if (found == nullptr) return choice;
    *found = {.choice = choice, .device = device, .arrays = {}, .drawn = drawn_shapes(tape)};
    for (const Array& each : tape.arrays) found->arrays.push_back({each.shape(), each.strides()});
    return choice;
}

std::string count_kernels(const KnownStatement& known) {
    return count_of(static_cast<std::int64_t>(known.kernels.size()), "kernel");
}

std::string explain_choice(const detail::Tape& tape, const RowChoice& choice) {
    const Statement& joined = choice.joined->statement;
    const bool folds = std::any_of(joined.steps.begin(), joined.steps.end(), [](const Step& step) {
        return step.reduction != no_node;
    });
    if (!folds || joined.steps.size() == 1) return {};
    const std::string count = count_kernels(*choice.chosen);
    const auto several = [&](std::string_view why) {
        return fmt::format("{}, because {}", count, why);
    };
    if (choice.fit == RowFit::other_draws)
        return several("one kernel for all needs random numbers for each element of the rows");
    if (choice.fit == RowFit::other_shapes)
        return several("one kernel for all needs reductions of whole rows");
    if (choice.fit == RowFit::many_rows)
        return several("one kernel for all counts at most 2^31 - 1 rows");
    if (choice.fit == RowFit::few_rows)
        return several("one kernel for all would leave threads idle: there are few, long rows");
    if (choice.rows == nullptr) {
        int rank = 0;
        for (const Array& each : tape.arrays) rank = std::max(rank, each.shape().rank());
        for (const Dims& each : drawn_shapes(tape)) rank = std::max(rank, each.rank());
        return several(why_no_row_groups(joined.list, rank));
    }
    if (!choice.of_joined || !choice.of_rows)
        return several("its reductions run along the same axes");
    const auto time_of = [&](const KnownStatement* way) {
        return time_text(*(way == choice.rows    ? choice.of_rows
                           : way == choice.folds ? choice.of_folds
                                                 : choice.of_joined));
    };
    std::vector<std::string> others;
    for (const KnownStatement* const way : choice.others()) {
        std::string_view what = "without row kernels", why;
        if (way == choice.rows) {
            what = "for all rows";
            why = choice.of_rows->is_idle ? ", because few thread blocks would have all rows"
                  : choice.of_rows->reads_again
                      ? ", because each of its passes would read the rows again"
                      : "";
        } else if (way == choice.folds) {
            what = "with one pass for all reductions";
        } else if (choice.chosen == choice.rows && is_clearly_quicker(choice)) {
            why = ", but statements of rows take at most two";
        }
        others.push_back(
            fmt::format("{} {} would take {}{}", count_kernels(*way), what, time_of(way), why));
    }
    return fmt::format(
        "{}, predicted to take {}; {}", count, time_of(choice.chosen), fmt::join(others, ", "));
}

}  // namespace kgen
