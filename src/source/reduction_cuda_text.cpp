// SPDX-License-Identifier: MIT
#include "source/reduction_cuda_text.hpp"

#include <fmt/format.h>

#include <array>

namespace kgen {

namespace {

constexpr std::array<std::string_view, 3> index_names = {"input", "reduced", "output"};

std::array<bool, 3> used(const Baked& baked) {
    return {baked.counted, baked.counts_reduced, baked.counts_outputs};
}

}  // namespace

std::string ReductionCudaText::divide(std::string_view indent,
                                      std::string_view index,
                                      int first,
                                      int last) const {
    if (first >= last) return "";
    std::string text;
    std::string rest = fmt::format("({})({})", cuda_.index_type(), index);
    for (int axis = last - 1; axis > first; --axis) {
        text += fmt::format(
            "{0}const {1} kgen_q{2} = kgen_divide({3}, kgen_p.kgen_extents[{2}]);\n"
            "{0}const {1} kgen_i{2} = {3} - kgen_q{2} * "
            "kgen_extent_of(kgen_p.kgen_extents[{2}]);\n",
            indent,
            cuda_.index_type(),
            axis,
            rest);
        rest = fmt::format("kgen_q{}", axis);
    }
    return text +
           fmt::format("{}const {} kgen_i{} = {};\n", indent, cuda_.index_type(), first, rest);
}

std::string ReductionCudaText::offset(std::size_t k, int first, int last) const {
    if (first >= last) return "0";
    std::string text;
    for (int axis = first; axis < last; ++axis) {
        text += fmt::format(
            "{}(long long)kgen_i{} * {}", axis > first ? " + " : "", axis, cuda_.stride(k, axis));
    }
    return text;
}

std::string ReductionCudaText::places(
    std::string_view indent, std::string_view prefix, int first, int last, bool from_begin) const {
    std::string text;
    for (std::size_t index = 0; index < index_names.size(); ++index) {
        if (!used(baked_)[index]) continue;
        const std::string_view name = index_names[index];
        // The output's place is known from its kept axes; it moves along no other.
        if (!from_begin && name == "output") continue;
        std::string sum = from_begin ? fmt::format("kgen_p.kgen_{}_strides[{}]", name, baked_.rank)
                                     : fmt::format("kgen_kept_{}", name);
        for (int axis = first; axis < last; ++axis)
            sum += fmt::format(
                " + (long long)kgen_i{} * kgen_p.kgen_{}_strides[{}]", axis, name, axis);
        text += fmt::format("{}const long long {}_{} = {};\n", indent, prefix, name, sum);
    }
    return text;
}

std::string ReductionCudaText::walked_offset(std::string_view prefix, std::string_view name) {
    return fmt::format("{}_at_{}", prefix, name);
}

std::string ReductionCudaText::walk_in_loop(std::string_view indent,
                                            std::string_view prefix,
                                            std::string_view index,
                                            int first,
                                            int last,
                                            bool from_begin,
                                            Side side) const {
    std::string declared;
    std::string moves;
    const auto add =
        [&](const std::string& variable, const std::string& begin, const std::string& strides) {
            declared += fmt::format("{}long long {} = {};\n", indent, variable, begin);
            moves += fmt::format("{}        {} += (long long)kgen_i * kgen_p.{}[kgen_axis];\n",
                                 indent,
                                 variable,
                                 strides);
        };
    const auto add_array = [&](std::size_t k) {
        const std::string& name = text_.text().name(k);
        if (text_.text().is_array(k)) add(walked_offset(prefix, name), "0", "kgen_strides_" + name);
        return std::string();
    };
    side == Side::inputs ? text_.for_inputs(add_array) : text_.for_outputs(add_array);
    for (std::size_t place = 0; place < index_names.size(); ++place) {
        const std::string_view name = index_names[place];
        if (!used(baked_)[place] || (!from_begin && name == "output")) continue;
        add(fmt::format("{}_{}", prefix, name),
            from_begin ? fmt::format("kgen_p.kgen_{}_strides[{}]", name, baked_.rank)
                       : fmt::format("kgen_kept_{}", name),
            fmt::format("kgen_{}_strides", name));
    }
    const std::string from = fmt::format("({})({})", cuda_.index_type(), index);
    return declared + fmt::format("{0}{{\n{1}{0}}}\n",
                                  indent,
                                  cuda_.divide_in_loop(
                                      std::string(indent) + "    ", from, first, last, moves));
}

std::string ReductionCudaText::moved(std::string_view indent,
                                     std::string_view prefix,
                                     std::string_view base,
                                     std::string_view along) const {
    const PlaceNames names = place(base, along, inner());
    std::string text;
    if (baked_.counted)
        text += fmt::format("{}const long long {}_input = {};\n", indent, prefix, names.input);
    if (baked_.counts_reduced)
        text += fmt::format("{}const long long {}_reduced = {};\n", indent, prefix, names.reduced);
    return text;
}

ReductionCudaText::PlaceNames ReductionCudaText::place(std::string_view prefix,
                                                       std::string_view along,
                                                       int axis) const {
    const auto moved = [&](std::string_view base, std::string_view name) {
        if (baked_.rank == 0) return fmt::format("{}_{}", base, name);
        return fmt::format(
            "{}_{} + {} * kgen_p.kgen_{}_strides[{}]", base, name, along, name, axis);
    };
    // An output's place moves along kept axes alone.
    return {moved(prefix, "input"),
            moved(prefix, "reduced"),
            axis < kept() ? moved("kgen_kept", "output") : "kgen_kept_output"};
}

std::string ReductionCudaText::pointer(std::size_t k,
                                       std::string_view base,
                                       std::string_view bytes) const {
    return fmt::format("({}*)({} + {})", text_.text().const_type(k), base, bytes);
}

std::string ReductionCudaText::start(std::string_view indent,
                                     std::string_view sums,
                                     std::string_view count) const {
    if (!text_.has_identity()) return "";
    return fmt::format(
        "#pragma unroll\n{0}for (int kgen_e = 0; kgen_e < {2}; ++kgen_e) "
        "{1}[kgen_e].kgen_at.kgen_value "
        "= kgen_identity();\n",
        indent,
        sums,
        count);
}

std::string ReductionCudaText::finish(std::string_view indent, std::string_view value) const {
    return finish(indent, value, [&](std::size_t k) { return offset(k, 0, kept()); });
}

std::string ReductionCudaText::finish(
    std::string_view indent,
    std::string_view value,
    const std::function<std::string(std::size_t)>& kept_offset) const {
    return text_.finish(indent, "kgen_kept_output", value, [&](std::size_t k) {
        return pointer(k, fmt::format("(char*){}", cuda_.data(k)), kept_offset(k));
    });
}

bool ReductionCudaText::adds_narrow() const {
    return text_.is_plain_sum() && text_.has_integer_accumulator();
}

}  // namespace kgen
