// SPDX-License-Identifier: MIT
//
// ReductionTrial: one reduction of inputs in given layouts, its plan for a GPU, and a check
// against a loop over indices in integers. All sums are small enough to be exact in float32.
#pragma once

#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/trial.hpp"

namespace kgen::test {

// The value that a trial folds.
enum class Fold : std::uint8_t {
    sum,          // A + 2 B + 3 C
    compensated,  // the same value, with compensated sums
    places,       // the same value plus terms from the element's i, _J and _in_ind
    outputs,      // the same value plus terms from _out_ind, _i, _j and the post-map's i
    top,          // the maximum, without an identity
    struct_16,    // the sum and the number of elements, in accumulators of 16 bytes
    struct_40,    // the same in 40 bytes, without an identity
    struct_100,
};
inline constexpr int fold_count = 8;

// Maximum number of elements of one output, so that their sum is exact in float32 (see value_at).
inline constexpr std::int64_t most_folded = 270000;

struct ReductionTrial {
    Dims loop;
    AxisSet axes = 0;
    std::vector<Part> inputs;  // each broadcasts to the loop; together they have all its extents
    Part output;               // of the result's shape
    bool keepdims = false;
    Fold fold = Fold::sum;
    std::string loop_name = {};  // of a loop to force
};

inline bool is_reduced(const ReductionTrial& trial, int axis) {
    return (trial.axes >> axis & 1) != 0;
}

inline bool is_struct(Fold fold) {
    return fold >= Fold::struct_16;
}

inline Dims result_shape(const Dims& loop, AxisSet axes, bool keepdims) {
    Dims shape;
    for (int axis = 0; axis < loop.rank(); ++axis) {
        const bool reduced = (axes >> axis & 1) != 0;
        if (!reduced || keepdims) shape.push_back(reduced ? 1 : loop[axis]);
    }
    return shape;
}

// A trial with one C-ordered input and a C-ordered output.
inline ReductionTrial dense_trial(DType dtype,
                                  const Dims& loop,
                                  AxisSet axes,
                                  Fold fold = Fold::sum) {
    return {.loop = loop,
            .axes = axes,
            .inputs = {c_part(dtype, loop)},
            .output = c_part(dtype, result_shape(loop, axes, false)),
            .fold = fold};
}

inline Definition fold_definition(std::size_t inputs, Fold fold) {
    Definition definition{
        .name = "fold" + std::to_string(static_cast<int>(fold)) + "_" + std::to_string(inputs),
        .outputs = "Z z"};
    std::string sum = "Z(a)";
    for (std::size_t k = 0; k < inputs; ++k) {
        const std::string name(1, static_cast<char>('a' + k));
        const std::string letter(1, static_cast<char>('A' + k));
        definition.inputs += (k > 0 ? ", " : "") + letter + " " + name;
        if (k > 0) sum += " + Z(" + std::to_string(k + 1) + ".0f) * Z(" + name + ")";
    }
    definition.operation = sum;
    ReductionTexts texts{.reduce = "a + b", .post_map = "z = a", .identity = "0"};
    if (fold == Fold::compensated) texts.accuracy = Accuracy::compensated;
    if (fold == Fold::places)
        definition.operation += " + Z((float)(i % 5 + _J % 7 + _in_ind.get()[0] % 3))";
    if (fold == Fold::outputs) {
        definition.operation += " + Z((float)(_out_ind.get()[0] % 5 + _j % 3 + _i % 2))";
        texts.post_map = "z = a + i % 3";
    }
    if (fold == Fold::top) {
        texts.reduce = "max(a, b)";
        texts.identity = "";
    }
    if (is_struct(fold)) {
        const int words = fold == Fold::struct_16 ? 4 : fold == Fold::struct_40 ? 10 : 25;
        definition.outputs = "Z z, int32 count";
        definition.operation = "many((int)(" + sum + "), 1)";
        definition.preamble =
            "struct many {\n"
            "    int word[" +
            std::to_string(words) +
            "];  // multiples of the sum, then the number of elements\n"
            "    __device__ many(int sum, int count) {\n"
            "        for (int k = 0; k < sizeof(word) / 4 - 1; ++k) word[k] = (k + 1) * sum;\n"
            "        word[sizeof(word) / 4 - 1] = count;\n"
            "    }\n"
            "    __device__ bool is_whole() const {\n"
            "        bool whole = true;\n"
            "        for (int k = 0; k < sizeof(word) / 4 - 1; ++k) whole &= word[k] == (k + 1) * "
            "word[0];\n"
            "        return whole;\n"
            "    }\n"
            "};\n"
            "__device__ many join(many a, const many& b) {\n"
            "    for (int k = 0; k < sizeof(a.word) / 4; ++k) a.word[k] += b.word[k];\n"
            "    return a;\n"
            "}\n";
        texts.reduce = "join(a, b)";
        texts.post_map = "z = Z((double)a.word[0]); count = a.is_whole() ? a.word[" +
                         std::to_string(words - 1) + "] : -1";
        texts.identity = fold == Fold::struct_40 ? "" : "many(0, 0)";
        texts.reduce_type = "many";
    }
    definition.reduction = texts;
    return definition;
}

// Returns one kernel object for each form, so that trials share compiled code. It runs with the named loop, or any.
inline const ReductionKernel& fold_kernel(std::size_t inputs,
                                          Fold fold,
                                          const std::string& loop = "") {
    static std::map<std::tuple<std::size_t, Fold, std::string>, ReductionKernel> kernels;
    const auto found = kernels.find({inputs, fold, loop});
    if (found != kernels.end()) return found->second;
    const Definition d = fold_definition(inputs, fold);
    const ReductionTexts& texts = *d.reduction;
    std::optional<ScopedVariable> forced;
    if (!loop.empty()) forced.emplace("KGEN_LOOP", loop);
    return kernels
        .emplace(std::tuple(inputs, fold, loop),
                 ReductionKernel(d.inputs,
                                 d.outputs,
                                 d.operation,
                                 texts.reduce,
                                 texts.post_map,
                                 texts.identity,
                                 d.name,
                                 {.reduce_type = texts.reduce_type,
                                  .preamble = d.preamble,
                                  .accuracy = texts.accuracy}))
        .first->second;
}

// Integers that are exact in every dtype and differ between neighbours in any direction. Sums
// use 1 to 8, so a missing element always shows. Maxima use 256 values, negative if the dtype is
// signed. The maximum is then in one or two places, and a fold that wrongly starts from 0 shows.
inline std::int64_t value_at(Fold fold, std::size_t input, std::int64_t element, DType dtype) {
    const auto mixed = (static_cast<std::uint64_t>(element) * 8 + input + 1) * 0x9e3779b97f4a7c15u;
    if (fold != Fold::top) return static_cast<std::int64_t>(mixed >> 61) + 1;
    const auto value = static_cast<std::int64_t>(mixed >> 56);
    return kind_of(dtype) == DTypeKind::unsigned_integer ? value : value - 256;
}

template <typename T>
T whole_as(std::int64_t value) {
    if constexpr (std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
        return T(static_cast<typename T::value_type>(value));
    } else if constexpr (std::is_same_v<T, half_t> || std::is_same_v<T, bfloat16_t>) {
        return T(static_cast<float>(value));
    } else if constexpr (std::is_same_v<T, bool>) {
        return value != 0;
    } else {
        return static_cast<T>(value);
    }
}

// Returns the C-order strides, in elements, of a part that broadcasts to the loop. Broadcast
// axes have stride 0.
inline Dims broadcast_element_strides(const Dims& loop, const Dims& part) {
    Dims strides = Dims::filled(loop.rank(), 0);
    std::int64_t stride = 1;
    for (int own = part.rank() - 1; own >= 0; --own) {
        if (part[own] != 1) strides[own + loop.rank() - part.rank()] = stride;
        stride *= part[own];
    }
    return strides;
}

struct ExpectedFolds {
    std::vector<std::int64_t> values;  // one for each result, in C order
    std::int64_t each = 0;             // number of elements of each result
};

inline ExpectedFolds expected_folds(const ReductionTrial& trial) {
    const Dims& loop = trial.loop;
    // Strides in elements along each axis: of each input, of _J, of the results.
    std::vector<Dims> rows;
    for (const Part& input : trial.inputs)
        rows.push_back(broadcast_element_strides(loop, input.shape));
    Dims kept = loop;
    Dims folded = loop;
    for (int axis = 0; axis < loop.rank(); ++axis)
        (is_reduced(trial, axis) ? kept : folded)[axis] = 1;
    rows.push_back(broadcast_element_strides(loop, folded));
    rows.push_back(broadcast_element_strides(loop, kept));
    const std::size_t inputs = trial.inputs.size();

    ExpectedFolds expected;
    const bool top = trial.fold == Fold::top;
    expected.values.assign(static_cast<std::size_t>(count_of(kept)),
                           top ? std::numeric_limits<std::int64_t>::min() : 0);
    expected.each = count_of(folded);
    std::vector<std::int64_t> at(rows.size(), 0);
    Dims index = Dims::filled(loop.rank(), 0);
    const std::int64_t count = count_of(loop);
    const std::int64_t outer = loop.rank() > 0 && count > 0 ? count / loop[0] : 1;
    int first_kept = 0;
    while (first_kept < loop.rank() && is_reduced(trial, first_kept)) ++first_kept;
    for (std::int64_t element = 0; element < count; ++element) {
        std::int64_t value = 0;
        for (std::size_t k = 0; k < inputs; ++k)
            value += static_cast<std::int64_t>(k + 1) *
                     value_at(trial.fold, k, at[k], trial.inputs[k].dtype);
        if (trial.fold == Fold::places) value += element % 5 + at[inputs] % 7 + element / outer % 3;
        if (trial.fold == Fold::outputs) {
            if (first_kept < loop.rank()) value += index[first_kept] % 5;
            value += (at[inputs] * count_of(kept) + at[inputs + 1]) % 3 + at[inputs + 1] % 2;
        }
        std::int64_t& result = expected.values[static_cast<std::size_t>(at[inputs + 1])];
        result = top ? std::max(result, value) : result + value;
        for (int axis = loop.rank() - 1; axis >= 0; --axis) {
            for (std::size_t r = 0; r < rows.size(); ++r) at[r] += rows[r][axis];
            if (++index[axis] < loop[axis]) break;
            for (std::size_t r = 0; r < rows.size(); ++r) at[r] -= rows[r][axis] * loop[axis];
            index[axis] = 0;
        }
    }
    if (trial.fold == Fold::outputs) {
        for (std::size_t k = 0; k < expected.values.size(); ++k)
            expected.values[k] += static_cast<std::int64_t>(k % 3);
    }
    return expected;
}

inline Limits h200_limits() {
    return {.processor_count = 132,
            .max_threads_per_block = 1024,
            .max_grid_x = std::numeric_limits<std::int32_t>::max()};
}

// Returns the plan on a GPU for the call with the given output. Each array lies in its own block of memory.
inline Planned plan_of(const ReductionTrial& trial,
                       const Places& places = {},
                       Limits limits = h200_limits(),
                       Fit fit = Fit::call) {
    constexpr std::uintptr_t apart = std::uintptr_t{1} << 38;
    Planned planned{.signature = parse_signature(fold_definition(trial.inputs.size(), trial.fold))};
    std::vector<ArgumentType> types;
    const auto add = [&](const Part& part, const Dims& shape, const Dims& strides, bool written) {
        std::int64_t low = 0;
        for (int axis = 0; axis < shape.rank(); ++axis)
            low += std::min<std::int64_t>((shape[axis] - 1) * strides[axis], 0);
        const std::size_t number = planned.operands.size();
        planned.operands.push_back(
            {.dtype = part.dtype,
             .written = written,
             .shape = shape,
             .strides = strides,
             .address = places.addresses.empty()
                            ? apart * (number + 4) + places.moved * (number + 1) +
                                  static_cast<std::uintptr_t>(part.shift - low)
                            : places.addresses[number]});
        types.push_back({ArgumentType::Kind::array, part.dtype});
    };
    for (const Part& input : trial.inputs) add(input, input.shape, input.strides, false);
    const auto add_output = [&](const Part& output) {
        const Dims strides = output.strides;
        Dims walked_shape = trial.loop;
        Dims walked = Dims::filled(trial.loop.rank(), 0);
        int own = 0;
        for (int axis = 0; axis < trial.loop.rank(); ++axis) {
            if (is_reduced(trial, axis)) {
                walked_shape[axis] = 1;
                own += trial.keepdims ? 1 : 0;
            } else {
                walked[axis] = strides[own++];
            }
        }
        add(output, walked_shape, walked, true);
    };
    add_output(trial.output);
    if (is_struct(trial.fold)) add_output(c_part(int32, trial.output.shape));
    planned.types = resolve_types(planned.signature, types);
    planned.plan = make_plan({.signature = planned.signature,
                              .types = planned.types,
                              .operands = planned.operands,
                              .loop = trial.loop,
                              .reduced_axes = trial.axes,
                              .target = {DeviceKind::cuda, "sm_90"},
                              .limits = limits,
                              .fit = fit,
                              .loop_name = trial.loop_name});
    return planned;
}

inline std::vector<int> axis_list(const ReductionTrial& trial) {
    std::vector<int> axes;
    for (int axis = 0; axis < trial.loop.rank(); ++axis) {
        // Some axes count from the end.
        if (is_reduced(trial, axis))
            axes.push_back(axis % 2 == 0 ? axis : axis - trial.loop.rank());
    }
    return axes;
}

inline std::string describe(const ReductionTrial& trial) {
    const auto told = [](const Part& part) {
        return std::string(to_text(part.dtype)) + " " + to_text(part.shape) + " by " +
               to_text(part.strides) + " + " + std::to_string(part.shift);
    };
    std::string text = "fold " + std::to_string(static_cast<int>(trial.fold)) + " over axes";
    for (int axis = 0; axis < trial.loop.rank(); ++axis) {
        if (is_reduced(trial, axis)) text += " " + std::to_string(axis);
    }
    text += " of " + to_text(trial.loop) + ": ";
    for (const Part& part : trial.inputs) text += told(part) + "; ";
    return text + "output " + told(trial.output) + (trial.keepdims ? ", keepdims" : "") +
           "; plan " + to_key(plan_of(trial).plan.baked);
}

struct PlaceWholes {
    Device device;
    const Part& part;
    std::size_t input;
    Fold fold;
    template <typename T>
    Placed operator()() const {
        std::vector<Held<T>> values(static_cast<std::size_t>(count_of(part.shape)));
        for (std::size_t k = 0; k < values.size(); ++k)
            values[k] =
                whole_as<T>(value_at(fold, input, static_cast<std::int64_t>(k), part.dtype));
        return place<T>(device, values, part.shape, part.strides, part.shift);
    }
};

// Describes the first wrong result, or returns "" if all are right.
struct FindWrongFold {
    const std::vector<std::int64_t>& expected;
    const Placed& placed;
    template <typename T>
    std::string operator()() const {
        const auto values = placed.values<T>();
        if (values.size() != expected.size()) return std::to_string(values.size()) + " results";
        for (std::size_t k = 0; k < values.size(); ++k) {
            const Held<T> wanted = whole_as<T>(expected[k]);
            if (std::memcmp(&values[k], &wanted, sizeof wanted) == 0) continue;
            std::string text = "result " + std::to_string(k) + " of " +
                               std::to_string(values.size()) + " is wrong: expected " +
                               std::to_string(expected[k]);
            if constexpr (std::is_convertible_v<Held<T>, double>)
                text += ", got " + std::to_string(static_cast<double>(values[k]));
            return text;
        }
        return "";
    }
};

inline void call_trial(const ReductionTrial& trial,
                       const std::vector<Array>& inputs,
                       const std::vector<Array>& outputs) {
    const bool is_cuda = outputs[0].device().kind() == DeviceKind::cuda;
    fold_kernel(trial.inputs.size(), trial.fold, is_cuda ? trial.loop_name : "")
        .call(std::vector<Argument>(inputs.begin(), inputs.end()),
              {.outputs = outputs, .axes = axis_list(trial), .keepdims = trial.keepdims});
}

// Runs the trial into its given output, by an ordinary call unless `run` is given.
inline void check_trial(Device device, const ReductionTrial& trial, const RunTrial& run = {}) {
    const ExpectedFolds expected = expected_folds(trial);
    std::vector<Placed> inputs;
    std::vector<Array> arrays;
    for (std::size_t k = 0; k < trial.inputs.size(); ++k) {
        const Part& part = trial.inputs[k];
        inputs.push_back(visit_dtype(part.dtype, PlaceWholes{device, part, k, trial.fold}));
        arrays.push_back(inputs.back().array);
    }
    const Placed given =
        visit_dtype(trial.output.dtype, PlaceWholes{device, trial.output, 7, Fold::sum});
    const Part counts = c_part(int32, trial.output.shape);
    const Placed given_counts = visit_dtype(int32, PlaceWholes{device, counts, 6, Fold::sum});
    std::vector<Array> outputs = {given.array};
    if (is_struct(trial.fold)) outputs.push_back(given_counts.array);
    if (run) {
        run(arrays, outputs);
    } else {
        call_trial(trial, arrays, outputs);
    }

    const std::string wrong =
        visit_dtype(trial.output.dtype, FindWrongFold{expected.values, given});
    if (!wrong.empty()) FAIL_CHECK(to_text(device) << ", " << wrong << ": " << describe(trial));
    if (is_struct(trial.fold)) {
        const std::vector<std::int64_t> each(expected.values.size(), expected.each);
        const std::string miscounted = visit_dtype(int32, FindWrongFold{each, given_counts});
        if (!miscounted.empty())
            FAIL_CHECK(to_text(device) << ", counts: " << miscounted << ": " << describe(trial));
    }
    if (!given.is_clean_around())
        FAIL_CHECK(to_text(device) << ", written outside of the output: " << describe(trial));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (!inputs[k].is_clean_around())
            FAIL_CHECK(to_text(device)
                       << ", written around input " << k << ": " << describe(trial));
    }
}

}  // namespace kgen::test
