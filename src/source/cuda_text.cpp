// SPDX-License-Identifier: MIT
#include "source/cuda_text.hpp"

#include <fmt/format.h>

#include "plan/plan.hpp"

namespace kgen {

std::string CudaText::stride(std::size_t k, int axis) const {
    return fmt::format("kgen_p.kgen_strides_{}[{}]", text_.name(k), axis);
}

std::string CudaText::at_bytes(std::size_t k, std::string_view base, std::string_view bytes) const {
    return fmt::format("({0}*)(({1}char*){2} + {3})",
                       text_.const_type(k),
                       text_.is_written(k) ? "" : "const ",
                       base,
                       bytes);
}

std::string CudaText::vector_type(std::size_t k) const {
    return fmt::format("kgen_vector<{}, {}>", text_.type(k), baked_.vector);
}

std::string CudaText::as_vectors(std::size_t k, std::string_view pointer) const {
    return fmt::format("({}{}*)({})", text_.is_written(k) ? "" : "const ", vector_type(k), pointer);
}

std::string CudaText::divide(std::string_view indent, std::string_view index) const {
    std::string text;
    std::string rest(index);
    for (int axis = baked_.rank - 1; axis > 0; --axis) {
        text +=
            fmt::format("{0}const {1} kgen_q{2} = kgen_divide({3}, kgen_p.kgen_extents[{2}]);\n",
                        indent,
                        index_type(),
                        axis,
                        rest);
        text += fmt::format(
            "{0}{1} kgen_i{2} = {3} - kgen_q{2} * kgen_extent_of(kgen_p.kgen_extents[{2}]);\n",
            indent,
            index_type(),
            axis,
            rest);
        rest = fmt::format("kgen_q{}", axis);
    }
    return text + fmt::format("{}{} kgen_i0 = {};\n", indent, index_type(), rest);
}

bool CudaText::has_many_axes(int first, int last) const {
    return last - first >= general_rank - 1;
}

std::string CudaText::divide_in_loop(std::string_view indent,
                                     std::string_view index,
                                     int first,
                                     int last,
                                     const std::string& moves) const {
    return fmt::format(
        "{0}{1} kgen_rest = {2};\n"
        "#pragma unroll 1\n"
        "{0}for (int kgen_axis = {3}; kgen_axis >= {4} && kgen_rest > 0; --kgen_axis) {{\n"
        "{0}    const {1} kgen_q = kgen_divide(kgen_rest, kgen_p.kgen_extents[kgen_axis]);\n"
        "{0}    const {1} kgen_i = kgen_rest - kgen_q * "
        "kgen_extent_of(kgen_p.kgen_extents[kgen_axis]);\n"
        "{5}"
        "{0}    kgen_rest = kgen_q;\n"
        "{0}}}\n",
        indent,
        index_type(),
        index,
        last - 1,
        first,
        moves);
}

std::string CudaText::offset(std::size_t k, const Place& place) const {
    std::string text;
    for (int axis = 0; axis < baked_.rank; ++axis) {
        text += fmt::format("{}({}){} * {}",
                            axis > 0 ? " + " : "",
                            offset_type(),
                            place ? place(axis) : fmt::format("kgen_i{}", axis),
                            stride(k, axis));
    }
    return text;
}

std::string CudaText::index(const Place& place) const {
    std::string text;
    for (int axis = 0; axis < baked_.rank; ++axis) {
        text += fmt::format("{}(long long){} * kgen_p.kgen_index_strides[{}]",
                            axis > 0 ? " + " : "",
                            place(axis),
                            axis);
    }
    return text;
}

std::string CudaText::repeat(std::string_view indent,
                             std::string_view variable,
                             int count,
                             const std::string& lines) {
    if (lines.empty()) return lines;
    return fmt::format("#pragma unroll\n{0}for (int {1} = 0; {1} < {2}; ++{1}) {{\n{3}{0}}}\n",
                       indent,
                       variable,
                       count,
                       lines);
}

}  // namespace kgen
