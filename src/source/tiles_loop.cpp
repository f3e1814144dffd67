// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <embedded/tiles_cpp_in.hpp>

#include "source/host_rows.hpp"
#include "source/loop_slots.hpp"

namespace kgen {

std::string_view fill_tiles_loop(const KernelText& text, bool independent, Slots& slots) {
    const HostRows rows(text, "            ");
    const int inner = text.baked().rank - 1;
    const int outer = inner - 1;
    const bool counts = text.counts();
    const auto step = [](int axis, std::string_view by) {
        return fmt::format("{} * {{0}}[{}]", by, axis);
    };
    slots["outer_axis"] = {std::to_string(outer)};
    slots["steps"] = {rows.steps() + (counts ? fmt::format("    const long long kgen_step = "
                                                           "kgen_p.kgen_input_strides[{}];\n",
                                                           inner)
                                             : "")};
    slots["rows"] = {
        rows.pointers("        ") +
        rows.advance(
            "        ",
            fmt::format("+= {} + {}", step(outer, "kgen_row"), step(inner, "kgen_column")))};
    slots["index"] = {
        counts ? fmt::format("        long long kgen_at = kgen_row * kgen_p.kgen_input_strides[{}] "
                             "+ kgen_column * kgen_p.kgen_input_strides[{}];\n",
                             outer,
                             inner)
               : ""};
    slots["outer_axes"] = {rows.outer_axes(counts)};
    slots["uniform"] = {rows.uniform()};
    slots["independent"] = {HostRows::independent(independent)};
    slots["element"] = {rows.element("kgen_at + kgen_k * kgen_step")};
    slots["next_row"] = {
        rows.advance("            ", fmt::format("+= {{0}}[{}]", outer)) +
        (counts ? fmt::format("            kgen_at += kgen_p.kgen_input_strides[{}];\n", outer)
                : "")};
    return embedded::tiles_cpp_in;
}

}  // namespace kgen
