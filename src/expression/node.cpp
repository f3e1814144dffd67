// SPDX-License-Identifier: MIT
#include "expression/node.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <kgen/error.hpp>
#include <kgen/math.hpp>

#include "dtype/dtype_table.hpp"
#include "expression/choose_form.hpp"
#include "expression/compare_with_limits.hpp"
#include "expression/function_table.hpp"
#include "expression/tape.hpp"
#include "template/overload_choice.hpp"
#include "text/error_parts.hpp"

namespace kgen {

namespace {

class NodeMaker {
public:
    explicit NodeMaker(const TapeKey& key) : key_(key) {}

    NodeList run() {
        for (std::size_t at = 0; at < key_.code.size();) at = read(at);
        list_.roots = stack_;
        return std::move(list_);
    }

private:
    std::size_t read(std::size_t at) {
        const std::uint16_t word = key_.code[at++];
        if (word == tape_word::array) {
            stack_.push_back(add({.kind = Node::Kind::array,
                                  .dtype = key_.dtypes[array_count_],
                                  .slot = key_.slots[array_count_]}));
            ++array_count_;
        } else if (word <= tape_word::complex) {
            static constexpr DType of_kind[] = {bool_, int64, float64, complex128};
            stack_.push_back(add({.kind = Node::Kind::number,
                                  .dtype = of_kind[word - tape_word::boolean],
                                  .slot = key_.number_slots[number_count_++]}));
        } else if (word == tape_word::shape) {
            const auto dtype = static_cast<DType>(key_.code[at++]);
            stack_.push_back(add({.kind = Node::Kind::shape,
                                  .dtype = dtype,
                                  .slot = key_.shape_slots[shape_count_++],
                                  .constant = fmt::format("({})0", cpp_name(dtype))}));
        } else if (word == tape_word::cast || word == tape_word::same_kind_cast) {
            const auto dtype = static_cast<DType>(key_.code[at++]);
            if (word == tape_word::same_kind_cast) check_cast(stack_.back(), dtype);
            stack_.back() = cast(stack_.back(), dtype);
        } else {
            return read_function(word, at);
        }
        return at;
    }

    std::size_t read_function(std::uint16_t word, std::size_t at) {
        Node node;
        node.definition = &function_definition(word - tape_word::first_function);
        if (node.definition->kind == TemplateKind::reduction) {
            const std::uint16_t head = key_.code[at++];
            node.keepdims = (head & tape_word::keepdims_bit) != 0;
            const std::uint16_t count = head & 0xff;
            node.all_axes = count == tape_word::all_axes;
            for (std::uint16_t k = 0; !node.all_axes && k < count; ++k)
                node.axes.push_back(static_cast<std::int16_t>(key_.code[at++]));
        }
        const auto inputs =
            static_cast<std::size_t>(node.definition->overloads.front().signature.input_count);
        node.operands.assign(stack_.end() - static_cast<std::ptrdiff_t>(inputs), stack_.end());
        stack_.resize(stack_.size() - inputs);
        const std::vector<std::size_t> operands = node.operands;
        stack_.push_back(add_function(std::move(node)));
        for (const std::size_t each : operands) {
            const Node& number = list_.nodes[each];
            if (number.is_number() && takes_any_number(word, number.dtype))
                list_.compared_numbers.push_back({.word = at - 1,
                                                  .number = number.slot,
                                                  .dtype = number.dtype,
                                                  .is_first = each == operands[0]});
        }
        return at;
    }

    std::size_t add_function(Node node) {
        std::vector<OperandType> types;
        for (const std::size_t each : node.operands)
            types.push_back({list_.nodes[each].dtype, list_.nodes[each].is_number()});
        std::optional<FormChoice> choice = choose_form(*node.definition, types);
        if (choice && converts_number_to_integer(types, *choice)) {
            // The function computes in the floating dtype of its result, which a number need not fit an integer for.
            for (OperandType& each : types)
                if (!each.is_number) each.dtype = choice->dtypes[types.size()];
            choice = choose_form(*node.definition, types);
        }
        if (!choice) fail(std::move(node));
        for (std::size_t k = 0; k < types.size(); ++k) {
            // The function's parameter decides the dtype of a number.
            if (types[k].is_number) {
                node.operands[k] = number_of(node.operands[k], choice->dtypes[k]);
            } else {
                node.operands[k] = cast(node.operands[k], choice->dtypes[k]);
            }
        }
        return add(std::move(node), std::move(*choice));
    }

    std::size_t add(Node node, FormChoice choice) {
        node.form = choice.form;
        node.dtype = choice.dtypes[node.operands.size()];
        node.dtypes = std::move(choice.dtypes);
        node.placeholders = std::move(choice.placeholders);
        return add(std::move(node));
    }

    static bool converts_number_to_integer(const std::vector<OperandType>& types,
                                           const FormChoice& choice) {
        const DTypeKind result = kind_of(choice.dtypes[types.size()]);
        if (result != DTypeKind::real && result != DTypeKind::complex) return false;
        for (std::size_t k = 0; k < types.size(); ++k) {
            const DTypeKind kind = kind_of(choice.dtypes[k]);
            if (types[k].is_number && kind != DTypeKind::real && kind != DTypeKind::complex)
                return true;
        }
        return false;
    }

    // Converts like Array::astype: to bool is x != 0, and complex to real drops the imaginary part.
    std::size_t cast(std::size_t operand, DType dtype) {
        const DType from = list_.nodes[operand].dtype;
        if (from == dtype) return operand;
        if (list_.nodes[operand].is_number()) return number_of(operand, dtype);
        using detail::Function;
        if (kind_of(from) == DTypeKind::complex && kind_of(dtype) != DTypeKind::complex) {
            if (dtype == bool_)
                return convert(convert(operand, Function::logical_not), Function::logical_not);
            return cast(convert(operand, Function::real), dtype);
        }
        return convert(operand, cast_function(dtype));
    }

    // Adds a function that is a part of a conversion.
    std::size_t convert(std::size_t operand, detail::Function function) {
        Node node{.operands = {operand}, .is_cast = true};
        node.definition = &function_definition(static_cast<std::uint16_t>(function));
        const OperandType type{list_.nodes[operand].dtype};
        FormChoice choice = choose_form(*node.definition, {&type, 1}).value();
        return add(std::move(node), std::move(choice));
    }

    static detail::Function cast_function(DType dtype) {
        static constexpr auto functions =
            std::to_array<detail::Function>({detail::Function::to_bool,
                                             detail::Function::to_int8,
                                             detail::Function::to_int16,
                                             detail::Function::to_int32,
                                             detail::Function::to_int64,
                                             detail::Function::to_uint8,
                                             detail::Function::to_uint16,
                                             detail::Function::to_uint32,
                                             detail::Function::to_uint64,
                                             detail::Function::to_float16,
                                             detail::Function::to_bfloat16,
                                             detail::Function::to_float32,
                                             detail::Function::to_float64,
                                             detail::Function::to_complex64,
                                             detail::Function::to_complex128});
        return functions[static_cast<std::size_t>(dtype)];
    }

    // Returns the node of this number with that dtype.
    std::size_t number_of(std::size_t number, DType dtype) {
        const auto is_used = [&](const Node& node) {
            return std::find(node.operands.begin(), node.operands.end(), number) !=
                   node.operands.end();
        };
        Node copy = list_.nodes[number];
        copy.dtype = dtype;
        if (std::none_of(list_.nodes.begin(), list_.nodes.end(), is_used))
            list_.nodes[number].dtype = dtype;
        const auto is_same = [&](const Node& other) {
            return other.is_number() && other.slot == copy.slot && other.dtype == dtype;
        };
        const auto found = std::find_if(list_.nodes.begin(), list_.nodes.end(), is_same);
        const auto place = static_cast<std::size_t>(found - list_.nodes.begin());
        if (place == list_.nodes.size()) list_.nodes.push_back(std::move(copy));
        return place;
    }

    // Returns the node, or an equal one that is there.
    std::size_t add(Node node) {
        const auto is_same = [&](const Node& other) {
            return other.kind == node.kind && other.slot == node.slot && !node.is_number() &&
                   other.definition == node.definition && other.operands == node.operands &&
                   other.dtypes == node.dtypes && other.axes == node.axes &&
                   other.all_axes == node.all_axes && other.keepdims == node.keepdims;
        };
        const auto found = std::find_if(list_.nodes.begin(), list_.nodes.end(), is_same);
        if (found != list_.nodes.end())
            return static_cast<std::size_t>(found - list_.nodes.begin());
        list_.nodes.push_back(std::move(node));
        return list_.nodes.size() - 1;
    }

    void check_cast(std::size_t operand, DType dtype) const {
        const Node& node = list_.nodes[operand];
        if (node.is_number() || is_same_kind_cast(node.dtype, dtype)) return;
        refuse<TypeError>(
            {ErrorKind::dtype, {}, std::string(to_text(dtype)), std::string(to_text(node.dtype))},
            "the expression has the dtype {}, which is not written into an array of {}; "
            "write array.assign(...) to convert it\n  {}",
            to_text(node.dtype),
            to_text(dtype),
            node_text(list_, operand));
    }

    [[noreturn]] void fail(Node node) {
        std::vector<std::string> given;
        for (const std::size_t each : node.operands) {
            const Node& operand = list_.nodes[each];
            given.push_back(
                fmt::format("{}{}", operand.is_number() ? "number " : "", to_text(operand.dtype)));
        }
        const std::string text = fmt::format("{}", fmt::join(given, ", "));
        const TemplateDefinition& definition = *node.definition;
        const std::string function = describe_function(definition);
        list_.nodes.push_back(std::move(node));
        std::string forms;
        for (const TemplateOverload& each : definition.overloads)
            forms += "\n  " + describe_form(each.signature, each.where);
        const std::size_t at = list_.nodes.size() - 1;
        refuse<TypeError>({ErrorKind::dtype, {}, {}, text},
                          "{} does not take {}{}\n  '{}' takes{}",
                          function,
                          text,
                          node_excerpt(list_, at, at),
                          definition.name,
                          forms);
    }

    const TapeKey& key_;
    NodeList list_;
    std::vector<std::size_t> stack_;
    std::size_t array_count_ = 0;
    std::size_t number_count_ = 0;
    std::size_t shape_count_ = 0;
};

}  // namespace

NodeList make_nodes(const TapeKey& key) {
    return NodeMaker(key).run();
}

}  // namespace kgen
