// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "source/column_text.hpp"

namespace kgen {

ColumnText::ColumnText(const ReductionText& text)
    : text_(text), cuda_(text), baked_(text.baked()), column_axis_(baked_.kept - 1) {
    text_.for_inputs([&](std::size_t k) {
        if (is_vector(k)) has_vectors_ = true;
        if (!is_vector(k)) needs_places_ = true;
        return std::string();
    });
    if (baked_.counted || baked_.counts_reduced || baked_.counts_outputs) needs_places_ = true;
}

std::string ColumnText::declared(const std::string& indent) const {
    return text_.for_inputs([&](std::size_t k) {
        return fmt::format("{}{} {}[{}];\n",
                           indent,
                           is_uniform(k) ? text_.text().type(k) : cuda_.cuda().vector_type(k),
                           text_.text().value(k),
                           baked_.unroll);
    });
}

std::string WideColumns::places() const {
    std::string text = fmt::format(
        "    const int kgen_total = kgen_tiles.kgen_across * {0};\n"
        "    const int kgen_first = kgen_thread() * {0};\n"
        "    const auto kgen_place = [&](int kgen_e) {{ return kgen_first < kgen_total ? "
        "kgen_first + kgen_e "
        ": -1; }};\n"
        "    const long long kgen_elements = kgen_p.kgen_reduced * kgen_period;\n",
        baked_.vector);
    if (!needs_places_) return text;
    return text + fmt::format(
                      "    int kgen_columns[{0}], kgen_down[{0}];\n"
                      "#pragma unroll\n"
                      "    for (int kgen_e = 0; kgen_e < {0}; ++kgen_e) {{\n"
                      "        kgen_columns[kgen_e] = (kgen_first + kgen_e) % kgen_period;\n"
                      "        kgen_down[kgen_e] = (kgen_first + kgen_e) / kgen_period;\n"
                      "    }}\n",
                      baked_.vector);
}

// Dense inputs by vectors from one end to the other, whatever row an element is of.
std::string WideColumns::rows() const {
    const std::string indent(16, ' ');
    const auto element_row = [&](const std::string& lines, const std::string& pad) {
        if (!needs_places_) return lines;
        // The reduced axis is the one that is not kept.
        return fmt::format(
                   "{}const long long kgen_i{} = kgen_wide * (kgen_total / kgen_period) + "
                   "kgen_down[kgen_e];\n",
                   pad,
                   cuda_.kept()) +
               cuda_.places(pad, "kgen_row", cuda_.kept(), baked_.rank, false) + lines;
    };
    const auto element_load = [&](std::size_t k) {
        return text_.text().load(
            k,
            cuda_.pointer(k,
                          from(k),
                          cuda_.offset(k, cuda_.kept(), baked_.rank) +
                              " + kgen_columns[kgen_e] * " + column_stride(k)));
    };
    const std::string loads = text_.for_inputs([&](std::size_t k) {
        if (is_vector(k))
            return fmt::format("{}{}[kgen_u] = {};\n",
                               indent,
                               text_.text().value(k),
                               text_.text().load(k,
                                                 cuda_.cuda().as_vectors(
                                                     k,
                                                     fmt::format("({} + kgen_flat * sizeof({}))",
                                                                 from(k),
                                                                 text_.text().type(k)))));
        return std::string();
    });
    std::string others = text_.for_inputs([&](std::size_t k) {
        if (is_vector(k)) return std::string();
        return fmt::format("{}    {}[kgen_u].kgen_at[kgen_e] = {};\n",
                           indent,
                           text_.text().value(k),
                           element_load(k));
    });
    if (!others.empty())
        others = fmt::format(
            "#pragma unroll\n{0}for (int kgen_e = 0; kgen_e < {1}; ++kgen_e) {{\n{2}{0}}}\n",
            indent,
            baked_.vector,
            element_row(others, indent + "    "));
    const std::string add =
        "kgen_sums[kgen_e].kgen_add(kgen_accumulator(kgen_value({})), kgen_reduce);\n";
    const auto element = [&](const std::function<std::string(std::size_t)>& argument) {
        return fmt::format(
            fmt::runtime(add),
            text_.element(cuda_.place("kgen_row", "kgen_columns[kgen_e]", column_axis_).view(),
                          argument));
    };
    const std::string folds = fmt::format(
        "#pragma unroll\n{0}for (int kgen_e = 0; kgen_e < {1}; ++kgen_e) {{\n{2}{0}}}\n",
        indent,
        baked_.vector,
        element_row(indent + "    " + element([&](std::size_t k) {
                        return text_.text().value(k) + "[kgen_u].kgen_at[kgen_e]";
                    }),
                    indent + "    "));
    const auto each = [&](const std::string& lines) {
        return fmt::format(
            "#pragma unroll\n"
            "        for (int kgen_u = 0; kgen_u < {0}; ++kgen_u) {{\n"
            "            const long long kgen_wide = kgen_j + kgen_u;\n"
            "            const long long kgen_flat = kgen_wide * kgen_total + kgen_first;\n"
            "            if (kgen_wide < kgen_end_row && kgen_first < kgen_total && kgen_flat "
            "+ {1} <= "
            "kgen_elements) {{\n"
            "{2}"
            "            }}\n"
            "        }}\n",
            baked_.unroll,
            baked_.vector,
            lines);
    };
    std::string cut = text_.for_inputs([&](std::size_t k) {
        const std::string pointer =
            is_vector(k)
                ? cuda_.pointer(
                      k, from(k), fmt::format("kgen_flat * sizeof({})", text_.text().type(k)))
                : std::string();
        return fmt::format("            const {} {} = {};\n",
                           text_.text().type(k),
                           text_.text().value(k),
                           is_vector(k) ? text_.text().load(k, pointer) : element_load(k));
    });
    cut += "            " + element([&](std::size_t k) { return text_.text().value(k); });
    return fmt::format(
               "    for (long long kgen_j = kgen_first_row; kgen_j < kgen_end_row; kgen_j += "
               "{}) {{\n{}{}{}    }}\n",
               baked_.unroll,
               declared("        "),
               each(loads + others),
               each(folds)) +
           fmt::format(
               "    // The vector that the last wide row cuts off.\n"
               "    const long long kgen_wide = kgen_tiles.kgen_rows - 1;\n"
               "    if (kgen_end_row == kgen_tiles.kgen_rows && kgen_first < kgen_total\n"
               "        && kgen_wide * kgen_total + kgen_first + {0} > kgen_elements) {{\n"
               "#pragma unroll\n"
               "        for (int kgen_e = 0; kgen_e < {0}; ++kgen_e) {{\n"
               "            const long long kgen_flat = kgen_wide * kgen_total + kgen_first + "
               "kgen_e;\n"
               "            if (kgen_flat >= kgen_elements) continue;\n"
               "{1}"
               "        }}\n"
               "    }}\n",
               baked_.vector,
               element_row(cut, "            "));
}

}  // namespace kgen
