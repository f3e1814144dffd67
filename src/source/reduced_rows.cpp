// SPDX-License-Identifier: MIT
//
// Rows: a team of threads folds each output; its rows are cut into slots of vectors.
#include <fmt/format.h>

#include <embedded/reduced_rows_cu_in.hpp>

#include "source/piece_text.hpp"
#include "source/reduction_cuda_text.hpp"
#include "source/reduction_source.hpp"

namespace kgen {

namespace {

class ReducedRows {
public:
    explicit ReducedRows(const ReductionText& text)
        : text_(text), cuda_(text), baked_(text.baked()) {}

    // Which output and which part of it, and the thread's number in its team.
    std::string team() const {
        if (!baked_.block_team) {
            return "    const int kgen_team = kgen_teams.kgen_team;\n"
                   "    const int kgen_in_team = kgen_thread() & (kgen_team - 1);\n"
                   "    const long long kgen_output =\n"
                   "        ((long long)kgen_block() * kgen_block_size() + kgen_thread()) >> (31 - "
                   "__clz(kgen_team));\n" +
                   whole_output();
        }
        // A block's threads are known, so that their accesses lie at known distances.
        std::string text = fmt::format(
            "    const int kgen_team = {};\n"
            "    const int kgen_in_team = kgen_thread();\n",
            baked_.block_bound);
        if (!baked_.split)
            return text + "    const long long kgen_output = kgen_block();\n" + whole_output();
        return text + std::string(which_piece);
    }

    std::string kept() const { return kept_places(ReductionCudaText::Side::inputs); }

    std::string segment() const {
        const std::string indent(12, ' ');
        const int first = cuda_.kept();
        const int last = cuda_.inner();
        std::string text = cuda_.cuda().has_many_axes(first, last)
                               ? cuda_.walk_in_loop(indent,
                                                    "kgen_segment",
                                                    "kgen_segment",
                                                    first,
                                                    last,
                                                    false,
                                                    ReductionCudaText::Side::inputs)
                               : cuda_.divide(indent, "kgen_segment", first, last) +
                                     cuda_.places(indent, "kgen_segment", first, last, false);
        text += text_.for_inputs([&](std::size_t k) {
            return fmt::format("{}const char* const kgen_at_{} = (const char*){} + {} + {};\n",
                               indent,
                               text_.text().name(k),
                               cuda_.cuda().data(k),
                               kept_offset(k),
                               offset("kgen_segment", k, first, last));
        });
        text += text_.for_inputs([&](std::size_t k) {
            if (!is_uniform(k)) return std::string();
            return fmt::format("{}const {} {} = {};\n",
                               indent,
                               text_.text().type(k),
                               text_.text().value(k),
                               text_.text().load(k, cuda_.pointer(k, at(k), "0")));
        });
        if (!baked_.shifted) return text + indent + "const int kgen_shift = 0;\n";
        const std::size_t k = aligned_input();
        return text +
               fmt::format(
                   "{}const int kgen_shift = (int)((unsigned long long){} / sizeof({}) % {});\n",
                   indent,
                   at(k),
                   text_.text().type(k),
                   baked_.vector);
    }

    std::string slots() const {
        if (!baked_.split)
            return "            const long long kgen_first_slot = 0, kgen_end_slot = kgen_slots;\n";
        return "            const long long kgen_first_slot = kgen_of_slots * "
               "kgen_teams.kgen_slots_each;\n"
               "            const long long kgen_end_slot = kgen_of_slots + 1 == "
               "kgen_teams.kgen_slot_pieces\n"
               "                ? kgen_slots : kgen_first_slot + kgen_teams.kgen_slots_each;\n";
    }

    // Of a team's slots each thread takes every kgen_lanes-th, several at once: their loads, then their folds.
    std::string whole_slots() const {
        const std::string indent(12, ' ');
        std::string text = text_.for_inputs([&](std::size_t k) {
            if (is_uniform(k)) return std::string();
            return fmt::format(
                "{0}const char* kgen_next_{1} = {2} + (kgen_slot * {3} - kgen_shift) * {4};\n"
                "{0}const long long kgen_hop_{1} = (long long)kgen_lanes * {3} * {4};\n",
                indent,
                text_.text().name(k),
                at(k),
                baked_.vector,
                element_bytes(k));
        });
        if (!has_known_lanes() || baked_.unroll == 1)
            return text + slot_loop("kgen_slot", baked_.unroll, baked_.unroll > 1);
        // All of a thread's slots are there in a whole tile; what is left is one more tile, or goes slot by slot
        // where that would make too many copies of the texts, or take too many registers.
        const bool short_rest =
            baked_.unroll * baked_.vector <= 16 && text_.accumulator_symbol().empty();
        return text +
               slot_loop(fmt::format("kgen_slot + {} * kgen_lanes", baked_.unroll - 1),
                         baked_.unroll,
                         false) +
               slot_loop("kgen_slot", short_rest ? baked_.unroll : 1, short_rest);
    }

    // Elements before the first whole slot and behind the last one.
    std::string edges() const {
        if (baked_.vector == 1) return "";
        const std::string indent(16, ' ');
        std::string text = fmt::format(
            "            const long long kgen_head = kgen_first_slot > 0 || kgen_shift == 0 ? 0\n"
            "                : kgen_whole > 0 ? {0} - kgen_shift : kgen_teams.kgen_row;\n"
            "            const long long kgen_tail = kgen_whole > 0 || kgen_shift == 0\n"
            "                ? kgen_whole * {0} - kgen_shift : kgen_teams.kgen_row;\n"
            "            const long long kgen_cut = kgen_head + (kgen_end_slot == kgen_slots ? "
            "kgen_teams.kgen_row - kgen_tail : 0);\n"
            "{2}            for (long long kgen_k = kgen_lane; kgen_k < kgen_cut; kgen_k += "
            "kgen_lanes) {{\n"
            "{1}const long long kgen_first = kgen_k < kgen_head ? kgen_k : kgen_k - kgen_head + "
            "kgen_tail;\n",
            baked_.vector,
            indent,
            is_compact() ? "#pragma unroll 1\n" : "");
        text += text_.for_inputs([&](std::size_t k) {
            if (is_uniform(k)) return std::string();
            return fmt::format(
                "{}const {} kgen_cut_{} = {};\n",
                indent,
                text_.text().type(k),
                text_.text().name(k),
                text_.text().load(k, cuda_.pointer(k, at(k), "kgen_first * " + step(k))));
        });
        text += fmt::format(
            "{}kgen_sums[0].kgen_add(kgen_accumulator(kgen_value({})), kgen_reduce);\n",
            indent,
            text_.element(cuda_.place("kgen_segment", "kgen_first", cuda_.inner()).view(),
                          [&](std::size_t k) {
                              return is_uniform(k) ? text_.text().value(k)
                                                   : "kgen_cut_" + text_.text().name(k);
                          }));
        return text + "            }\n";
    }

    std::string together() const {
        // A loop for each half: NVRTC does not unroll one over halves, and accumulators that a loop indexes
        // are not in registers.
        std::string text;
        for (int part = 2; part <= baked_.vector; part *= 2) {
            text += fmt::format(
                "#pragma unroll\n"
                "    for (int kgen_e = 0; kgen_e < kgen_ways / {0}; ++kgen_e)\n"
                "        kgen_merge(kgen_sums[kgen_e], kgen_sums[kgen_e + kgen_ways / {0}], "
                "kgen_reduce);\n",
                part);
        }
        if (!baked_.block_team)
            return text + "    kgen_fold_lanes(kgen_sums[0], kgen_team, kgen_reduce);\n";
        return baked_.split && is_compact() ? text : text + fold_block("    ", "kgen_sums");
    }

    std::string finish() const {
        if (!baked_.block_team)
            return "    if (kgen_in_team == 0 && kgen_output < kgen_p.kgen_count) {\n" +
                   store("kgen_sums") + "    }\n";
        const std::string by_one = "    if (kgen_thread() == 0) {\n";
        if (!baked_.split) return by_one + store("kgen_sums") + "    }\n";
        const std::string head =
            "    // The block that comes last folds what all have left, in the order of the "
            "pieces.\n"
            "    kgen_slot<kgen_accumulator>* const kgen_left = "
            "(kgen_slot<kgen_accumulator>*)kgen_p.kgen_partials + kgen_output * kgen_pieces;\n";
        if (!is_compact()) {
            return head + leave_piece("    ") + "    kgen_folded kgen_all[1];\n" +
                   fold_left("    ", "kgen_all") + fold_block("    ", "kgen_all") + by_one +
                   store("kgen_all") + "    }\n";
        }
        // A loop, so that there is one copy of the block's fold.
        return head +
               "#pragma unroll 1\n"
               "    for (bool kgen_is_over = false;; kgen_is_over = true) {\n" +
               fold_block("        ", "kgen_sums") + "        if (kgen_is_over) break;\n" +
               leave_piece("        ") + "        kgen_sums[0] = kgen_folded();\n" +
               fold_left("        ", "kgen_sums") + "    }\n" + by_one + store("kgen_sums") +
               "    }\n";
    }

    std::string lanes() const {
        return has_known_lanes() ? std::to_string(baked_.block_bound) : "kgen_teams.kgen_lanes";
    }
    std::string start() const { return cuda_.start("    ", "kgen_sums", "kgen_ways"); }

private:
    // Of the output: where its kept axes lead.
    std::string kept_places(ReductionCudaText::Side side) const {
        const std::string indent(8, ' ');
        if (cuda_.cuda().has_many_axes(0, cuda_.kept()))
            return cuda_.walk_in_loop(
                indent, "kgen_kept", "kgen_output", 0, cuda_.kept(), true, side);
        return cuda_.divide(indent, "kgen_output", 0, cuda_.kept()) +
               cuda_.places(indent, "kgen_kept", 0, cuda_.kept(), true);
    }
    std::string offset(std::string_view prefix, std::size_t k, int first, int last) const {
        return cuda_.cuda().has_many_axes(first, last)
                   ? ReductionCudaText::walked_offset(prefix, text_.text().name(k))
                   : cuda_.offset(k, first, last);
    }
    std::string kept_offset(std::size_t k) const { return offset("kgen_kept", k, 0, cuda_.kept()); }
    // Whether little text counts more than what the compiler makes of it: accumulators that are structs
    // take their time to compile, however short the rest. For others these forms cost up to 14 % of the
    // speed (sums of uint8, of two inputs; measured on an H200), as less is loaded ahead.
    bool is_compact() const { return baked_.block_team && !text_.accumulator_symbol().empty(); }
    std::string fold_block(std::string_view indent, std::string_view folds) const {
        return fmt::format("{}kgen_fold_block<{}>({}[0], kgen_reduce);\n",
                           indent,
                           is_compact() ? baked_.block_bound : 0,
                           folds);
    }
    std::string fold_left(std::string_view indent, std::string_view folds) const {
        return cuda_.start(indent, folds, "1") +
               fmt::format(
                   "{}kgen_fold_partials({}[0], kgen_left, kgen_thread(), kgen_pieces, "
                   "kgen_block_size(), 1, kgen_reduce);\n",
                   indent,
                   folds);
    }
    std::string store(std::string_view folds) const {
        return kept_places(ReductionCudaText::Side::outputs) +
               cuda_.finish("        ",
                            fmt::format("{}[0].kgen_at.kgen_value", folds),
                            [&](std::size_t k) { return kept_offset(k); });
    }
    static std::string whole_output() {
        return "    const long long kgen_first_segment = 0, kgen_end_segment = "
               "kgen_teams.kgen_segments;\n";
    }
    // A block folds one segment at a time.
    bool has_known_lanes() const { return baked_.block_team && baked_.rank <= baked_.kept + 1; }
    bool is_uniform(std::size_t k) const { return cuda_.cuda().access(k) == Access::uniform; }
    std::string at(std::size_t k) const { return "kgen_at_" + text_.text().name(k); }
    std::string step(std::size_t k) const {
        return baked_.rank > 0 ? cuda_.cuda().stride(k, cuda_.inner()) : "0";
    }
    // The first input that is read by vectors: all of these are aligned alike.
    std::size_t aligned_input() const {
        std::size_t k = 0;
        while (!text_.text().is_array(k) || cuda_.cuda().access(k) != Access::vector) ++k;
        return k;
    }
    // Bytes from an element of a row to the next.
    std::string element_bytes(std::size_t k) const {
        if (cuda_.cuda().access(k) != Access::elements)
            return fmt::format("(int)sizeof({})", text_.text().type(k));
        return step(k);
    }

    // While the slot `last` is there: `count` slots, each of them if it is there where they are `guarded`.
    std::string slot_loop(std::string_view last, int count, bool guarded) const {
        const std::string indent(16, ' ');
        const auto each = [&](const std::string& lines) {
            if (lines.empty()) return lines;
            return fmt::format(
                "#pragma unroll\n{0}for (int kgen_u = 0; kgen_u < {1}; ++kgen_u) {{\n{2}{3}{0}}}\n",
                indent,
                count,
                guarded
                    ? indent + "    if (kgen_slot + kgen_u * kgen_lanes >= kgen_last) continue;\n"
                    : "",
                lines);
        };
        std::string text = fmt::format(
            "#pragma unroll 1\n            for (; {} < kgen_last; kgen_slot += {} * kgen_lanes) "
            "{{\n",
            last,
            count);
        text += text_.for_inputs([&](std::size_t k) {
            if (is_uniform(k)) return std::string();
            return fmt::format("{}{} {}[{}];\n",
                               indent,
                               cuda_.cuda().vector_type(k),
                               text_.text().value(k),
                               count);
        });
        text += each(loads()) + each(folds());
        text += text_.for_inputs([&](std::size_t k) {
            if (is_uniform(k)) return std::string();
            return fmt::format(
                "{0}kgen_next_{1} += {2} * kgen_hop_{1};\n", indent, text_.text().name(k), count);
        });
        return text + "            }\n";
    }

    std::string loads() const {
        const std::string indent(20, ' ');
        return text_.for_inputs([&](std::size_t k) {
            if (is_uniform(k)) return std::string();
            const std::string value = text_.text().value(k);
            const std::string from =
                fmt::format("kgen_next_{0} + kgen_u * kgen_hop_{0}", text_.text().name(k));
            if (cuda_.cuda().access(k) == Access::vector)
                return fmt::format("{}{}[kgen_u] = {};\n",
                                   indent,
                                   value,
                                   text_.text().load(k, cuda_.cuda().as_vectors(k, from)));
            return fmt::format(
                "#pragma unroll\n{0}for (int kgen_e = 0; kgen_e < {1}; ++kgen_e)\n"
                "{0}    {2}[kgen_u].kgen_at[kgen_e] = {3};\n",
                indent,
                baked_.vector,
                value,
                text_.text().load(k, cuda_.pointer(k, from, "kgen_e * " + element_bytes(k))));
        });
    }

    std::string folds() const {
        const std::string indent(20, ' ');
        const std::string element = text_.element(
            cuda_.place("kgen_slot", "kgen_e", cuda_.inner()).view(), [&](std::size_t k) {
                return is_uniform(k) ? text_.text().value(k)
                                     : text_.text().value(k) + "[kgen_u].kgen_at[kgen_e]";
            });
        const std::string places = cuda_.moved(
            indent,
            "kgen_slot",
            "kgen_segment",
            fmt::format("((kgen_slot + kgen_u * kgen_lanes) * {} - kgen_shift)", baked_.vector));
        const std::string loop =
            fmt::format("#pragma unroll\n{}for (int kgen_e = 0; kgen_e < {}; ++kgen_e) ",
                        indent,
                        baked_.vector);
        const std::string plain =
            loop + fmt::format(
                       "kgen_sums[kgen_e % kgen_ways].kgen_add(kgen_accumulator(kgen_value({})), "
                       "kgen_reduce);\n",
                       element);
        if (!cuda_.adds_narrow() || baked_.vector == 1) return places + plain;
        // So few narrow integers have a sum that is an int: half the instructions.
        return places + fmt::format(
                            "{0}const int kgen_e = 0;\n"
                            "{0}if (kgen_is_narrow<decltype({1})>::value) {{\n"
                            "{0}int kgen_sum = 0;\n"
                            "{2}kgen_sum += (int)({1});\n"
                            "{0}kgen_sums[0].kgen_add(kgen_accumulator(kgen_value(kgen_sum)), "
                            "kgen_reduce);\n"
                            "{0}}} else {{\n"
                            "{3}"
                            "{0}}}\n",
                            indent,
                            element,
                            loop,
                            plain);
    }

    const ReductionText& text_;
    ReductionCudaText cuda_;
    const Baked& baked_;
};

}  // namespace

std::string_view fill_reduced_rows(const ReductionText& text, Slots& slots) {
    const ReducedRows rows(text);
    slots["team"] = {rows.team()};
    slots["lanes"] = {rows.lanes()};
    slots["start"] = {rows.start()};
    slots["kept"] = {rows.kept()};
    slots["segment"] = {rows.segment()};
    slots["slots"] = {rows.slots()};
    slots["whole_slots"] = {rows.whole_slots()};
    slots["edges"] = {rows.edges()};
    slots["together"] = {rows.together()};
    slots["finish"] = {rows.finish()};
    return embedded::reduced_rows_cu_in;
}

}  // namespace kgen
