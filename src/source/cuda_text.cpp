// SPDX-License-Identifier: MIT
#include "source/cuda_text.hpp"

#include <fmt/format.h>

#include <vector>

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

std::string CudaText::value_type(std::size_t k) const {
    return access(k) == Access::uniform ? text_.type(k) : vector_type(k);
}

std::string CudaText::held(std::size_t k) const {
    return "kgen_v." + text_.value(k) + (access(k) == Access::uniform ? "" : ".kgen_at[kgen_e]");
}

std::string CudaText::load_value(std::size_t k,
                                 std::string_view indent,
                                 std::string_view pointer,
                                 std::string_view element_stride) const {
    const std::string value = "kgen_v." + text_.value(k);
    if (access(k) == Access::vector || access(k) == Access::uniform) {
        const std::string from =
            access(k) == Access::vector ? as_vectors(k, pointer) : std::string(pointer);
        return fmt::format("{}{} = {};\n", indent, value, text_.load(k, from));
    }
    const std::string from = at_bytes(k, pointer, fmt::format("kgen_e * {}", element_stride));
    return fmt::format(
        "#pragma unroll\n{0}for (int kgen_e = 0; kgen_e < {1}; ++kgen_e) {2}.kgen_at[kgen_e] = "
        "{3};\n",
        indent,
        baked_.vector,
        value,
        text_.load(k, from));
}

std::string CudaText::places(int first, int last) const {
    std::string text;
    for (int axis = first; axis < last; ++axis)
        text += fmt::format("    {} kgen_i{};\n", index_type(), axis);
    return text;
}

std::string CudaText::divide(std::string_view indent,
                             std::string_view index,
                             int first,
                             int last) const {
    std::vector<int> axes;
    for (int axis = first; axis < last; ++axis) axes.push_back(axis);
    return divide(indent, index, axes);
}

std::string CudaText::divide(std::string_view indent,
                             std::string_view index,
                             std::span<const int> axes) const {
    if (axes.empty()) return "";
    std::string text;
    std::string rest = fmt::format("({})({})", index_type(), index);
    for (std::size_t n = axes.size() - 1; n > 0; --n) {
        const int axis = axes[n];
        text += fmt::format(
            "{0}const {1} kgen_q{2} = kgen_divide({3}, kgen_p.kgen_extents[{2}]);\n"
            "{0}kgen_i{2} = {3} - kgen_q{2} * kgen_extent_of(kgen_p.kgen_extents[{2}]);\n",
            indent,
            index_type(),
            axis,
            rest);
        rest = fmt::format("kgen_q{}", axis);
    }
    return text + fmt::format("{}kgen_i{} = {};\n", indent, axes.front(), rest);
}

bool CudaText::has_many_axes(int first, int last) {
    return last - first >= general_rank - 1;
}

std::string CudaText::divide_in_loop(std::string_view indent,
                                     std::string_view index,
                                     int first,
                                     int last,
                                     const std::string& moves) const {
    return fmt::format(
        "{0}{1} kgen_rest = ({1})({2});\n"
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

std::string CudaText::moved_index(std::string_view type, const Place& place) const {
    std::string text = fmt::format("({}){}", type, index_stride(baked_.rank));  // the first index
    for (int axis = 0; axis < baked_.rank; ++axis) {
        text += fmt::format(" + ({0}){1} * ({0}){2}",
                            type,
                            place ? place(axis) : fmt::format("kgen_i{}", axis),
                            index_stride(axis));
    }
    return text;
}

std::string CudaText::offset(
    std::size_t k, int first, int last, std::string_view type, const Place& place) const {
    if (first >= last) return "0";
    std::string text;
    for (int axis = first; axis < last; ++axis) {
        text += fmt::format("{}({}){} * {}",
                            axis > first ? " + " : "",
                            type,
                            place ? place(axis) : fmt::format("kgen_i{}", axis),
                            stride(k, axis));
    }
    return text;
}

}  // namespace kgen
