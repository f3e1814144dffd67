// SPDX-License-Identifier: MIT
#include "expression/one_pass.hpp"

#include <kgen/math.hpp>
#include <optional>
#include <utility>

#include "expression/choose_form.hpp"
#include "expression/function_table.hpp"

namespace kgen {

namespace {

using detail::Function;

const TemplateDefinition& library(Function function) {
    return function_definition(static_cast<std::uint16_t>(function));
}

// Returns a reduction of the library with another text for its result, and its name in messages.
const TemplateDefinition* with_result(Function function, const char* name, const char* post_map) {
    auto* const made = new TemplateDefinition(library(function));
    made->name = name;
    for (TemplateOverload& each : made->overloads) {
        each.definition.name = name;
        each.definition.reduction->post_map = post_map;
        each.signature = parse_signature(each.definition);
    }
    return made;
}
// max(x), whose accumulator is that of logsumexp: the largest element, `top`, and the sum of exp(x - top). If an element is NaN,
// the sum is NaN, but `top` may not be.
const TemplateDefinition& largest() {
    static const auto* const made =
        with_result(Function::logsumexp, "max", "y = a.sum == a.sum ? a.top : a.sum");
    return *made;
}
// sum(exp(x - max(x))). If the largest element is infinite, its distances are NaN.
const TemplateDefinition& scaled_sum() {
    static const auto* const made =
        with_result(Function::logsumexp, "scaled_sum", "y = a.sum + (a.top - a.top)");
    return *made;
}
// mean(x), whose accumulator is that of var.
const TemplateDefinition& mean_of_moments() {
    static const auto* const made = with_result(Function::var, "mean", "y = a.mean");
    return *made;
}

class Folder {
public:
    explicit Folder(NodeList& list) : list_(list) {}

    void run() {
        for (std::size_t at = 0; at < list_.nodes.size(); ++at) {
            // The two reductions share an accumulator.
            if (const std::optional<std::size_t> distance = of_scaled_sum(at)) {
                replace(*distance, largest(), at, scaled_sum());
            } else if (const std::optional<std::size_t> gap = of_variance(at)) {
                replace(*gap, mean_of_moments(), at, library(Function::var));
            }
        }
    }

private:
    const Node& node(std::size_t at) const { return list_.nodes[at]; }
    bool is(std::size_t at, Function function) const {
        return node(at).is_function() && node(at).definition == &library(function);
    }

    // Whether the node is u - f(u), where f reduces along the axes of `reduction`. Axes that are written differently count as
    // different, as the rank of u is not known here.
    bool is_distance(std::size_t at, Function f, const Node& reduction) const {
        if (!is(at, Function::subtract)) return false;
        const std::size_t u = node(at).operands[0], folded = node(at).operands[1];
        const Node& fold = node(folded);
        const TemplateDefinition& replaced = f == Function::max ? largest() : mean_of_moments();
        const bool is_f = is(folded, f) || fold.definition == &replaced;
        return is_f && fold.operands[0] == u && fold.keepdims &&
               fold.all_axes == reduction.all_axes && fold.axes == reduction.axes &&
               kind_of(fold.dtype) == DTypeKind::real && fold.dtype == reduction.dtype &&
               item_size(fold.dtype) >= item_size(float32);
    }
    // Returns u - max(u) if the node is sum(exp(u - max(u))).
    std::optional<std::size_t> of_scaled_sum(std::size_t at) const {
        if (!is(at, Function::sum) || !is(node(at).operands[0], Function::exp)) return std::nullopt;
        const std::size_t distance = node(node(at).operands[0]).operands[0];
        return is_distance(distance, Function::max, node(at)) ? std::optional(distance)
                                                              : std::nullopt;
    }
    // Returns u - mean(u) if the node is mean(square(u - mean(u))).
    std::optional<std::size_t> of_variance(std::size_t at) const {
        if (!is(at, Function::mean)) return std::nullopt;
        const std::size_t product = node(at).operands[0];
        const bool is_square = is(product, Function::square) ||
                               (is(product, Function::multiply) &&
                                node(product).operands[0] == node(product).operands[1]);
        if (!is_square) return std::nullopt;
        const std::size_t gap = node(product).operands[0];
        return is_distance(gap, Function::mean, node(at)) ? std::optional(gap) : std::nullopt;
    }

    // Replaces the reduction f of a distance, u - f(u), by `first`, and `other` by a reduction of u, `second`.
    void replace(std::size_t distance,
                 const TemplateDefinition& first,
                 std::size_t other,
                 const TemplateDefinition& second) {
        list_.nodes[other].operands = {node(distance).operands[0]};
        replace(node(distance).operands[1], first);
        replace(other, second);
    }
    void replace(std::size_t at, const TemplateDefinition& definition) {
        Node& one = list_.nodes[at];
        const OperandType type{node(one.operands[0]).dtype};
        FormChoice choice = choose_form(definition, {&type, 1}).value();
        one.definition = &definition;
        one.form = choice.form;
        one.dtypes = std::move(choice.dtypes);
        one.placeholders = std::move(choice.placeholders);
    }

    NodeList& list_;
};

}  // namespace

void fold_in_one_pass(NodeList& list) {
    Folder(list).run();
}

}  // namespace kgen
