// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <utility>

#include "source/loops.hpp"
#include "source/reduction_operands.hpp"

namespace kgen {

namespace {

class ReducedColumnsOperands : ReductionOperands {
public:
    using ReductionOperands::ReductionOperands;

    void write(LoopText& loop) const {
        const bool counts = baked_.counted || baked_.counts_reduced || baked_.counts_outputs;
        const bool loads_elements =
            any([&](std::size_t k) { return !is_vector(k) && !repeats(k); });
        const bool has_same = any([&](std::size_t k) { return repeats(k); });
        const auto neighbours = [&](std::size_t k) { return is_vector(k) || is_words(k); };
        write_types(loop);
        loop.constant("kgen_unroll", choice_.accesses);
        loop.constant("kgen_wide", choice_.wide);
        loop.constant("kgen_merged", choice_.merged);
        loop.constant("kgen_shifted", choice_.shifted);
        loop.constant("kgen_counts", counts);
        loop.constant("kgen_has_vectors", any(neighbours));
        loop.constant("kgen_loads_elements", loads_elements);
        loop.constant("kgen_has_same", has_same);
        loop.constant("kgen_needs_places", counts || loads_elements || has_same);
        loop.member(cuda_.places(0, baked_.rank));
        loop.member(members(kept_inputs()) + members(row_inputs()));
        loop.member(text_.for_inputs([&](std::size_t k) {
            return repeats(k) ? fmt::format("    {} {};\n", held_type(k), same(k)) : "";
        }));
        loop.values("kgen_values", statements([&](std::size_t k) {
                        if (repeats(k)) return std::string();
                        return held_type(k) + " " + kernel_.value(k) +
                               (is_words(k) ? fmt::format("; kgen_around<{}, {}> kgen_around_{}",
                                                          kernel_.type(k),
                                                          baked_.vector,
                                                          kernel_.name(k))
                                            : "");
                    }));
        loop.method("kgen_find(long long kgen_outer)", found_kept(baked_.kept - choice_.axes));
        loop.method("kgen_find_row(long long kgen_row)",
                    cuda_.divide("        ", "kgen_row", baked_.kept, baked_.rank) +
                        moved(row_inputs(), baked_.kept, baked_.rank));
        // Reads what all rows have alike in a column.
        loop.method("kgen_load_same(int kgen_e, long long kgen_column)",
                    statements([&](std::size_t k) {
                        if (!repeats(k)) return std::string();
                        const std::string from = fmt::format("(const {}*)({} + {})",
                                                             kernel_.type(k),
                                                             begin_of(k),
                                                             is_uniform(k) ? "0" : along(k));
                        return fmt::format("{}{} = {}",
                                           same(k),
                                           is_uniform(k) ? "" : ".kgen_at[kgen_e]",
                                           kernel_.load(k, from));
                    }));
        if (choice_.wide)
            write_wide(loop);
        else
            write_loads(loop);
        loop.calling(
            "auto",
            "kgen_call(const kgen_values& kgen_v, int kgen_e, long long kgen_column) const",
            call([&](std::size_t k) {
                return (repeats(k) ? same(k) : "kgen_v." + kernel_.value(k)) +
                       (is_uniform(k) ? "" : ".kgen_at[kgen_e]");
            }));
        // The places along the other kept axes are those that kgen_find computed.
        const auto place = [&](int axis) {
            return choice_.axes == 1 && axis == column_axis() ? "kgen_column"
                                                              : fmt::format("kgen_i{}", axis);
        };
        const std::string divided =
            choice_.axes == 1
                ? ""
                : cuda_.divide("        ", "kgen_column", baked_.kept - choice_.axes, baked_.kept);
        write_finish(loop, "kgen_column", divided + moved(outputs(), 0, baked_.kept, place));
    }

private:
    int column_axis() const { return baked_.kept - 1; }
    bool is_vector(std::size_t k) const { return cuda_.access(k) == Access::vector; }
    bool is_words(std::size_t k) const { return cuda_.access(k) == Access::words; }
    bool is_uniform(std::size_t k) const {
        return cuda_.access(k) == Access::uniform && !choice_.wide;
    }
    // Whether all rows have the same elements of the array. A thread reads them once.
    bool repeats(std::size_t k) const { return baked_.operands[k].repeats; }
    std::string same(std::size_t k) const { return "kgen_same_" + kernel_.name(k); }
    std::string held_type(std::size_t k) const {
        return is_uniform(k) ? kernel_.type(k) : cuda_.vector_type(k);
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
    // Returns the bytes from the first column to the column kgen_column.
    std::string along(std::size_t k) const {
        return "kgen_column * " + cuda_.stride(k, column_axis());
    }
    std::string call(const std::function<std::string(std::size_t)>& argument) const {
        return fmt::format(
            "        return {};\n",
            text_.element(place("kgen_place_at", "kgen_column", column_axis()).view(), argument));
    }

    void write_loads(LoopText& loop) const {
        loop.method("kgen_load_values(kgen_values& kgen_v, const long long* kgen_columns)",
                    text_.for_inputs([&](std::size_t k) {
                        if (repeats(k)) return std::string();
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
            return fmt::format("({} + kgen_flat * (int)sizeof({}))", begin_of(k), kernel_.type(k));
        };
        if (choice_.shifted) loop.function("int", "kgen_find_shift() const", find_shift());
        loop.method("kgen_load_wide(kgen_values& kgen_v, long long kgen_flat)",
                    text_.for_inputs([&](std::size_t k) {
                        return is_vector(k) ? cuda_.load_value(k, "        ", flat(k), "") : "";
                    }));
        loop.method("kgen_load_element(kgen_values& kgen_v, int kgen_e, long long kgen_column)",
                    statements([&](std::size_t k) {
                        if (is_vector(k) || repeats(k)) return std::string();
                        return fmt::format("kgen_v.{}.kgen_at[kgen_e] = {}",
                                           kernel_.value(k),
                                           kernel_.load(k, element(k, "kgen_column")));
                    }));
        loop.calling("auto",
                     "kgen_compute(long long kgen_flat, long long kgen_column) const",
                     call([&](std::size_t k) {
                         const std::string from =
                             repeats(k) ? fmt::format("({} + {})", begin_of(k), along(k)) : flat(k);
                         return kernel_.load(
                             k,
                             is_vector(k) || repeats(k)
                                 ? fmt::format("(const {}*){}", kernel_.type(k), from)
                                 : element(k, "kgen_column"));
                     }));
    }

    // Returns a pointer to the first element of the columns that kgen_find found.
    std::string begin_of(std::size_t k) const {
        return fmt::format("(const char*)kgen_p.kgen_data_{0} + kgen_kept_{0}", kernel_.name(k));
    }
    // The number of elements from the begin of a vector to the first one is the same for all arrays that are read by vectors.
    std::string find_shift() const {
        bool found = false;
        return text_.for_inputs([&](std::size_t k) {
            if (!is_vector(k) || std::exchange(found, true)) return std::string();
            return fmt::format(
                "        return (int)((unsigned long long)({}) / sizeof({}) % {});\n",
                begin_of(k),
                kernel_.type(k),
                baked_.vector);
        });
    }

    const ReducedColumnsChoice& choice_ = baked_.as<ReducedColumnsChoice>();
};

}  // namespace

void write_reduced_columns_operands(const ReductionText& text, LoopText& loop) {
    ReducedColumnsOperands(text).write(loop);
}

}  // namespace kgen
