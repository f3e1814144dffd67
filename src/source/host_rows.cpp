// SPDX-License-Identifier: MIT
#include "source/host_rows.hpp"

#include <fmt/format.h>

namespace kgen {

std::string HostRows::pointers(std::string_view indent) const {
    return text_.for_arrays([&](std::size_t k) {
        return fmt::format("{0}{1}char* kgen_row_{2} = ({1}char*)kgen_p.kgen_data_{2};\n",
                           indent,
                           text_.is_written(k) ? "" : "const ",
                           text_.name(k));
    });
}

std::string HostRows::steps() const {
    return text_.for_arrays([&](std::size_t k) {
        if (text_.baked().operands[k].inner != StrideClass::strided) return std::string();
        return fmt::format("    const long long kgen_step_{0} = kgen_p.kgen_strides_{0}[{1}];\n",
                           text_.name(k),
                           text_.baked().rank - 1);
    });
}

std::string HostRows::advance(std::string_view indent, std::string_view how) const {
    return text_.for_arrays([&](std::size_t k) {
        const std::string strides = "kgen_p.kgen_strides_" + text_.name(k);
        return fmt::format(
            "{}kgen_row_{} {};\n", indent, text_.name(k), fmt::format(fmt::runtime(how), strides));
    });
}

std::string HostRows::outer_axes(bool moves_index) const {
    const int last = text_.baked().rank - 3;
    if (last < 0) return "";
    return fmt::format(
        "        for (int kgen_axis = {}; kgen_axis >= 0; --kgen_axis) {{\n"
        "            const long long kgen_place = kgen_rest % kgen_p.kgen_extents[kgen_axis];\n"
        "            kgen_rest /= kgen_p.kgen_extents[kgen_axis];\n"
        "{}{}"
        "        }}\n",
        last,
        advance("            ", "+= kgen_place * {0}[kgen_axis]"),
        moves_index ? "            kgen_at += kgen_place * kgen_p.kgen_input_strides[kgen_axis];\n"
                    : "");
}

std::string HostRows::row(std::size_t k) const {
    return fmt::format("({}*)kgen_row_{}", text_.const_type(k), text_.name(k));
}

std::string HostRows::uniform() const {
    return text_.hoisted(indent_, [&](std::size_t k) { return row(k); });
}

std::string HostRows::independent(bool is_so) {
    return is_so ? "#ifdef __clang__\n"
                   "#pragma clang loop vectorize(assume_safety)\n"
                   "#else\n"
                   "#pragma GCC ivdep\n"
                   "#endif\n"
                 : "";
}

std::string HostRows::element(std::string_view index) const {
    return text_.element(indent_ + "    ", index, [&](std::size_t k) {
        switch (text_.baked().operands[k].inner) {
            case StrideClass::unit:
                return row(k) + " + kgen_k";
            case StrideClass::uniform:
                return row(k);
            case StrideClass::reversed:
                return row(k) + " - kgen_k";
            case StrideClass::strided:
                break;
        }
        if (text_.baked().loop == LoopKind::short_rows)
            return fmt::format("kgen_pack_{} + kgen_k", text_.name(k));
        return fmt::format(
            "({0}*)(kgen_row_{1} + kgen_k * kgen_step_{1})", text_.const_type(k), text_.name(k));
    });
}

}  // namespace kgen
