// SPDX-License-Identifier: MIT
//
// Random expressions of a seed, and the same as text for NumPy.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <kgen/kgen.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dtype/strides.hpp"

namespace kgen::test {

// A random expression as a tree of function names, so that it can be built more than once.
struct RandomNode {
    enum class Kind { array, number, function, reduction, cast };
    Kind kind = Kind::array;
    std::size_t index = 0;  // of an array or a number
    std::string function;
    DType dtype = float32;  // of a cast
    std::vector<RandomNode> operands;
    std::vector<int> axes;
    bool all_axes = true;
    bool keepdims = false;
};

class RandomExpression {
public:
    // any: any tree. rows: several reductions along the same axes, and what is computed from them and their operands.
    enum class Form { any, rows };
    RandomExpression(std::uint64_t seed, Device device, Form form = Form::any)
        : random_(seed), device_(device) {
        if (form == Form::rows) {
            make_rows();
            return;
        }
        const int rank = pick(0, 4);
        for (int axis = 0; axis < rank; ++axis)
            shape_.push_back(chance(3) ? 0 : chance(12) ? 1 : pick(2, 7));
        dtypes_ = some_dtypes();
        root = make(pick(1, 8));
        if (arrays.empty())
            root = {
                .kind = RandomNode::Kind::function, .function = "negative", .operands = {leaf()}};
    }

    Expression build() const { return to_expression(root); }
    // Returns the tree as Python: "f.add(x0, 2.5)".
    std::string text() const { return to_python(root); }

    RandomNode root;
    std::vector<Array> arrays;
    std::vector<Scalar> numbers;

private:
    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool chance(int percent) { return pick(0, 99) < percent; }
    template <typename List>
    auto one_of(const List& list) {
        return *(std::begin(list) + pick(0, static_cast<int>(std::size(list)) - 1));
    }

    static RandomNode apply(std::string function, std::vector<RandomNode> operands) {
        return {.kind = RandomNode::Kind::function,
                .function = std::move(function),
                .operands = std::move(operands)};
    }
    RandomNode literal(double value) {
        numbers.push_back(Scalar(value));
        return {.kind = RandomNode::Kind::number, .index = numbers.size() - 1};
    }

    void make_rows() {
        const int rank = pick(1, 4);
        for (int axis = 0; axis < rank; ++axis)
            shape_.push_back(chance(3) ? 0 : chance(12) ? 1 : pick(2, chance(20) ? 300 : 9));
        while (extent_product(shape_) > 200000) shape_[pick(0, rank - 1)] = 2;
        static constexpr DType dtypes[] = {
            float32, float32, float64, float16, int32, complex64, uint8};
        dtypes_ = {one_of(dtypes)};
        if (chance(20)) dtypes_.push_back(one_of(dtypes));
        std::vector<int> axes = {chance(60) ? -1 : pick(-rank, rank - 1)};
        if (rank > 2 && chance(25)) axes.push_back(axes[0] == -1 ? -2 : axes[0] >= 0 ? -1 : 0);
        if (axes.size() == 2 && (axes[0] + rank) % rank == (axes[1] + rank) % rank) axes.pop_back();
        const bool drops = chance(25);  // the results have no reduced axes
        const auto fold = [&](std::string function, RandomNode operand) {
            return RandomNode{.kind = RandomNode::Kind::reduction,
                              .function = std::move(function),
                              .operands = {std::move(operand)},
                              .axes = axes,
                              .all_axes = false,
                              .keepdims = !drops};
        };
        static constexpr std::string_view folds[] = {
            "sum", "sum", "mean", "mean", "max", "min", "var", "std", "count_nonzero", "any"};
        static constexpr std::string_view maps[] = {
            "abs", "square", "negative", "sqrt", "exp", "tanh", "sin", "sign", "expm1"};
        static constexpr std::string_view pairs[] = {
            "add", "subtract", "multiply", "divide", "maximum", "minimum", "greater", "hypot"};
        const auto element = [&] {
            RandomNode node = leaf();
            if (chance(40)) node = apply(std::string(one_of(maps)), {std::move(node)});
            if (chance(40)) node = apply(std::string(one_of(pairs)), {std::move(node), leaf()});
            return node;
        };
        RandomNode x = element();
        if (drops) {
            root = fold(std::string(one_of(folds)), std::move(x));
            for (int more = pick(1, 3); more > 0; --more)
                root = apply(std::string(one_of(pairs)),
                             {std::move(root), fold(std::string(one_of(folds)), element())});
            if (chance(40)) root = apply(std::string(one_of(maps)), {std::move(root)});
            return;
        }
        // Each round uses the results of the rounds before it.
        for (int round = pick(1, 3); round > 0; --round) {
            RandomNode result = fold(std::string(one_of(folds)),
                                     chance(50) ? x : apply(std::string(one_of(maps)), {x}));
            if (chance(30)) result = apply("add", {std::move(result), literal(0.5)});
            if (chance(20)) result = apply("sqrt", {apply("abs", {std::move(result)})});
            x = apply(std::string(one_of(pairs)), {std::move(x), std::move(result)});
        }
        root = chance(20) ? fold(std::string(one_of(folds)), std::move(x)) : std::move(x);
        if (chance(30)) root = apply(std::string(one_of(pairs)), {std::move(root), leaf()});
    }

    // One or two dtypes, so that some statements mix them.
    std::vector<DType> some_dtypes() {
        static constexpr DType all_numpy[] = {bool_,
                                              int8,
                                              int16,
                                              int32,
                                              int64,
                                              uint8,
                                              uint16,
                                              uint32,
                                              uint64,
                                              float16,
                                              float32,
                                              float32,
                                              float64,
                                              float64,
                                              float32,
                                              complex64,
                                              complex128};
        std::vector<DType> list = {one_of(all_numpy)};
        if (chance(40)) list.push_back(one_of(all_numpy));
        return list;
    }

    Array values(const Dims& shape, DType dtype) {
        static constexpr double special[] = {
            0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 1e30, -1e-30, 255, 127};
        std::int64_t count = 1;
        for (const std::int64_t extent : shape) count *= extent;
        const bool has_special = chance(25);
        std::vector<double> list;
        const auto one = [&] {
            if (has_special && chance(10)) return one_of(special);
            return std::uniform_real_distribution<double>(-4, 4)(random_);
        };
        return visit_dtype(dtype, [&]<typename T>() {
            std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> elements;
            for (std::int64_t k = 0; k < count; ++k) {
                if constexpr (std::is_same_v<T, bool>) {
                    elements.push_back(chance(50));
                } else if constexpr (std::is_integral_v<T>) {
                    elements.push_back(static_cast<T>(chance(10) ? random_() : random_() % 12));
                } else if constexpr (requires(T v) { v.imag(); }) {
                    using Part = typename T::value_type;
                    elements.push_back(T(static_cast<Part>(one()), static_cast<Part>(one())));
                } else {
                    elements.push_back(T(static_cast<float>(one())));
                }
            }
            return from_host(elements.data(), dtype, shape, {.device = device_});
        });
    }

    // A leaf that broadcasts to the common shape, often as a view of a larger array.
    RandomNode leaf() {
        if (!arrays.empty() && chance(35))
            return {.index =
                        static_cast<std::size_t>(pick(0, static_cast<int>(arrays.size()) - 1))};
        Dims shape;
        const int dropped = chance(25) ? pick(0, shape_.rank()) : 0;
        for (int axis = dropped; axis < shape_.rank(); ++axis)
            shape.push_back(chance(15) ? 1 : shape_[axis]);
        Array array;
        if (chance(50)) {
            array = values(shape, one_of(dtypes_));
        } else {
            Dims wide = shape;
            std::vector<Range> ranges;
            for (std::int64_t& extent : wide) {
                const int step = pick(1, 3) * (chance(30) ? -1 : 1);
                const std::int64_t length = extent;
                extent = length * std::abs(step) + 1;
                ranges.push_back(step > 0 ? Range{1, length * step + 1, step}
                                          : Range{extent - 1, extent - 1 + length * step, step});
                if (step < 0 && *ranges.back().stop < 0) ranges.back().stop.reset();
            }
            array = values(wide, one_of(dtypes_)).slice(ranges);
            if (array.shape() != shape) array = values(shape, one_of(dtypes_));
        }
        if (shape.rank() > 1 && chance(20) && array.shape() == shape) {
            Dims axes;
            for (int axis = shape.rank() - 1; axis >= 0; --axis) axes.push_back(axis);
            Dims turned;
            for (const std::int64_t axis : axes) turned.push_back(shape[axis]);
            array = values(turned, array.dtype()).transpose();
        }
        arrays.push_back(array);
        return {.index = arrays.size() - 1};
    }

    RandomNode number() {
        static constexpr double reals[] = {0.5, -1.5, 2.0, 3.25, 0.0};
        static constexpr int integers[] = {0, 1, 2, 3, 5, -1};
        const int kind = pick(0, 9);
        numbers.push_back(kind < 5   ? Scalar(std::int64_t{one_of(integers)})
                          : kind < 9 ? Scalar(one_of(reals))
                                     : Scalar(chance(50)));
        return {.kind = RandomNode::Kind::number, .index = numbers.size() - 1};
    }

    // A number that many integer dtypes cannot hold.
    RandomNode large_number() {
        static constexpr std::int64_t integers[] = {-1,
                                                    127,
                                                    128,
                                                    255,
                                                    300,
                                                    -129,
                                                    40000,
                                                    -40000,
                                                    5'000'000'000,
                                                    -5'000'000'000,
                                                    INT64_MAX,
                                                    INT64_MIN};
        numbers.push_back(chance(10) ? Scalar(UINT64_MAX) : Scalar(one_of(integers)));
        return {.kind = RandomNode::Kind::number, .index = numbers.size() - 1};
    }

    RandomNode make(int depth) {
        static constexpr std::string_view unary[] = {
            "negative",    "abs",     "square",  "sqrt",  "exp",    "log",    "sin",   "cos",
            "tanh",        "floor",   "ceil",    "trunc", "rint",   "sign",   "isnan", "isfinite",
            "logical_not", "invert",  "expm1",   "log1p", "cbrt",   "arctan", "sinh",  "log2",
            "reciprocal",  "degrees", "signbit", "exp2",  "arcsinh"};
        static constexpr std::string_view binary[] = {
            "add",         "add",           "subtract",     "subtract",   "multiply",
            "multiply",    "divide",        "floor_divide", "remainder",  "fmod",
            "maximum",     "minimum",       "fmax",         "fmin",       "arctan2",
            "hypot",       "equal",         "not_equal",    "less",       "less_equal",
            "greater",     "greater_equal", "logical_and",  "logical_or", "logical_xor",
            "bitwise_and", "bitwise_or",    "bitwise_xor",  "copysign",   "logaddexp"};
        static constexpr std::string_view folds[] = {"sum",
                                                     "sum",
                                                     "prod",
                                                     "min",
                                                     "max",
                                                     "mean",
                                                     "any",
                                                     "all",
                                                     "count_nonzero",
                                                     "argmin",
                                                     "argmax",
                                                     "var",
                                                     "std"};
        static constexpr DType casts[] = {float32, float64, complex128, int64};
        if (depth <= 0 || chance(8)) return leaf();
        const int kind = pick(0, 99);
        RandomNode node{.kind = RandomNode::Kind::function};
        if (kind < 28) {
            node.function = one_of(unary);
            node.operands.push_back(make(depth - 1));
        } else if (kind < 76) {
            node.function = one_of(binary);
            node.operands.push_back(make(depth - 1));
            const bool compares = node.function.find("equal") != std::string::npos ||
                                  node.function == "less" || node.function == "greater";
            if (compares && chance(20)) {
                node.operands.push_back(large_number());
            } else {
                node.operands.push_back(chance(25) ? number() : make(depth - pick(1, 4)));
            }
            if (chance(15)) std::swap(node.operands[0], node.operands[1]);
        } else if (kind < 82) {
            node.function = "where";
            for (int k = 0; k < 3; ++k) node.operands.push_back(make(depth - pick(1, 4)));
            if (chance(30)) node.operands[2] = number();
        } else if (kind < 97) {
            node.kind = RandomNode::Kind::reduction;
            node.function = one_of(folds);
            node.operands.push_back(make(depth - 1));
            node.keepdims = chance(70);
            node.all_axes = chance(25);
            if (!node.all_axes) node.axes.push_back(chance(90) ? -1 : pick(0, 2));
            if (node.axes.size() == 1 && chance(30) && !node.function.starts_with("arg"))
                node.axes.push_back(node.axes[0] - 1);
        } else {
            node.kind = RandomNode::Kind::cast;
            node.dtype = one_of(casts);
            // Conversions of floating point to integers that do not fit have no defined result.
            if (node.dtype == int64) {
                node.operands.push_back({.kind = RandomNode::Kind::function,
                                         .function = "isnan",
                                         .operands = {make(depth - 1)}});
            } else {
                node.operands.push_back(make(depth - 1));
            }
        }
        return node;
    }

    static detail::Function function_of(std::string_view name) {
#define KGEN_NAME(name) #name,
        static constexpr std::string_view names[] = {KGEN_FUNCTIONS(KGEN_NAME)};
#undef KGEN_NAME
        for (std::size_t k = 0; k < std::size(names); ++k)
            if (names[k] == name) return static_cast<detail::Function>(k);
        throw Error("no function of this name");
    }

    Expression to_expression(const RandomNode& node) const {
        std::vector<Expression> made;
        std::vector<detail::OperandView> views;
        made.reserve(node.operands.size());
        for (const RandomNode& each : node.operands) {
            if (each.kind == RandomNode::Kind::array) {
                views.emplace_back(arrays[each.index]);
            } else if (each.kind == RandomNode::Kind::number) {
                views.emplace_back(numbers[each.index]);
            } else {
                made.push_back(to_expression(each));
                views.emplace_back(std::move(made.back()));
            }
        }
        if (node.kind == RandomNode::Kind::array)
            return astype(arrays[node.index], arrays[node.index].dtype());
        if (node.kind == RandomNode::Kind::cast) return detail::convert(views[0], node.dtype);
        if (node.kind == RandomNode::Kind::function)
            return detail::apply_list(function_of(node.function), views);
        const AxesArgument axes{std::span<const int>(node.axes)};
        return detail::reduce_list(
            function_of(node.function), views, {node.all_axes ? nullptr : &axes, node.keepdims});
    }

    std::string to_python(const RandomNode& node) const {
        if (node.kind == RandomNode::Kind::array) return fmt::format("x{}", node.index);
        if (node.kind == RandomNode::Kind::number) {
            const Scalar& number = numbers[node.index];
            if (number.dtype() == bool_) return number.unsigned_value() != 0 ? "True" : "False";
            if (number.dtype() == int64 || number.dtype() == uint64) return to_text(number);
            return fmt::format("float({})", number.real_value());
        }
        std::string arguments;
        for (const RandomNode& each : node.operands)
            arguments += (arguments.empty() ? "" : ", ") + to_python(each);
        if (node.kind == RandomNode::Kind::cast)
            return fmt::format("f.astype({}, '{}')", arguments, to_text(node.dtype));
        if (node.kind == RandomNode::Kind::reduction) {
            std::string axes = "None";
            if (!node.all_axes) {
                axes.clear();
                for (const int axis : node.axes) axes += fmt::format("{},", axis);
                axes = "(" + axes + ")";
            }
            arguments +=
                fmt::format(", axis={}, keepdims={}", axes, node.keepdims ? "True" : "False");
        }
        return fmt::format("f.{}({})", node.function, arguments);
    }

    std::mt19937_64 random_;
    Device device_;
    Dims shape_;
    std::vector<DType> dtypes_;
};

}  // namespace kgen::test
