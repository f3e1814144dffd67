// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <embedded/rows_cpp_in.hpp>

#include "source/host_rows.hpp"
#include "source/loop_slots.hpp"

namespace kgen {

namespace {

// The index of the first row, and where it begins.
std::string first_row(const HostRows& rows, int rank) {
    return fmt::format(
        "    long long kgen_index[{0}];\n"
        "    for (int kgen_axis = {1}; kgen_axis >= 0; --kgen_axis) {{\n"
        "        kgen_index[kgen_axis] = kgen_rest % kgen_p.kgen_extents[kgen_axis];\n"
        "        kgen_rest /= kgen_p.kgen_extents[kgen_axis];\n"
        "{2}"
        "    }}\n",
        rank - 1,
        rank - 2,
        rows.advance("        ", "+= kgen_index[kgen_axis] * {}[kgen_axis]"));
}

// One step along the innermost of the outer axes; at its end back to its begin and on to the next.
std::string next_row(const HostRows& rows, int rank) {
    return fmt::format(
        "        for (int kgen_axis = {0}; kgen_axis >= 0; --kgen_axis) {{\n"
        "{1}"
        "            if (++kgen_index[kgen_axis] < kgen_p.kgen_extents[kgen_axis]) break;\n"
        "            kgen_index[kgen_axis] = 0;\n"
        "{2}"
        "        }}\n",
        rank - 2,
        rows.advance("            ", "+= {}[kgen_axis]"),
        rows.advance("            ", "-= {}[kgen_axis] * kgen_p.kgen_extents[kgen_axis]"));
}

}  // namespace

std::string_view fill_rows_loop(const KernelText& text, bool independent, Slots& slots) {
    const HostRows rows(text, "        ");
    const int rank = text.baked().rank;
    slots["rows"] = {rows.steps() + rows.pointers("    ")};
    slots["first_row"] = {rank > 1 ? first_row(rows, rank) : ""};
    slots["uniform"] = {rows.uniform()};
    slots["independent"] = {HostRows::independent(independent)};
    slots["element"] = {rows.element("kgen_at + kgen_k")};
    slots["next_row"] = {rank > 1 ? next_row(rows, rank) : ""};
    return embedded::rows_cpp_in;
}

}  // namespace kgen
