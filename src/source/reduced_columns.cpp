// SPDX-License-Identifier: MIT
//
// Columns: a thread folds Baked::vector columns of its own, down the rows.
#include <fmt/format.h>

#include <embedded/reduced_columns_cu_in.hpp>

#include "source/column_text.hpp"
#include "source/reduction_source.hpp"

namespace kgen {

namespace {

class ReducedColumns : ColumnText {
public:
    using ColumnText::ColumnText;

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
        return text + (baked_.wide ? WideColumns(text_).places() : places());
    }

    std::string rows() const {
        if (baked_.wide) return WideColumns(text_).rows();
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
                   "    kgen_fold_columns<kgen_room_here::count, {2}>(kgen_folds, kgen_all, 1, "
                   "kgen_copies * "
                   "kgen_period, kgen_period,\n"
                   "        kgen_own, kgen_reduce);\n"
                   "    kgen_sums[0] = kgen_all[0];\n",
                   baked_.vector,
                   cuda_.start("    ", "kgen_all", "1"),
                   baked_.block_bound) +
               write;
    }

private:
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
