// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <embedded/rows_cpp_in.hpp>

#include "source/loop_slots.hpp"

namespace kgen {

namespace {

constexpr const char* independent_iterations =
    "#ifdef __clang__\n"
    "#pragma clang loop vectorize(assume_safety)\n"
    "#else\n"
    "#pragma GCC ivdep\n"
    "#endif\n";

}  // namespace

std::string_view fill_rows_loop(const KernelText& text, bool independent, Slots& slots) {
    slots["rows"] = {text.for_arrays([&](std::size_t k) {
        return fmt::format("        {0}char* kgen_row_{1} = ({0}char*)kgen_p.kgen_data_{1};\n",
                           text.is_written(k) ? "" : "const ",
                           text.name(k));
    })};
    slots["row_offsets"] = {text.for_arrays([&](std::size_t k) {
        return fmt::format(
            "            kgen_row_{0} += kgen_index[kgen_axis] * "
            "kgen_p.kgen_strides_{0}[kgen_axis];\n",
            text.name(k));
    })};
    const auto row = [&](std::size_t k) {
        return fmt::format("({}*)kgen_row_{}", text.const_type(k), text.name(k));
    };
    slots["uniform"] = {text.hoisted("        ", row)};
    slots["independent"] = {independent ? independent_iterations : ""};
    slots["element"] = {text.element("            ", "kgen_at + kgen_k", [&](std::size_t k) {
        switch (text.baked().operands[k].inner) {
            case StrideClass::unit:
                return row(k) + " + kgen_k";
            case StrideClass::uniform:
                return row(k);
            case StrideClass::strided:
                break;
        }
        return fmt::format("({0}*)(kgen_row_{1} + kgen_k * kgen_p.kgen_strides_{1}[{2}])",
                           text.const_type(k),
                           text.name(k),
                           text.baked().rank - 1);
    })};
    return embedded::rows_cpp_in;
}

}  // namespace kgen
