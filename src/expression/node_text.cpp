// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "expression/node.hpp"
#include "text/excerpt.hpp"

namespace kgen {

namespace {

// A function as messages call it, with what precedes and follows its operands.
struct Symbol {
    std::string_view function;
    std::string_view text;
    int precedence;  // C++'s order: a larger one binds more tightly
    bool is_unary = false;
};
constexpr auto symbols = std::to_array<Symbol>({{"multiply", "*", 10},
                                                {"divide", "/", 10},
                                                {"remainder", "%", 10},
                                                {"add", "+", 9},
                                                {"subtract", "-", 9},
                                                {"left_shift", "<<", 8},
                                                {"right_shift", ">>", 8},
                                                {"less", "<", 7},
                                                {"less_equal", "<=", 7},
                                                {"greater", ">", 7},
                                                {"greater_equal", ">=", 7},
                                                {"equal", "==", 6},
                                                {"not_equal", "!=", 6},
                                                {"bitwise_and", "&", 5},
                                                {"bitwise_xor", "^", 4},
                                                {"bitwise_or", "|", 3},
                                                {"negative", "-", 12, true},
                                                {"invert", "~", 12, true},
                                                {"logical_not", "!", 12, true}});

const Symbol* symbol_of(const TemplateDefinition& function) {
    const auto* found = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& each) {
        return each.function == function.name;
    });
    return found == symbols.end() ? nullptr : found;
}

class NodeWriter {
public:
    NodeWriter(const NodeList& list, std::size_t mark, int levels)
        : list_(list), mark_(mark), levels_(levels) {}

    void write(std::size_t at, int outer) {
        const Node& node = list_.nodes[at];
        if (!node.is_function()) {
            const auto leaves =
                std::count_if(list_.nodes.begin(),
                              list_.nodes.begin() + static_cast<std::ptrdiff_t>(at),
                              [](const Node& each) { return each.is_array() || each.is_number(); });
            text += fmt::format("x{}", leaves);
        } else if (node.is_cast) {
            write(node.operands[0], outer);
        } else if (levels_ == 0) {
            text += "...";
        } else {
            --levels_;
            if (const Symbol* symbol = symbol_of(*node.definition)) {
                write_symbol(at, *symbol, outer);
            } else {
                write_call(at);
            }
            ++levels_;
        }
    }

    std::string text;
    std::size_t mark_begin = 0;
    std::size_t mark_length = 0;

private:
    void write_name(std::size_t at, std::string_view name) {
        if (at == mark_) {
            mark_begin = text.size();
            mark_length = name.size();
        }
        text += name;
    }

    void write_symbol(std::size_t at, const Symbol& symbol, int outer) {
        const Node& node = list_.nodes[at];
        const bool needs_brackets = symbol.precedence < outer;
        if (needs_brackets) text += '(';
        if (symbol.is_unary) {
            write_name(at, symbol.text);
            write(node.operands[0], symbol.precedence);
        } else {
            write(node.operands[0], symbol.precedence);
            text += ' ';
            write_name(at, symbol.text);
            text += ' ';
            write(node.operands[1], symbol.precedence + 1);
        }
        if (needs_brackets) text += ')';
    }

    void write_call(std::size_t at) {
        const Node& node = list_.nodes[at];
        write_name(at, node.definition->name);
        text += '(';
        for (std::size_t k = 0; k < node.operands.size(); ++k) {
            if (k > 0) text += ", ";
            if (list_.nodes[node.operands[k]].is_shape()) {
                text += "shape";
            } else {
                write(node.operands[k], 0);
            }
        }
        if (node.is_reduction() && !node.all_axes) {
            text += node.axes.size() == 1
                        ? fmt::format(", axis({})", node.axes[0])
                        : fmt::format(", axis({{{}}})", fmt::join(node.axes, ", "));
        }
        if (node.keepdims) text += ", keepdims";
        text += ')';
    }

    const NodeList& list_;
    std::size_t mark_;
    int levels_;
};

}  // namespace

std::string describe_function(const TemplateDefinition& function) {
    if (const Symbol* symbol = symbol_of(function))
        return fmt::format("operator '{}'", symbol->text);
    return fmt::format("function '{}'", function.name);
}

std::string node_text(const NodeList& list, std::size_t root, int levels) {
    NodeWriter writer(list, no_node, levels);
    writer.write(root, 0);
    return writer.text;
}

std::string node_excerpt(const NodeList& list, std::size_t root, std::size_t mark) {
    NodeWriter writer(list, mark, -1);
    writer.write(root, 0);
    return excerpt(writer.text, writer.mark_begin, writer.mark_length);
}

}  // namespace kgen
