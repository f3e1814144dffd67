// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "source/loops.hpp"
#include "source/reduction_operands.hpp"

namespace kgen {

namespace {

class ReducedRowsOperands : ReductionOperands {
public:
    using ReductionOperands::ReductionOperands;

    void write(LoopText& loop) const {
        write_constants(loop);
        loop.member(places(0, baked_.kept) + places(baked_.kept, inner()));
        loop.member(members(kept_inputs()) + members(row_inputs()));
        loop.member(text_.for_inputs([&](std::size_t k) {
            if (is_uniform(k))
                return fmt::format("    {} {};\n", kernel_.type(k), kernel_.value(k));
            return fmt::format("    const char* kgen_next_{0};\n    long long kgen_hop_{0};\n",
                               kernel_.name(k));
        }));
        loop.values("kgen_values", statements([&](std::size_t k) {
                        return is_uniform(k) ? "" : cuda_.vector_type(k) + " " + kernel_.value(k);
                    }));
        loop.method("kgen_find(long long kgen_output)",
                    walk(kept_inputs(), "kgen_output", 0, baked_.kept));
        loop.function("int", "kgen_begin(long long kgen_segment)", begin());
        loop.method("kgen_place(long long kgen_first, int kgen_lanes)",
                    text_.for_inputs([&](std::size_t k) {
                        if (is_uniform(k)) return std::string();
                        return fmt::format(
                            "        kgen_next_{0} = kgen_at_{0} + kgen_first * {1};\n"
                            "        kgen_hop_{0} = (long long)kgen_lanes * {2} * {1};\n",
                            kernel_.name(k),
                            element_bytes(k),
                            baked_.vector);
                    }));
        loop.method("kgen_load_values(kgen_values& kgen_v, int kgen_u)",
                    text_.for_inputs([&](std::size_t k) {
                        if (is_uniform(k)) return std::string();
                        const std::string from =
                            fmt::format("(kgen_next_{0} + kgen_u * kgen_hop_{0})", kernel_.name(k));
                        return cuda_.load_value(k, "        ", from, element_bytes(k));
                    }));
        // Called behind the loads of a step. What the map computes of these values alone would be moved before the loop, and the
        // loads would wait for it.
        loop.method("kgen_hold_back()", statements([&](std::size_t k) {
                        return is_uniform(k)
                                   ? fmt::format("{0} = kgen_held_back({0})", kernel_.value(k))
                                   : "";
                    }));
        loop.method("kgen_advance(int kgen_count)", statements([&](std::size_t k) {
                        if (is_uniform(k)) return std::string();
                        return fmt::format("kgen_next_{0} += kgen_count * kgen_hop_{0}",
                                           kernel_.name(k));
                    }));
        loop.calling("auto",
                     "kgen_call(const kgen_values& kgen_v, long long kgen_first, int kgen_e) const",
                     call("(kgen_first + kgen_e)",
                          kernel_.drawn_index("kgen_place_at_input + kgen_first", "kgen_e"),
                          [&](std::size_t k) { return cuda_.held(k); }));
        loop.values("kgen_elements", statements([&](std::size_t k) {
                        return is_uniform(k) ? "" : kernel_.type(k) + " " + kernel_.value(k);
                    }));
        loop.method(
            "kgen_load_elements(kgen_elements& kgen_v, long long kgen_k) const",
            statements([&](std::size_t k) {
                if (is_uniform(k)) return std::string();
                const std::string from = fmt::format(
                    "({}*)({} + kgen_k * {})", kernel_.const_type(k), at(k), element_bytes(k));
                return fmt::format("kgen_v.{} = {}", kernel_.value(k), kernel_.load(k, from));
            }));
        loop.calling("auto",
                     "kgen_call_elements(const kgen_elements& kgen_v, long long kgen_k) const",
                     call("kgen_k",
                          kernel_.drawn_index("kgen_place_at_input + kgen_k"),
                          [&](std::size_t k) { return "kgen_v." + kernel_.value(k); }));
        write_finish(loop, "kgen_output", walk(outputs(), "kgen_output", 0, baked_.kept));
    }

private:
    // Returns the members for the places along the axes [first, last), into which `walk` divides an index.
    // Empty if there are so many axes that `walk` stores no places.
    std::string places(int first, int last) const {
        return CudaText::has_many_axes(first, last) ? "" : cuda_.places(first, last);
    }

    void write_constants(LoopText& loop) const {
        write_types(loop);
        const bool has_own_accumulator = !text_.accumulator_symbol().empty();
        // With at most one reduced axis, all threads of a block fold the same segment, so the number of lanes
        // is the constant number of threads.
        const bool knows_lanes = choice_.block_team && baked_.rank <= baked_.kept + 1;
        loop.constant("kgen_unroll", choice_.accesses);
        loop.constant("kgen_block_team", choice_.block_team);
        write_adds_integers(loop);
        loop.constant("kgen_knows_lanes", knows_lanes);
        loop.constant("kgen_one_segment", baked_.rank <= baked_.kept + 1);
        loop.constant("kgen_ends_first", choice_.ends_first);
        loop.constant("kgen_guarded", choice_.guarded);
        loop.constant("kgen_short_rest",
                      choice_.accesses * baked_.vector <= 16 && !has_own_accumulator);
    }

    bool is_uniform(std::size_t k) const { return cuda_.access(k) == Access::uniform; }
    std::string at(std::size_t k) const { return "kgen_at_" + kernel_.name(k); }
    // Returns the distance in bytes between neighbouring elements of a row.
    std::string element_bytes(std::size_t k) const {
        if (cuda_.access(k) != Access::elements)
            return fmt::format("(int)sizeof({})", kernel_.type(k));
        return inner() < 0 ? "0" : cuda_.stride(k, inner());
    }

    std::string begin() const {
        std::string text =
            walk(row_inputs(), "kgen_segment", baked_.kept, std::max(inner(), baked_.kept)) +
            statements([&](std::size_t k) {
                if (!is_uniform(k)) return std::string();
                return fmt::format(
                    "{} = {}",
                    kernel_.value(k),
                    kernel_.load(k, fmt::format("(const {}*){}", kernel_.type(k), at(k))));
            });
        if (!choice_.shifted) return text + "        return 0;\n";
        // All inputs that are read by vectors have the same alignment, so the first one decides.
        std::size_t k = 0;
        while (!kernel_.is_array(k) || cuda_.access(k) != Access::vector) ++k;
        return text +
               fmt::format("        return (int)((unsigned long long){} / sizeof({}) % {});\n",
                           at(k),
                           kernel_.type(k),
                           baked_.vector);
    }

    // `drawn` is the index if elements share their random numbers.
    std::string call(std::string_view along,
                     const std::string& drawn,
                     const std::function<std::string(std::size_t)>& element) const {
        PlaceNames places = place("kgen_place_at", along, inner());
        if (kernel_.drawn_alignment() > 0) places.input = drawn;
        return fmt::format("        return {};\n", text_.element(places.view(), [&](std::size_t k) {
            return is_uniform(k) ? kernel_.value(k) : element(k);
        }));
    }

    const ReducedRowsChoice& choice_ = baked_.as<ReducedRowsChoice>();
};

}  // namespace

void write_reduced_rows_operands(const ReductionText& text, LoopText& loop) {
    ReducedRowsOperands(text).write(loop);
}

}  // namespace kgen
