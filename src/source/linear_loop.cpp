// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <embedded/linear_cu_in.hpp>
#include <embedded/single_cu_in.hpp>

#include "source/loop_slots.hpp"

namespace kgen {

namespace {

std::string data(const KernelText& text, std::size_t k) {
    return "kgen_p.kgen_data_" + text.name(k);
}

// A whole tile of vectors. With one access a thread there are no arrays and no loop over accesses.
std::string full_tile(const KernelText& text) {
    const int unroll = text.baked().unroll;
    const int vector = text.baked().vector;
    const bool many = unroll > 1;
    const std::string indent(many ? 12 : 8, ' ');
    const std::string access = many ? "[kgen_access]" : "";
    const auto vector_type = [&](std::size_t k) {
        return fmt::format("kgen_vector<{}, {}>", text.type(k), vector);
    };
    const auto pointer = [&](std::size_t k) {
        return fmt::format(
            "kgen_tile_{}{}", text.name(k), many ? " + kgen_access * kgen_block_size()" : "");
    };
    const auto for_each_access = [&](const std::string& lines) {
        if (!many || lines.empty()) return lines;
        return fmt::format(
            "#pragma unroll\n        for (int kgen_access = 0; kgen_access < {}; ++kgen_access) "
            "{{\n{}        }}\n",
            unroll,
            lines);
    };

    std::string result = text.for_arrays([&](std::size_t k) {
        if (text.is_hoisted(k)) return std::string();
        return fmt::format(
            "        {0}{1}* const kgen_tile_{2} = ({0}{1}*)({3} + kgen_begin) + kgen_thread();\n",
            text.is_written(k) ? "" : "const ",
            vector_type(k),
            text.name(k),
            data(text, k));
    });
    if (many) {
        result += text.for_arrays([&](std::size_t k) {
            if (text.is_hoisted(k)) return std::string();
            return fmt::format("        {} {}[{}];\n", vector_type(k), text.value(k), unroll);
        });
    }
    result += for_each_access(text.for_arrays([&](std::size_t k) {
        if (text.is_hoisted(k)) return std::string();
        const std::string declared =
            many ? text.value(k) + access : vector_type(k) + " " + text.value(k);
        return fmt::format("{}{} = {};\n", indent, declared, text.load(k, pointer(k)));
    }));
    const std::string index =
        fmt::format("kgen_begin + {} * {} + kgen_e",
                    many ? "(kgen_thread() + kgen_access * kgen_block_size())" : "kgen_thread()",
                    vector);
    const std::string call = text.call(index, [&](std::size_t k) {
        return text.is_hoisted(k) ? text.value(k) : text.value(k) + access + ".kgen_at[kgen_e]";
    });
    result += for_each_access(fmt::format(
        "#pragma unroll\n{0}for (int kgen_e = 0; kgen_e < {1}; ++kgen_e) {{\n{0}    {2}{0}}}\n",
        indent,
        vector,
        call));
    result += for_each_access(text.for_arrays([&](std::size_t k) {
        return text.is_written(k) ? indent + text.store(pointer(k), text.value(k) + access)
                                  : std::string();
    }));
    return result;
}

}  // namespace

std::string_view fill_linear_loop(const KernelText& text, Slots& slots) {
    const bool tiled = text.baked().vector * text.baked().unroll > 1;
    const std::string index = tiled ? "kgen_begin + kgen_k" : "kgen_at";
    slots["uniform"] = {text.hoisted("    ", [&](std::size_t k) { return data(text, k); })};
    slots["element"] = {
        text.element(tiled ? "            " : "        ", index, [&](std::size_t k) {
            return text.is_uniform(k) ? data(text, k) : data(text, k) + " + " + index;
        })};
    if (!tiled) return embedded::single_cu_in;
    slots["tile"] = {full_tile(text)};
    return embedded::linear_cu_in;
}

}  // namespace kgen
