// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "source/loops.hpp"
#include "source/reduction_operands.hpp"

namespace kgen {

namespace {

class ReducedColumnsOperands : ReductionOperands {
public:
    using ReductionOperands::ReductionOperands;

    void write(LoopText& loop) const {
        const bool counts = baked_.counted || baked_.counts_reduced || baked_.counts_outputs;
        const bool loads_elements = any([&](std::size_t k) { return !is_vector(k); });
        const auto neighbours = [&](std::size_t k) { return is_vector(k) || is_words(k); };
        write_types(loop);
        loop.constant("kgen_unroll", choice_.accesses);
        loop.constant("kgen_wide", choice_.wide);
        loop.constant("kgen_counts", counts);
        loop.constant("kgen_has_vectors", any(neighbours));
        loop.constant("kgen_loads_elements", loads_elements);
        loop.constant("kgen_needs_places", counts || loads_elements);
        loop.member(cuda_.places(0, baked_.rank));
        loop.member(members(kept_inputs()) + members(row_inputs()));
        loop.values("kgen_values", statements([&](std::size_t k) {
                        return (is_uniform(k) ? kernel_.type(k) : cuda_.vector_type(k)) + " " +
                               kernel_.value(k) +
                               (is_words(k) ? fmt::format("; kgen_around<{}, {}> kgen_around_{}",
                                                          kernel_.type(k),
                                                          baked_.vector,
                                                          kernel_.name(k))
                                            : "");
                    }));
        loop.method("kgen_find(long long kgen_outer)",
                    walk(kept_inputs(), "kgen_outer", 0, column_axis()));
        loop.method("kgen_find_row(long long kgen_row)",
                    cuda_.divide("        ", "kgen_row", baked_.kept, baked_.rank) +
                        moved(row_inputs(), baked_.kept, baked_.rank));
        if (choice_.wide)
            write_wide(loop);
        else
            write_loads(loop);
        loop.calling(
            "auto",
            "kgen_call(const kgen_values& kgen_v, int kgen_e, long long kgen_column) const",
            call([&](std::size_t k) {
                return "kgen_v." + kernel_.value(k) + (is_uniform(k) ? "" : ".kgen_at[kgen_e]");
            }));
        // The places along the other kept axes are those that kgen_find computed.
        write_finish(loop, "kgen_column", moved(outputs(), 0, baked_.kept, [&](int axis) {
                         return axis == column_axis() ? "kgen_column"
                                                      : fmt::format("kgen_i{}", axis);
                     }));
    }

private:
    int column_axis() const { return baked_.kept - 1; }
    bool is_vector(std::size_t k) const { return cuda_.access(k) == Access::vector; }
    bool is_words(std::size_t k) const { return cuda_.access(k) == Access::words; }
    bool is_uniform(std::size_t k) const {
        return cuda_.access(k) == Access::uniform && !choice_.wide;
    }
    bool any(const std::function<bool(std::size_t)>& is_one) const {
        return !text_.for_inputs([&](std::size_t k) { return is_one(k) ? "x" : ""; }).empty();
    }

    // Returns a pointer to an element of the row that kgen_find found.
    std::string element(std::size_t k, std::string_view column) const {
        return fmt::format("(const {}*)(kgen_at_{} + {} * {})",
                           kernel_.type(k),
                           kernel_.name(k),
                           column,
                           cuda_.stride(k, column_axis()));
    }
    std::string call(const std::function<std::string(std::size_t)>& argument) const {
        return fmt::format(
            "        return {};\n",
            text_.element(place("kgen_place_at", "kgen_column", column_axis()).view(), argument));
    }

    void write_loads(LoopText& loop) const {
        loop.method("kgen_load_values(kgen_values& kgen_v, const long long* kgen_columns)",
                    text_.for_inputs([&](std::size_t k) {
                        if (is_uniform(k))
                            return fmt::format("        kgen_v.{} = {};\n",
                                               kernel_.value(k),
                                               kernel_.load(k,
                                                            fmt::format("(const {}*)kgen_at_{}",
                                                                        kernel_.type(k),
                                                                        kernel_.name(k))));
                        if (is_vector(k)) return cuda_.load_value(k, "        ", first_of(k), "");
                        if (is_words(k))
                            return fmt::format(
                                "        kgen_load_around<{0}>(kgen_v.kgen_around_{1}, {2}, {3}, "
                                "{4});\n",
                                baked_.operands[k].loads == Loads::read_only,
                                kernel_.name(k),
                                first_of(k),
                                reach(k, 0),
                                reach(k, 1));
                        return fmt::format(
                            "#pragma unroll\n        for (int kgen_e = 0; kgen_e < {}; ++kgen_e) "
                            "kgen_v.{}.kgen_at[kgen_e] = {};\n",
                            baked_.vector,
                            kernel_.value(k),
                            kernel_.load(k, element(k, "kgen_columns[kgen_e]")));
                    }));
        // Makes the vectors of arrays that are read by words.
        loop.method(
            "kgen_fit_values(kgen_values& kgen_v, long long kgen_row, const long long* "
            "kgen_columns)",
            text_.for_inputs([&](std::size_t k) {
                if (!is_words(k)) return std::string();
                return fmt::format(
                    "        kgen_v.{} = kgen_fit(kgen_v.kgen_around_{}, [&] {{ "
                    "kgen_find_row(kgen_row); return {}; }}, {});\n",
                    kernel_.value(k),
                    kernel_.name(k),
                    first_of(k),
                    reach(k, 1));
            }));
    }
    // Returns a pointer to the first of a thread's columns in the row that kgen_find_row found.
    std::string first_of(std::size_t k) const {
        return fmt::format("(const {0}*)(kgen_at_{1} + kgen_columns[0] * sizeof({0}))",
                           kernel_.type(k),
                           kernel_.name(k));
    }
    // Returns the end of the array's bytes: 0 for the lowest, 1 for the highest.
    std::string reach(std::size_t k, int end) const {
        return fmt::format(
            "(const char*){} + kgen_p.kgen_reach_{}[{}]", cuda_.data(k), kernel_.name(k), end);
    }

    void write_wide(LoopText& loop) const {
        const auto flat = [&](std::size_t k) {
            return fmt::format(
                "((const char*)kgen_p.kgen_data_{0} + kgen_kept_{0} + kgen_flat * sizeof({1}))",
                kernel_.name(k),
                kernel_.type(k));
        };
        loop.method("kgen_load_wide(kgen_values& kgen_v, long long kgen_flat)",
                    text_.for_inputs([&](std::size_t k) {
                        return is_vector(k) ? cuda_.load_value(k, "        ", flat(k), "") : "";
                    }));
        loop.method("kgen_load_element(kgen_values& kgen_v, int kgen_e, long long kgen_column)",
                    statements([&](std::size_t k) {
                        if (is_vector(k)) return std::string();
                        return fmt::format("kgen_v.{}.kgen_at[kgen_e] = {}",
                                           kernel_.value(k),
                                           kernel_.load(k, element(k, "kgen_column")));
                    }));
        loop.calling("auto",
                     "kgen_compute(long long kgen_flat, long long kgen_column) const",
                     call([&](std::size_t k) {
                         return kernel_.load(
                             k,
                             is_vector(k) ? fmt::format("(const {}*){}", kernel_.type(k), flat(k))
                                          : element(k, "kgen_column"));
                     }));
    }

    const ReducedColumnsChoice& choice_ = baked_.as<ReducedColumnsChoice>();
};

}  // namespace

void write_reduced_columns_operands(const ReductionText& text, LoopText& loop) {
    ReducedColumnsOperands(text).write(loop);
}

}  // namespace kgen
