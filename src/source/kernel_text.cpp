// SPDX-License-Identifier: MIT
#include "source/kernel_text.hpp"

#include <fmt/format.h>

#include "plan/loop_table.hpp"

namespace kgen {

std::string_view KernelText::extent_type(IndexWidth width) const {
    if (!device_loops(baked_.device).has_divisors) return "long long";
    return width == IndexWidth::bits32 ? "kgen_divisor" : "kgen_long_divisor";
}

std::string KernelText::const_type(std::size_t k) const {
    return is_written(k) ? type(k) : "const " + type(k);
}

bool KernelText::is_hoisted(std::size_t k) const {
    return is_cpp() && is_uniform(k) && !is_written(k) && !baked_.by_reference;
}

std::string KernelText::for_arrays(const std::function<std::string(std::size_t)>& line) const {
    std::string text;
    for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
        if (is_array(k)) text += line(k);
    }
    return text;
}

std::string KernelText::statements(std::string_view indent,
                                   const std::function<std::string(std::size_t)>& statement) const {
    return for_arrays([&](std::size_t k) {
        const std::string text = statement(k);
        return text.empty() ? text : fmt::format("{}{};\n", indent, text);
    });
}

std::string KernelText::load(std::size_t k, const std::string& pointer) const {
    const bool read_only = baked_.operands[k].loads == Loads::read_only;
    return fmt::format("{}({})", read_only ? "kgen_load_read_only" : "kgen_load", pointer);
}

std::string KernelText::store(const std::string& pointer, const std::string& value) {
    return fmt::format("kgen_store({}, {})", pointer, value);
}

std::string KernelText::call(std::string_view index,
                             const std::function<std::string(std::size_t)>& argument) const {
    std::string arguments;
    if (counts() || !baked_.coordinates.empty()) arguments = index;
    for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
        const bool is_absent =
            baked_.operands[k].kind == OperandKind::absent && !signature_.parameters[k].raw;
        if (!is_absent && !is_array(k)) continue;
        if (!arguments.empty()) arguments += ", ";
        arguments +=
            is_absent ? fmt::format("kgen_unneeded<{}>(kgen_p.kgen_count * {})", type(k), 2 * k + 3)
                      : argument(k);
    }
    return "kgen_text(" + arguments + ");\n";
}

int KernelText::drawn_alignment() const {
    if (!signature_.facts.index_draws) return 0;
    if (baked_.loop == LoopKind::rows) return is_independent() && !baked_.moves_index ? 4 : 0;
    const auto* flat = std::get_if<FlatChoice>(&baked_.choice);
    const bool is_flat = flat != nullptr && !flat->shifted && !baked_.moves_index;
    if (!is_flat && !baked_.draws_neighbours) return 0;
    return baked_.vector % 4 == 0 ? 4 : baked_.vector % 2 == 0 ? 2 : 0;
}

std::string KernelText::drawn_index(std::string_view first, std::string_view place) const {
    return fmt::format("kgen_drawn_index<{}>({}, {})", drawn_alignment(), first, place);
}

std::string KernelText::drawn_index(std::string_view index) const {
    if (drawn_alignment() == 0) return std::string(index);
    return fmt::format("kgen_drawn_index<{}>({})", drawn_alignment(), index);
}

std::string KernelText::element(std::string_view indent,
                                std::string_view index,
                                const std::function<std::string(std::size_t)>& address) const {
    if (baked_.by_reference) {
        return std::string(indent) +
               call(index, [&](std::size_t k) { return fmt::format("*({})", address(k)); });
    }
    std::string text = for_arrays([&](std::size_t k) {
        if (is_hoisted(k)) return std::string();
        return fmt::format("{}{} {} = {};\n", indent, const_type(k), value(k), load(k, address(k)));
    });
    text += std::string(indent) + call(index, [&](std::size_t k) { return value(k); });
    return text + statements(indent, [&](std::size_t k) {
               return is_written(k) ? store(address(k), value(k)) : std::string();
           });
}

bool KernelText::is_independent() const {
    if (baked_.by_reference || signature_.facts.keeps_state) return false;
    for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
        if (baked_.operands[k].viewed && is_written(k)) return false;
    }
    return true;
}

}  // namespace kgen
