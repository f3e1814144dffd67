// SPDX-License-Identifier: MIT
//
// Columns: a thread folds Baked::vector columns of its own, down the rows. Where columns are wide, a row is
// several rows of the walk, and a thread's columns come again after as many elements as the walk has.
#include <fmt/format.h>

#include <embedded/reduced_columns_cu_in.hpp>

#include "source/reduction_cuda_text.hpp"
#include "source/reduction_source.hpp"

namespace kgen {

namespace {

class ReducedColumns {
public:
    explicit ReducedColumns(const ReductionText& text)
        : text_(text), cuda_(text), baked_(text.baked()), column_axis_(baked_.kept - 1) {
        text_.for_inputs([&](std::size_t k) {
            if (is_vector(k)) has_vectors_ = true;
            if (!is_vector(k)) has_others_ = true;
            return std::string();
        });
        const bool counts = baked_.counted || baked_.counts_reduced || baked_.counts_outputs;
        needs_places_ = has_others_ || counts;
    }

    std::string piece() const {
        if (!baked_.split)
            return "    const long long kgen_outer = kgen_rest;\n"
                   "    const long long kgen_first_row = 0, kgen_end_row = kgen_tiles.kgen_rows;\n";
        return "    const unsigned kgen_piece = kgen_rest % kgen_tiles.kgen_pieces;\n"
               "    const long long kgen_outer = kgen_rest / kgen_tiles.kgen_pieces;\n"
               "    const long long kgen_first_row = kgen_piece * kgen_tiles.kgen_rows_each;\n"
               "    const long long kgen_end_row = kgen_first_row + kgen_tiles.kgen_rows_each < "
               "kgen_tiles.kgen_rows\n"
               "        ? kgen_first_row + kgen_tiles.kgen_rows_each : kgen_tiles.kgen_rows;\n";
    }

    std::string start() const {
        return cuda_.start("    ", "kgen_sums", std::to_string(baked_.vector));
    }

    // Where the thread's columns are.
    std::string outer() const {
        const std::string indent(4, ' ');
        std::string text = cuda_.divide(indent, "kgen_outer", 0, column_axis_);
        text += cuda_.places(indent, "kgen_kept", 0, column_axis_, true);
        text += text_.for_inputs([&](std::size_t k) {
            return fmt::format("    const char* const kgen_from_{} = (const char*){} + {};\n",
                               text_.text().name(k),
                               cuda_.cuda().data(k),
                               cuda_.offset(k, 0, column_axis_));
        });
        return text + (baked_.wide ? wide_places() : places());
    }

    std::string rows() const {
        if (baked_.wide) return wide_rows();
        return fmt::format(
            "    for (long long kgen_j = kgen_first_row + kgen_thread() / kgen_tiles.kgen_across; "
            "kgen_j < "
            "kgen_end_row;\n"
            "         kgen_j += {0} * kgen_tiles.kgen_height) {{\n"
            "{1}"
            "    }}\n",
            baked_.unroll,
            tile("kgen_j + kgen_u * kgen_tiles.kgen_height", "kgen_row < kgen_end_row"));
    }

    std::string finish() const {
        const std::string each =
            "        const long long kgen_column = kgen_tile * kgen_period + kgen_thread() + "
            "kgen_k * "
            "(int)kgen_block_size();\n";
        const std::string last = [&] {
            const std::string indent(12, ' ');
            std::string text =
                fmt::format("{}const long long kgen_i{} = kgen_column;\n", indent, column_axis_);
            text += cuda_.places(indent, "kgen_kept", 0, cuda_.kept(), true);
            return text + cuda_.finish(indent, "kgen_sums[kgen_k].kgen_at.kgen_value");
        }();
        const std::string write = fmt::format(
            "#pragma unroll\n"
            "    for (int kgen_k = 0; kgen_k < {0}; ++kgen_k) {{\n"
            "{1}"
            "        if (kgen_k * (int)kgen_block_size() + (int)kgen_thread() < kgen_period && "
            "kgen_column < "
            "kgen_tiles.kgen_columns) {{\n"
            "{2}"
            "        }}\n"
            "    }}\n",
            baked_.split ? 1 : baked_.vector,
            each,
            last);
        if (!baked_.split) return write;
        return fmt::format(
                   "    // The block that comes last folds what all have left, in the order of the "
                   "pieces.\n"
                   "    const long long kgen_group = kgen_outer * kgen_tiles.kgen_tiles + "
                   "kgen_tile;\n"
                   "    kgen_slot<kgen_accumulator>* const kgen_left = "
                   "(kgen_slot<kgen_accumulator>*)kgen_p.kgen_partials\n"
                   "        + kgen_group * kgen_tiles.kgen_pieces * kgen_period;\n"
                   "#pragma unroll\n"
                   "    for (int kgen_k = 0; kgen_k < {0}; ++kgen_k) {{\n"
                   "        const int kgen_at = kgen_thread() + kgen_k * kgen_block_size();\n"
                   "        if (kgen_at < kgen_period) kgen_left[kgen_piece * kgen_period + "
                   "kgen_at] = "
                   "kgen_sums[kgen_k].kgen_at;\n"
                   "    }}\n"
                   "    __threadfence();\n"
                   "    if (!kgen_is_last(kgen_p.kgen_counters + kgen_group, "
                   "kgen_tiles.kgen_pieces)) return;\n"
                   "    // A block has a thread for each of its columns at least.\n"
                   "    const int kgen_copies = kgen_block_size() / kgen_period;\n"
                   "    const int kgen_member = kgen_thread();\n"
                   "    kgen_folded kgen_all[1];\n"
                   "{1}"
                   "    if (kgen_member < kgen_copies * kgen_period)\n"
                   "        kgen_fold_partials(kgen_all[0], kgen_left + kgen_member % kgen_period, "
                   "kgen_member / "
                   "kgen_period,\n"
                   "                           kgen_tiles.kgen_pieces, kgen_copies, kgen_period, "
                   "kgen_reduce);\n"
                   "    const auto kgen_own = [&](int) {{ return kgen_member < kgen_copies * "
                   "kgen_period ? "
                   "kgen_member : -1; }};\n"
                   "    kgen_fold_columns<{2}>(kgen_all, 1, kgen_copies * kgen_period, "
                   "kgen_period, kgen_own, "
                   "kgen_reduce);\n"
                   "    kgen_sums[0] = kgen_all[0];\n",
                   baked_.vector,
                   cuda_.start("    ", "kgen_all", "1"),
                   baked_.block_bound) +
               write;
    }

private:
    bool is_vector(std::size_t k) const { return cuda_.cuda().access(k) == Access::vector; }
    bool is_uniform(std::size_t k) const {
        return cuda_.cuda().access(k) == Access::uniform && !baked_.wide;
    }
    std::string from(std::size_t k) const { return "kgen_from_" + text_.text().name(k); }
    std::string column_stride(std::size_t k) const { return cuda_.cuda().stride(k, column_axis_); }

    // Without whole vectors neighbours are neighbouring threads, whose accesses then are whole lines.
    std::string places() const {
        const std::string_view local = has_vectors_
                                           ? "kgen_across * {0} + kgen_e"
                                           : "kgen_across + kgen_e * kgen_tiles.kgen_across";
        return fmt::format(
            "    const int kgen_across = kgen_thread() % kgen_tiles.kgen_across;\n"
            "    const int kgen_total = kgen_tiles.kgen_height * kgen_period;\n"
            "    const auto kgen_place = [&](int kgen_e) {{\n"
            "        return kgen_thread() / kgen_tiles.kgen_across * kgen_period + {1};\n"
            "    }};\n"
            "    // Columns behind the last one are read as the last one, and never written.\n"
            "    long long kgen_columns[{0}];\n"
            "#pragma unroll\n"
            "    for (int kgen_e = 0; kgen_e < {0}; ++kgen_e) {{\n"
            "        const long long kgen_column = kgen_tile * kgen_period + {1};\n"
            "        kgen_columns[kgen_e] = kgen_column < kgen_tiles.kgen_columns ? kgen_column : "
            "{2};\n"
            "    }}\n",
            baked_.vector,
            fmt::format(fmt::runtime(local), baked_.vector),
            has_vectors_ ? fmt::format("kgen_tiles.kgen_columns - {} + kgen_e", baked_.vector)
                         : "kgen_tiles.kgen_columns - 1");
    }

    std::string wide_places() const {
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

    // kgen_at_NAME: where the row of a thread's access lies.
    std::string row_places(const std::string& indent) const {
        const int first = cuda_.kept();
        std::string text = cuda_.divide(indent, "kgen_row", first, baked_.rank);
        text += cuda_.places(indent, "kgen_row", first, baked_.rank, false);
        return text + text_.for_inputs([&](std::size_t k) {
            return fmt::format("{}const char* const kgen_at_{} = {} + {};\n",
                               indent,
                               text_.text().name(k),
                               from(k),
                               cuda_.offset(k, first, baked_.rank));
        });
    }

    std::string load(std::size_t k, const std::string& indent) const {
        const std::string value = text_.text().value(k) + "[kgen_u]";
        const std::string at = "kgen_at_" + text_.text().name(k);
        if (is_uniform(k))
            return fmt::format(
                "{}{} = {};\n", indent, value, text_.text().load(k, cuda_.pointer(k, at, "0")));
        if (is_vector(k))
            return fmt::format(
                "{}{} = {};\n",
                indent,
                value,
                text_.text().load(
                    k,
                    cuda_.cuda().as_vectors(
                        k,
                        fmt::format(
                            "({} + kgen_columns[0] * sizeof({}))", at, text_.text().type(k)))));
        return fmt::format(
            "#pragma unroll\n{0}for (int kgen_e = 0; kgen_e < {1}; ++kgen_e)\n"
            "{0}    {2}.kgen_at[kgen_e] = {3};\n",
            indent,
            baked_.vector,
            value,
            text_.text().load(k,
                              cuda_.pointer(k, at, "kgen_columns[kgen_e] * " + column_stride(k))));
    }

    std::string declared(const std::string& indent) const {
        return text_.for_inputs([&](std::size_t k) {
            return fmt::format("{}{} {}[{}];\n",
                               indent,
                               is_uniform(k) ? text_.text().type(k) : cuda_.cuda().vector_type(k),
                               text_.text().value(k),
                               baked_.unroll);
        });
    }

    std::string fold(const std::string& indent, std::string_view prefix) const {
        const std::string element = text_.element(
            cuda_.place(prefix, "kgen_columns[kgen_e]", column_axis_).view(), [&](std::size_t k) {
                return text_.text().value(k) +
                       (is_uniform(k) ? "[kgen_u]" : "[kgen_u].kgen_at[kgen_e]");
            });
        return fmt::format(
            "#pragma unroll\n{0}for (int kgen_e = 0; kgen_e < {1}; ++kgen_e)\n"
            "{0}    kgen_sums[kgen_e].kgen_add(kgen_accumulator(kgen_value({2})), "
            "kgen_reduce);\n",
            indent,
            baked_.vector,
            element);
    }

    // Loads of all of a thread's rows that are there, then their folds.
    std::string tile(std::string_view row, std::string_view is_there) const {
        const std::string indent(16, ' ');
        const auto each = [&](const std::string& lines) {
            return fmt::format(
                "#pragma unroll\n"
                "        for (int kgen_u = 0; kgen_u < {0}; ++kgen_u) {{\n"
                "            const long long kgen_row = {1};\n"
                "            if ({2}) {{\n"
                "{3}"
                "            }}\n"
                "        }}\n",
                baked_.unroll,
                row,
                is_there,
                lines);
        };
        const bool any = !text_.for_inputs([](std::size_t) { return std::string("x"); }).empty();
        const std::string loads = text_.for_inputs([&](std::size_t k) { return load(k, indent); });
        const std::string places =
            cuda_.divide(indent, "kgen_row", cuda_.kept(), baked_.rank) +
            cuda_.places(indent, "kgen_row", cuda_.kept(), baked_.rank, false);
        return declared("        ") + (any ? each(row_places(indent) + loads) : "") +
               each(places + fold(indent, "kgen_row"));
    }

    // Wide rows: dense inputs by vectors from one end to the other, whatever row an element is of.
    std::string wide_rows() const {
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
                return fmt::format(
                    "{}{}[kgen_u] = {};\n",
                    indent,
                    text_.text().value(k),
                    text_.text().load(
                        k,
                        cuda_.cuda().as_vectors(
                            k,
                            fmt::format(
                                "({} + kgen_flat * sizeof({}))", from(k), text_.text().type(k)))));
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

    const ReductionText& text_;
    ReductionCudaText cuda_;
    const Baked& baked_;
    int column_axis_;
    bool has_vectors_ = false;
    bool has_others_ = false;
    bool needs_places_ = false;
};

}  // namespace

std::string_view fill_reduced_columns(const ReductionText& text, Slots& slots) {
    const ReducedColumns columns(text);
    slots["piece"] = {columns.piece()};
    slots["start"] = {columns.start()};
    slots["outer"] = {columns.outer()};
    slots["rows"] = {columns.rows()};
    slots["finish"] = {columns.finish()};
    return embedded::reduced_columns_cu_in;
}

}  // namespace kgen
