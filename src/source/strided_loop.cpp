// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <embedded/strided_cu_in.hpp>

#include "source/loop_slots.hpp"

namespace kgen {

std::string_view fill_strided_loop(const KernelText& text, Slots& slots) {
    const bool narrow = text.baked().width == IndexWidth::bits32;
    const std::string_view offset_type = narrow ? "int" : "long long";
    slots["index_type"] = {narrow ? "unsigned" : "unsigned long long"};
    slots["offset_type"] = {std::string(offset_type)};
    slots["offsets"] = {text.for_arrays([&](std::size_t k) {
        return fmt::format("        {} kgen_offset_{} = 0;\n", offset_type, text.name(k));
    })};
    slots["advance"] = {text.for_arrays([&](std::size_t k) {
        return fmt::format(
            "            kgen_offset_{0} += kgen_index * kgen_p.kgen_strides_{0}[kgen_axis];\n",
            text.name(k));
    })};
    slots["advance_slowest"] = {text.for_arrays([&](std::size_t k) {
        return fmt::format(
            "        kgen_offset_{0} += ({1})kgen_rest * kgen_p.kgen_strides_{0}[0];\n",
            text.name(k),
            offset_type);
    })};
    slots["element"] = {text.element("        ", "kgen_at", [&](std::size_t k) {
        return fmt::format("({0}*)(({1}char*)kgen_p.kgen_data_{2} + kgen_offset_{2})",
                           text.const_type(k),
                           text.is_written(k) ? "" : "const ",
                           text.name(k));
    })};
    return embedded::strided_cu_in;
}

}  // namespace kgen
