// SPDX-License-Identifier: MIT
#include "precompile/layout_cases.hpp"

#include <optional>
#include <span>

#include "plan/operand.hpp"
#include "text/list.hpp"

namespace kgen {

namespace {

// Extent of matrices and rows, in elements. A multiple of every vector length.
constexpr std::int64_t side = 4096;

class CallMaker {
public:
    CallMaker(const Signature& signature,
              const TypeBinding& types,
              const std::vector<std::string>& numbers)
        : signature_(signature), types_(types), numbers_(numbers) {}

    bool is_output(std::size_t k) const { return signature_.parameters[k].output; }
    bool is_number(std::size_t k) const {
        return is_one_of(signature_.parameters[k].name, numbers_);
    }
    // Returns the inputs whose layout varies.
    std::vector<std::size_t> walked_inputs() const {
        std::vector<std::size_t> found;
        for (std::size_t k = 0; k < signature_.parameters.size(); ++k) {
            if (!is_output(k) && !signature_.parameters[k].raw && !is_number(k)) found.push_back(k);
        }
        return found;
    }
    std::int64_t item(std::size_t k) const {
        return static_cast<std::int64_t>(item_size(types_.dtypes[k]));
    }

    ArraySpec spec(std::size_t k, Dims shape, std::optional<Dims> strides = {}) const {
        return {types_.dtypes[k], shape, strides};
    }

    // Returns dense arguments: inputs have the shape `shape`, outputs `results`, raw arrays (side).
    std::vector<Argument> dense(const Dims& shape, const Dims& results) const {
        std::vector<Argument> arguments;
        for (std::size_t k = 0; k < signature_.parameters.size(); ++k) {
            if (signature_.parameters[k].raw) {
                arguments.emplace_back(spec(k, {side}));
            } else if (is_output(k)) {
                arguments.emplace_back(spec(k, results));
            } else if (is_number(k)) {
                arguments.emplace_back(Scalar(1));
            } else {
                arguments.emplace_back(spec(k, shape));
            }
        }
        return arguments;
    }

private:
    const Signature& signature_;
    const TypeBinding& types_;
    const std::vector<std::string>& numbers_;
};

std::vector<LayoutCase> elementwise_cases(const CallMaker& maker, std::string_view layout) {
    const Dims line = {side * side};
    const Dims matrix = {side, side};
    const std::vector<std::size_t> inputs = maker.walked_inputs();
    if (layout == "contiguous") return {{.arguments = maker.dense(line, line), .axes = {}}};
    if (layout == "unaligned")
        return {
            {.arguments = maker.dense(line, line), .axes = {}, .placement = Placement::shifted}};
    if (inputs.empty()) return {};
    if (layout == "in_place")
        return {
            {.arguments = maker.dense(line, line), .axes = {}, .placement = Placement::in_place}};

    LayoutCase one{.arguments = maker.dense(matrix, matrix), .axes = {}};
    const std::size_t last = inputs.back();
    const std::int64_t item = maker.item(last);
    const Dims odd_matrix = {side, side - 1};
    LayoutCase odd{
        .arguments = maker.dense(odd_matrix, odd_matrix), .axes = {}, .any_size_only = true};
    if (layout == "strided") {
        for (const std::size_t k : inputs) {
            const Dims strides = {2 * side * maker.item(k), maker.item(k)};
            one.arguments[k] = maker.spec(k, matrix, strides);
            odd.arguments[k] = maker.spec(k, odd_matrix, strides);
        }
        return {one, odd};
    }
    // In the remaining layouts the last input has another layout than the other inputs. They do not apply to
    // a kernel with one input.
    if (inputs.size() < 2) return {};
    if (layout == "row") {
        one.arguments[last] = maker.spec(last, {side});
        odd.arguments[last] = maker.spec(last, {side - 1});
    } else if (layout == "column") {
        one.arguments[last] = maker.spec(last, {side, 1});
        odd.arguments[last] = one.arguments[last];
    } else if (layout == "number") {
        one.arguments = maker.dense(line, line);
        one.arguments[last] = Scalar(1);
        return {one};
    } else if (layout == "transposed") {
        // Tiles are cut into patches whose sides are as many elements as divide the extents. Rows that are no whole sectors of
        // memory may take another loop.
        std::vector<LayoutCase> cases;
        for (const Dims& shape : {Dims{side, side},
                                  Dims{side + 8, side + 8},
                                  Dims{side + 4, side + 4},
                                  Dims{side + 2, side + 2},
                                  Dims{side + 1, side + 1},
                                  Dims{side + 2, side},
                                  Dims{side + 1, side},
                                  Dims{side / 8, 8 * side + 16}}) {
            cases.push_back({.arguments = maker.dense(shape, shape), .axes = {}});
            cases.back().arguments[last] = maker.spec(last, shape, Dims{item, shape[0] * item});
        }
        return cases;
    } else {
        return {};
    }
    return {one, odd};
}

struct Fold {
    Dims shape;
    int axis;
    bool any_size_only = false;
};

// Returns one shape for each plan of the layout. The plans differ in how many threads fold an output, and in
// whether several thread blocks do. Small calls take little time with any kernel, so these run with kernels for any
// size.
std::vector<Fold> folds_of(std::string_view layout) {
    if (layout == "full") {
        return {{{1 << 13}, 0, true}, {{1 << 24}, 0}};
    }
    if (layout == "rows") {
        return {{{1 << 20, 4}, 1},
                {{16, 64}, 1, true},
                {{1 << 20, 64}, 1},
                {{1 << 16, 1024}, 1},
                {{1 << 14, 4096}, 1},
                {{side, 1 << 14}, 1},
                {{512, 1 << 16}, 1},
                {{16, 1 << 20}, 1}};
    }
    if (layout == "columns") {
        return {{{side, side}, 0},
                {{1 << 16, 256}, 0},
                {{1 << 20, 16}, 0},
                {{8, 1 << 20}, 0},
                {{64, 1 << 18}, 0},
                {{64, 1 << 20}, 0},
                {{128, 1 << 18}, 0},
                {{192, 3 << 15}, 0},
                {{512, 33 << 10}, 0},
                {{2560, 25600}, 0},
                {{2048, 2048}, 0}};
    }
    return {};
}

}  // namespace

std::vector<LayoutCase> layout_cases(const Signature& signature,
                                     const TypeBinding& types,
                                     std::string_view layout,
                                     const std::vector<std::string>& numbers) {
    const CallMaker maker(signature, types, numbers);
    if (!signature.reduction) return elementwise_cases(maker, layout);
    std::vector<LayoutCase> cases;
    for (const Fold& fold : folds_of(layout)) {
        Dims results;
        for (int axis = 0; axis < fold.shape.rank(); ++axis) {
            if (axis != fold.axis) results.push_back(fold.shape[axis]);
        }
        cases.push_back({.arguments = maker.dense(fold.shape, results),
                         .axes = {fold.axis},
                         .any_size_only = fold.any_size_only});
    }
    return cases;
}

}  // namespace kgen
