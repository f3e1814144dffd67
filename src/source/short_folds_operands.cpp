// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "source/loops.hpp"
#include "source/reduction_operands.hpp"

namespace kgen {

namespace {

class ThreadFoldsOperands : ReductionOperands {
public:
    using ReductionOperands::ReductionOperands;

    void write(LoopText& loop) const {
        write_types(loop);
        loop.constant("kgen_unroll", choice_.accesses);
        loop.constant("kgen_few", choice_.few);
        loop.constant("kgen_groups", choice_.groups);
        loop.constant("kgen_along", choice_.along);
        loop.constant("kgen_turned", choice_.turned);
        loop.constant("kgen_counts",
                      baked_.counted || baked_.counts_reduced || baked_.counts_outputs);
        loop.member(cuda_.places(0, baked_.rank));
        loop.member(members(kept_inputs()) + members(row_inputs()));
        loop.values("kgen_values", statements([&](std::size_t k) {
                        return (is_uniform(k) ? kernel_.type(k) : cuda_.vector_type(k)) + " " +
                               kernel_.value(k);
                    }));
        loop.method("kgen_find(long long kgen_outer)", found_kept(column_axis()));
        loop.method("kgen_find_row(int kgen_row)",
                    cuda_.divide("        ", "kgen_row", baked_.kept, baked_.rank) +
                        moved(row_inputs(), baked_.kept, baked_.rank));
        if (choice_.along)
            write_along(loop);
        else
            write_loads(loop);
        if (baked_.vector > 1) {
            loop.calling("auto",
                         "kgen_compute(long long kgen_column) const",
                         call([&](std::size_t k) { return load_element(k); }));
        }
        write_finish(loop, "kgen_column", found());
        write_finish_values(loop);
    }

private:
    int column_axis() const { return baked_.kept - 1; }
    bool is_vector(std::size_t k) const { return cuda_.access(k) == Access::vector; }
    bool is_uniform(std::size_t k) const { return cuda_.access(k) == Access::uniform; }

    // Returns statements that find the elements of the outputs in column kgen_column. The places along the other kept axes
    // are those that kgen_find computed.
    std::string found() const {
        return moved(outputs(), 0, baked_.kept, [&](int axis) {
            return axis == column_axis() ? "kgen_column" : fmt::format("kgen_i{}", axis);
        });
    }
    // Returns a pointer to an element of the row that kgen_find_row found.
    std::string element(std::size_t k) const {
        return fmt::format("(const {}*)(kgen_at_{} + kgen_column * {})",
                           kernel_.type(k),
                           kernel_.name(k),
                           cuda_.stride(k, column_axis()));
    }
    std::string load_element(std::size_t k) const { return kernel_.load(k, element(k)); }
    std::string call(const std::function<std::string(std::size_t)>& argument) const {
        return fmt::format(
            "        return {};\n",
            text_.element(place("kgen_place_at", "kgen_column", column_axis()).view(), argument));
    }
    std::string held(std::size_t k) const {
        return "kgen_v." + kernel_.value(k) + (is_uniform(k) ? "" : ".kgen_at[kgen_e]");
    }

    void write_loads(LoopText& loop) const {
        loop.method("kgen_load_values(kgen_values& kgen_v, long long kgen_column)",
                    text_.for_inputs([&](std::size_t k) {
                        return cuda_.load_value(
                            k, "        ", element(k), cuda_.stride(k, column_axis()));
                    }));
        loop.calling(
            "auto",
            "kgen_call(const kgen_values& kgen_v, int kgen_e, long long kgen_column) const",
            call([&](std::size_t k) { return held(k); }));
    }
    void write_along(LoopText& loop) const {
        loop.method("kgen_load_along(kgen_values& kgen_v, long long kgen_column, int kgen_n)",
                    statements([&](std::size_t k) {
                        if (!is_vector(k)) return std::string();
                        const std::string first = fmt::format(
                            "(const char*)kgen_p.kgen_data_{0} + kgen_kept_{0} + kgen_column * {1}",
                            kernel_.name(k),
                            cuda_.stride(k, column_axis()));
                        return fmt::format(
                            "kgen_v.{} = {}",
                            kernel_.value(k),
                            kernel_.load(k, cuda_.as_vectors(k, first) + " + kgen_n"));
                    }));
        loop.calling(
            "auto",
            "kgen_call_along(const kgen_values& kgen_v, int kgen_e, long long kgen_column) const",
            call([&](std::size_t k) { return is_vector(k) ? held(k) : load_element(k); }));
    }

    // Adds the method kgen_finish_values(post-map, kgen_column, folds), which stores the outputs of a vector.
    void write_finish_values(LoopText& loop) const {
        std::string text;
        for (const Mover& mover : outputs())
            text += fmt::format("        {} {};\n", mover.type, mover.variable);
        text += found();
        const auto pointer = [&](std::size_t k) {
            return is_vector(k) ? cuda_.as_vectors(k, "kgen_to_" + kernel_.name(k))
                                : fmt::format("({}*)(kgen_to_{} + kgen_e * {})",
                                              kernel_.type(k),
                                              kernel_.name(k),
                                              cuda_.stride(k, column_axis()));
        };
        const auto for_each = [&](std::size_t k, const std::string& statement) {
            return is_vector(k) ? fmt::format("        {};\n", statement)
                                : fmt::format(
                                      "#pragma unroll\n        for (int kgen_e = 0; kgen_e < {}; "
                                      "++kgen_e) {};\n",
                                      baked_.vector,
                                      statement);
        };
        const auto value = [&](std::size_t k) {
            return kernel_.value(k) + (is_vector(k) ? "" : ".kgen_at[kgen_e]");
        };
        text += text_.for_outputs([&](std::size_t k) {
            return fmt::format("        {} {};\n", cuda_.vector_type(k), kernel_.value(k)) +
                   for_each(k, fmt::format("{} = {}", value(k), kernel_.load(k, pointer(k))));
        });
        text += fmt::format(
            "#pragma unroll\n        for (int kgen_e = 0; kgen_e < {}; ++kgen_e) {};\n",
            baked_.vector,
            text_.post(
                fmt::format("kgen_place + kgen_e * kgen_p.kgen_output_strides[{}]", column_axis()),
                "kgen_sums[kgen_e].kgen_at.kgen_value",
                [&](std::size_t k) { return kernel_.value(k) + ".kgen_at[kgen_e]"; }));
        text += text_.for_outputs(
            [&](std::size_t k) { return for_each(k, kernel_.store(pointer(k), value(k))); });
        loop.calling("void",
                     "kgen_finish_values(long long kgen_column, const kgen_fold<kgen_accumulator, "
                     "kgen_plan::kgen_has_identity>* kgen_sums)",
                     text);
    }

    const ThreadFoldsChoice& choice_ = baked_.as<ThreadFoldsChoice>();
};

}  // namespace

void write_short_folds_operands(const ReductionText& text, LoopText& loop) {
    ThreadFoldsOperands(text).write(loop);
}

}  // namespace kgen
