// SPDX-License-Identifier: MIT
//
// Trial: one sum of inputs in given layouts, its plan for a GPU, and a check against a loop
// over indices. The plan needs no device, so a test can state which loop it expects.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <kgen/kgen.hpp>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/plan.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"
#include "support/scoped_variable.hpp"

namespace kgen::test {

// Term that the body adds to the sum of the inputs.
enum class Extra : std::uint8_t { none, index, indices };

struct Part {
    DType dtype = DType::float32;
    Dims shape = {};
    Dims strides = {};  // bytes
    std::int64_t shift = 0;
};

struct Trial {
    std::vector<Part> inputs;
    Part output;  // of the loop's shape
    Extra extra = Extra::none;
    std::optional<int> block_size = {};
    int in_place = -1;           // index of the input that shares its memory with the output, or -1
    std::string loop_name = {};  // of a loop for GPUs to force
};

inline Part c_part(DType dtype, const Dims& shape, std::int64_t shift = 0) {
    return {dtype, shape, c_order(shape, static_cast<std::int64_t>(item_size(dtype))), shift};
}
// `order` lists the axes as they lie in memory, outermost first.
inline Part ordered_part(DType dtype, const Dims& shape, const std::vector<int>& order) {
    return {dtype, shape, dense_strides(shape, order, static_cast<std::int64_t>(item_size(dtype)))};
}

inline Definition sum_definition(std::size_t inputs, Extra extra) {
    Definition definition{.name = "sum" + std::to_string(inputs), .outputs = "Z z"};
    definition.operation = "z = Z(a)";
    for (std::size_t k = 0; k < inputs; ++k) {
        const std::string name(1, static_cast<char>('a' + k));
        const std::string letter(1, static_cast<char>('A' + k));
        definition.inputs += (k > 0 ? ", " : "") + letter + " " + name;
        if (k > 0)
            definition.operation += " + Z(" + std::to_string(k + 1) + ".0f) * Z(" + name + ")";
    }
    if (extra == Extra::index) definition.operation += " + Z((float)(i % 7))";
    if (extra == Extra::indices)
        definition.operation += " + Z((float)(_ind.get()[0] % 5 + 5 * (i % 3)))";
    return definition;
}

// Computes A + 2 B + 3 C + ... with the named loop, or any. Returns one kernel object for each form, so that trials
// share compiled code.
inline const ElementwiseKernel& sum_kernel(std::size_t inputs,
                                           Extra extra,
                                           const std::string& loop = "") {
    static std::map<std::tuple<std::size_t, Extra, std::string>, ElementwiseKernel> kernels;
    const auto found = kernels.find({inputs, extra, loop});
    if (found != kernels.end()) return found->second;
    const Definition d = sum_definition(inputs, extra);
    std::optional<ScopedVariable> forced;
    if (!loop.empty()) forced.emplace("KGEN_LOOP", loop);
    return kernels
        .emplace(std::tuple(inputs, extra, loop),
                 ElementwiseKernel(d.inputs, d.outputs, d.operation, d.name))
        .first->second;
}

// Small integers that are exact in every dtype. Neighbours in any direction differ.
inline std::complex<double> number_at(std::size_t input, std::int64_t element, DType dtype) {
    const auto mixed = (static_cast<std::uint64_t>(element) * 8 + input + 1) * 0x9e3779b97f4a7c15u;
    const auto real = static_cast<double>(mixed >> (dtype == bool_ ? 63 : 61));
    const bool complex = kind_of(dtype) == DTypeKind::complex;
    return {real, complex ? static_cast<double>(mixed >> 58 & 7) : 0.0};
}

template <typename T>
T number_as(const std::complex<double>& value) {
    if constexpr (std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
        return T(value);
    } else if constexpr (std::is_same_v<T, bool>) {
        return value.real() != 0;
    } else {
        return static_cast<T>(static_cast<float>(value.real()));
    }
}

// Returns the C-order index, within a part that broadcasts to the loop, of element `index` of
// the C-ordered loop.
inline std::int64_t broadcast_index(const Dims& loop, const Dims& part, std::int64_t index) {
    std::int64_t at = 0;
    std::int64_t weight = 1;
    for (int axis = loop.rank() - 1; axis >= 0; --axis) {
        const int own = axis - (loop.rank() - part.rank());
        if (own >= 0 && part[own] != 1) at += index % loop[axis] * weight;
        if (own >= 0) weight *= part[own];
        index /= loop[axis];
    }
    return at;
}

inline std::vector<std::complex<double>> expected_sums(const Trial& trial) {
    const Dims& loop = trial.output.shape;
    std::vector<std::complex<double>> sums(static_cast<std::size_t>(count_of(loop)));
    for (std::size_t k = 0; k < sums.size(); ++k) {
        const auto element = static_cast<std::int64_t>(k);
        for (std::size_t j = 0; j < trial.inputs.size(); ++j) {
            const Part& part = trial.inputs[j];
            sums[k] += static_cast<double>(j + 1) *
                       number_at(j, broadcast_index(loop, part.shape, element), part.dtype);
        }
        if (trial.extra == Extra::index) sums[k] += static_cast<double>(element % 7);
        if (trial.extra == Extra::indices) {
            const std::int64_t outer = element / (count_of(loop) / loop[0]);
            sums[k] += static_cast<double>(outer % 5 + 5 * (element % 3));
        }
    }
    return sums;
}

struct Planned {
    Signature signature;
    TypeBinding types;
    std::vector<Operand> operands;
    Plan plan;
};

// Locations of a plan's arrays: each in its own block, moved by `moved` bytes, or with their
// first elements at the given addresses, in the order of the parameters.
struct Places {
    std::uintptr_t moved = 0;
    std::vector<std::uintptr_t> addresses = {};
};

// Returns the plan on a GPU for the call with the given output.
inline Planned plan_of(const Trial& trial,
                       const Places& places = {},
                       Limits limits = {},
                       Fit fit = Fit::call) {
    constexpr std::uintptr_t apart = std::uintptr_t{1} << 38;
    Planned planned{.signature = parse_signature(sum_definition(trial.inputs.size(), trial.extra))};
    std::vector<ArgumentType> types;
    std::vector<Part> parts = trial.inputs;
    parts.push_back(trial.output);
    for (const Part& part : parts) {
        const bool written = planned.operands.size() == trial.inputs.size();
        const std::size_t home = written && trial.in_place >= 0
                                     ? static_cast<std::size_t>(trial.in_place)
                                     : planned.operands.size();
        std::int64_t low = 0;
        for (int axis = 0; axis < part.shape.rank(); ++axis)
            low += std::min<std::int64_t>((part.shape[axis] - 1) * part.strides[axis], 0);
        planned.operands.push_back(
            {.dtype = part.dtype,
             .written = written,
             .shape = part.shape,
             .strides = part.strides,
             .address = places.addresses.empty() ? apart * (home + 4) + places.moved * (home + 1) +
                                                       static_cast<std::uintptr_t>(part.shift - low)
                                                 : places.addresses[planned.operands.size()]});
        types.push_back({ArgumentType::Kind::array, part.dtype});
    }
    planned.types = resolve_types(planned.signature, types);
    planned.plan = make_plan({.signature = planned.signature,
                              .types = planned.types,
                              .operands = planned.operands,
                              .loop = trial.output.shape,
                              .target = {DeviceKind::cuda, "sm_90"},
                              .limits = limits,
                              .block_size = trial.block_size,
                              .fit = fit,
                              .loop_name = trial.loop_name});
    return planned;
}

// Returns the trial with the named loop for GPUs if that can run it, otherwise with the loop that the plan chooses.
template <typename AnyTrial>
AnyTrial with_loop(AnyTrial trial, const std::string& loop) {
    trial.loop_name = loop;
    try {
        plan_of(trial);
    } catch (const ShapeError&) {
        trial.loop_name.clear();
    }
    return trial;
}

inline std::string describe(const Trial& trial) {
    std::string text;
    for (const Part& part : trial.inputs) {
        text += std::string(to_text(part.dtype)) + " " + to_text(part.shape) + " by " +
                to_text(part.strides) + " + " + std::to_string(part.shift) + "; ";
    }
    text += "output " + std::string(to_text(trial.output.dtype)) + " " +
            to_text(trial.output.shape) + " by " + to_text(trial.output.strides) + " + " +
            std::to_string(trial.output.shift);
    if (trial.block_size) text += "; blocks of " + std::to_string(*trial.block_size);
    return text + "; plan " + to_key(plan_of(trial).plan.baked);
}

struct PlaceNumbers {
    Device device;
    const Part& part;
    std::size_t input;
    template <typename T>
    Placed operator()() const {
        std::vector<Held<T>> values(static_cast<std::size_t>(count_of(part.shape)));
        for (std::size_t k = 0; k < values.size(); ++k)
            values[k] = number_as<T>(number_at(input, static_cast<std::int64_t>(k), part.dtype));
        return place<T>(device, values, part.shape, part.strides, part.shift);
    }
};

// Returns the index of the first wrong element, or -1.
struct FindWrong {
    const std::vector<std::complex<double>>& expected;
    const Placed* placed;  // if null, `array` is compared
    const Array& array;
    template <typename T>
    std::int64_t operator()() const {
        const auto values = placed != nullptr ? placed->values<T>() : elements<T>(array);
        if (values.size() != expected.size()) return 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            const T wanted = number_as<T>(expected[k]);
            bool same = false;
            if constexpr (std::is_same_v<T, half_t> || std::is_same_v<T, bfloat16_t>) {
                same = values[k].bits == wanted.bits;
            } else {
                same = values[k] == wanted;
            }
            if (!same) return static_cast<std::int64_t>(k);
        }
        return -1;
    }
};

// A way to compute a trial. It receives the trial's inputs and outputs.
using RunTrial =
    std::function<void(const std::vector<Array>& inputs, const std::vector<Array>& outputs)>;

inline void call_trial(const Trial& trial,
                       const std::vector<Array>& inputs,
                       const std::vector<Array>& outputs) {
    const bool is_cuda = outputs.front().device().kind() == DeviceKind::cuda;
    sum_kernel(trial.inputs.size(), trial.extra, is_cuda ? trial.loop_name : "")
        .call(std::vector<Argument>(inputs.begin(), inputs.end()),
              {.outputs = outputs, .block_size = trial.block_size});
}

// Runs the trial into its given output, by an ordinary call unless `run` is given.
inline void check_trial(Device device, const Trial& trial, const RunTrial& run = {}) {
    const auto expected = expected_sums(trial);
    std::vector<Placed> inputs;
    std::vector<Array> arrays;
    for (std::size_t k = 0; k < trial.inputs.size(); ++k) {
        inputs.push_back(
            visit_dtype(trial.inputs[k].dtype, PlaceNumbers{device, trial.inputs[k], k}));
        arrays.push_back(inputs.back().array);
    }
    const Placed given = trial.in_place >= 0 ? inputs[static_cast<std::size_t>(trial.in_place)]
                                             : visit_dtype(trial.output.dtype,
                                                           PlaceNumbers{device, trial.output, 7});
    if (run) {
        run(arrays, {given.array});
    } else {
        call_trial(trial, arrays, {given.array});
    }
    const std::int64_t wrong =
        visit_dtype(trial.output.dtype, FindWrong{expected, &given, given.array});
    if (wrong >= 0)
        FAIL_CHECK(to_text(device) << ", element " << wrong << " is wrong: " << describe(trial));
    if (!given.is_clean_around())
        FAIL_CHECK(to_text(device) << ", written outside of the output: " << describe(trial));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (static_cast<int>(k) != trial.in_place && !inputs[k].is_clean_around())
            FAIL_CHECK(to_text(device)
                       << ", written around input " << k << ": " << describe(trial));
    }
}

}  // namespace kgen::test
