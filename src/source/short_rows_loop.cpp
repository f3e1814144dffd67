// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <embedded/short_rows_cpp_in.hpp>

#include "source/host_rows.hpp"
#include "source/loop_slots.hpp"

namespace kgen {

namespace {

bool has_pack(const KernelText& text, std::size_t k) {
    return text.baked().operands[k].inner == StrideClass::strided;
}

// Column by column, since columns are long. What does not move from row to row is there already,
// save in the first pack of a range or of an outer index.
std::string fill_pack(const KernelText& text, std::size_t k) {
    if (!has_pack(text, k)) return "";
    return fmt::format(
        "        const long long kgen_step_{0} = kgen_p.kgen_strides_{0}[{2}];\n"
        "        const long long kgen_down_{0} = kgen_p.kgen_strides_{0}[{3}];\n"
        "        if (kgen_down_{0} != 0 || kgen_row == 0 || kgen_pack == kgen_first) {{\n"
        "            for (long long kgen_column = 0; kgen_column < kgen_columns; ++kgen_column) "
        "{{\n"
        "                for (long long kgen_k = 0; kgen_k < kgen_full; ++kgen_k) {{\n"
        "                    kgen_pack_{0}[kgen_k * kgen_columns + kgen_column] =\n"
        "                        *(const {1}*)(kgen_row_{0} + kgen_column * kgen_step_{0} + kgen_k "
        "* "
        "kgen_down_{0});\n"
        "                }}\n"
        "            }}\n"
        "        }}\n",
        text.name(k),
        text.type(k),
        text.baked().rank - 1,
        text.baked().rank - 2);
}

}  // namespace

std::string_view fill_short_rows_loop(const KernelText& text, Slots& slots) {
    const HostRows rows(text, "        ");
    const int outer = text.baked().rank - 2;
    slots["outer_axis"] = {std::to_string(outer)};
    slots["packs"] = {text.for_arrays([&](std::size_t k) {
        if (!has_pack(text, k)) return std::string();
        return fmt::format("    {} kgen_pack_{}[512];\n", text.type(k), text.name(k));
    })};
    slots["index"] = {text.counts() ? "        const long long kgen_at = (kgen_rest * kgen_rows + "
                                      "kgen_row) * kgen_columns;\n"
                                    : ""};
    slots["rows"] = {rows.pointers("        ") +
                     rows.advance("        ", fmt::format("+= kgen_row * {{0}}[{}]", outer))};
    slots["outer_axes"] = {rows.outer_axes(false)};
    slots["fill"] = {text.for_arrays([&](std::size_t k) { return fill_pack(text, k); })};
    slots["uniform"] = {rows.uniform()};
    slots["independent"] = {HostRows::independent(true)};
    slots["element"] = {rows.element("kgen_at + kgen_k")};
    return embedded::short_rows_cpp_in;
}

}  // namespace kgen
