// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "source/cuda_text.hpp"
#include "source/loops.hpp"

namespace kgen {

namespace {

// Writes the operands of the loops fused_rows and fused_columns. kgen_at_NAME points to the first element of a row. A
// number of an element in the row is divided into places along the reduced axes.
class FusedOperands {
public:
    explicit FusedOperands(const RowText& text)
        : text_(text),
          kernel_(text.text()),
          cuda_(text.text()),
          baked_(text.text().baked()),
          by_columns_(baked_.loop == LoopKind::fused_columns),
          along_((by_columns_ ? baked_.kept : baked_.rank) - 1) {}

    void write(LoopText& loop) const {
        loop.type("kgen_number", baked_.index_width == IndexWidth::bits32 ? "int" : "long long");
        loop.type("kgen_index", cuda_.index_type());
        loop.type("kgen_results", "kgen_row_results");
        if (const auto* rows = std::get_if<FusedRowsChoice>(&baked_.choice)) {
            loop.constant("kgen_held", rows->held);
            loop.constant("kgen_blocks", rows->blocks);
            loop.constant("kgen_team", rows->team);
            loop.constant("kgen_whole", rows->whole);
            loop.constant("kgen_packed", rows->packed);
            loop.constant("kgen_shifted", rows->shifted);
            loop.constant("kgen_along", baked_.vector);
        } else {
            const auto& columns = baked_.as<FusedColumnsChoice>();
            loop.constant("kgen_held", columns.held);
            loop.constant("kgen_blocks", columns.blocks);
            loop.constant("kgen_across", columns.across);
            loop.constant("kgen_team", columns.team);
            loop.constant("kgen_whole", columns.whole);
            loop.constant("kgen_packed", columns.packed);
            loop.constant("kgen_shifted", columns.shifted);
            loop.constant("kgen_dense", columns.dense);
            loop.constant("kgen_along", columns.dense ? baked_.vector : 1);
        }
        loop.constant("kgen_spread", is_spread(baked_));
        // Rows along memory are quicker with what a pass computed: softmax of bfloat16 (204111, 251) 87.5 us, 99.5 without (H100).
        loop.constant("kgen_forgets", by_columns_ && text_.calls_functions());
        loop.member(cuda_.places(0, baked_.rank));
        loop.member(kernel_.statements("    ", [&](std::size_t k) {
            return (text_.is_input(k) ? "const char* " : "char* ") + at(k);
        }));
        loop.member(kernel_.statements("    ", [&](std::size_t k) {
            return is_hoisted(k) ? kernel_.type(k) + " " + kernel_.value(k) : "";
        }));
        std::string drawn_values;
        for (const RowDraw& each : text_.draws())
            drawn_values += fmt::format("        kgen_vector<{}, {}> kgen_of_{};\n",
                                        kernel_.type_of(each.dtype),
                                        baked_.vector,
                                        each.name);
        if (draws()) loop.member("    long long kgen_place_at;\n");
        loop.values("kgen_values", kernel_.statements("        ", [&](std::size_t k) {
            return is_moved(k) ? cuda_.value_type(k) + " " + kernel_.value(k) : "";
        }) + drawn_values);
        loop.values("kgen_outputs", kernel_.statements("        ", [&](std::size_t k) {
            return text_.has_elements(k) ? cuda_.vector_type(k) + " " + kernel_.value(k) : "";
        }));
        loop.method("kgen_find(long long kgen_line, long long kgen_column)", find());
        loop.function("int", "kgen_shift() const", shift());
        if (is_shifted()) {
            loop.function("bool",
                          "kgen_is_within(long long kgen_begin, long long kgen_end) const",
                          is_within());
            loop.method(
                "kgen_load_elements(kgen_values& kgen_v, long long kgen_k, long long kgen_row)",
                kernel_.for_arrays([&](std::size_t k) { return is_moved(k) ? load_each(k) : ""; }));
        } else {
            loop.function(
                "bool", "kgen_is_within(long long, long long) const", "        return true;\n");
        }
        loop.method("kgen_load_values(kgen_values& kgen_v, long long kgen_k, long long kgen_row)",
                    divide() + kernel_.for_arrays([&](std::size_t k) { return load(k); }));
        loop.method("kgen_draw_values(kgen_values& kgen_v, long long kgen_k)", draw());
        const auto input = [&](std::size_t k) {
            return is_hoisted(k) ? kernel_.value(k) : cuda_.held(k);
        };
        const auto drawn = [](const RowDraw& each) {
            return fmt::format("kgen_v.kgen_of_{}.kgen_at[kgen_e]", each.name);
        };
        loop.calling("auto",
                     "kgen_call(const kgen_row_results& kgen_results, const kgen_values& kgen_v, "
                     "long long kgen_k, int kgen_e)",
                     (baked_.counts_reduced ? divide() : std::string()) +
                         fmt::format("        return {};\n",
                                     text_.map("kgen_results", reduced_index(), input, drawn)));
        loop.calling("void",
                     "kgen_compute(const kgen_row_results& kgen_results, const kgen_values& "
                     "kgen_v, kgen_outputs& kgen_to, int kgen_e) const",
                     fmt::format("        {};\n",
                                 text_.body("kgen_results", input, drawn, [&](std::size_t k) {
                                     return fmt::format("kgen_to.{}.kgen_at[kgen_e]",
                                                        kernel_.value(k));
                                 })));
        loop.method(
            "kgen_store_outputs(const kgen_outputs& kgen_to, long long kgen_k, const "
            "kgen_row_part& "
            "kgen_part)",
            divide() + kernel_.for_arrays([&](std::size_t k) { return store(k); }));
        loop.calling("void",
                     "kgen_finish(const kgen_row_results& kgen_results, int kgen_e) const",
                     finish());
    }

private:
    bool draws() const { return !text_.draws().empty(); }
    bool is_uniform(std::size_t k) const { return cuda_.access(k) == Access::uniform; }
    // Whether all elements of a row are the same, so that they are read once.
    bool is_hoisted(std::size_t k) const {
        return text_.is_input(k) && !by_columns_ && is_uniform(k);
    }
    bool is_moved(std::size_t k) const { return text_.is_input(k) && !is_hoisted(k); }
    std::string at(std::size_t k) const { return "kgen_at_" + kernel_.name(k); }
    // Returns the distance in bytes between the elements of a vector.
    std::string step(std::size_t k) const { return along_ < 0 ? "0" : cuda_.stride(k, along_); }

    std::string find() const {
        const int last = by_columns_ ? baked_.kept - 1 : baked_.kept;
        std::string text = cuda_.divide("        ", "kgen_line", 0, last);
        text += kernel_.statements("        ", [&](std::size_t k) {
            std::string offset = cuda_.offset(k, 0, last, "long long");
            if (by_columns_) offset += fmt::format(" + kgen_column * {}", cuda_.stride(k, last));
            return fmt::format("{} = ({}char*){} + ({})",
                               at(k),
                               text_.is_input(k) ? "const " : "",
                               cuda_.data(k),
                               offset);
        });
        if (draws()) {
            text += "        kgen_place_at = " + CudaText::index_stride(baked_.rank);
            for (int axis = 0; axis < last; ++axis)
                text += fmt::format(" + kgen_i{} * {}", axis, CudaText::index_stride(axis));
            if (by_columns_) text += " + kgen_column * " + CudaText::index_stride(last);
            text += ";\n";
        }
        return text + kernel_.statements("        ", [&](std::size_t k) {
            if (!is_hoisted(k)) return std::string();
            return fmt::format("{} = {}", kernel_.value(k), kernel_.load(k, typed(k, at(k))));
        });
    }
    std::string divide() const {
        if (baked_.rank <= baked_.kept + 1) return "";
        return cuda_.divide("        ", "kgen_k", baked_.kept, baked_.rank);
    }
    // Returns the statements that draw the elements of the access at kgen_k in the row.
    std::string draw() const {
        if (!draws()) return "";
        std::string stores;
        for (const RowDraw& each : text_.draws())
            stores += fmt::format("        kgen_v.kgen_of_{0}.kgen_at[kgen_e] = {0};\n", each.name);
        return fmt::format(
            "{}#pragma unroll\n        for (int kgen_e = 0; kgen_e < {}; ++kgen_e) {{\n{}{}        "
            "}}\n",
            divide(),
            baked_.vector,
            text_.draw(element_index()),
            stores);
    }
    // Returns the C-order index of element kgen_e of the access at kgen_k in the row.
    std::string element_index() const {
        if (kernel_.drawn_alignment() > 0) {
            return (baked_.rank == baked_.kept + 1
                        ? "kgen_place_at + kgen_k"
                        : at_access("kgen_place_at", "kgen_p.kgen_input_strides")) +
                   ", kgen_e";
        }
        const std::string first = at_access("kgen_place_at", "kgen_p.kgen_input_strides");
        return along_ < 0 ? first
                          : fmt::format("{} + kgen_e * {}", first, CudaText::index_stride(along_));
    }
    // Returns the index of this element in its row.
    std::string reduced_index() const {
        const std::string strides = "kgen_p.kgen_reduced_strides";
        const std::string first = at_access(fmt::format("{}[{}]", strides, baked_.rank), strides);
        return along_ < 0 ? first : fmt::format("{} + kgen_e * {}[{}]", first, strides, along_);
    }
    // Adds the distance of the access at kgen_k to an index of the row's first element.
    std::string at_access(std::string first, std::string_view strides) const {
        if (baked_.rank == baked_.kept + 1)
            return fmt::format("{} + kgen_k * {}[{}]", first, strides, baked_.kept);
        for (int axis = baked_.kept; axis < baked_.rank; ++axis)
            first += fmt::format(" + kgen_i{0} * {1}[{0}]", axis, strides);
        return first;
    }
    std::string typed(std::size_t k, const std::string& pointer) const {
        return fmt::format("({}*)({})", kernel_.const_type(k), pointer);
    }
    // Returns a pointer to the vector at kgen_k in the row.
    std::string in_row(std::size_t k) const {
        if (baked_.rank == baked_.kept) return typed(k, at(k));
        if (baked_.rank > baked_.kept + 1)
            return typed(
                k, at(k) + " + (" + cuda_.offset(k, baked_.kept, baked_.rank, "long long") + ")");
        const bool is_dense = (!by_columns_ || baked_.as<FusedColumnsChoice>().dense) &&
                              cuda_.access(k) == Access::vector;
        return typed(k,
                     fmt::format("{} + kgen_k * {}",
                                 at(k),
                                 is_dense ? fmt::format("(int)sizeof({})", kernel_.type(k))
                                          : cuda_.stride(k, baked_.kept)));
    }
    bool is_shifted() const { return kgen::is_shifted(baked_); }
    // Arrays that are read by vectors have the same alignment, so one of them tells where the first slot begins.
    std::string shift() const {
        for (std::size_t k = 0; k < baked_.operands.size() && is_shifted(); ++k) {
            if (kernel_.is_array(k) && cuda_.access(k) == Access::vector)
                return fmt::format(
                    "        return (int)((unsigned long long){} / sizeof({}) % {});\n",
                    at(k),
                    kernel_.type(k),
                    baked_.vector);
        }
        return "        return 0;\n";
    }
    // Returns the number of element kgen_e of the vector in the row, and of the nearest one if the row lacks it.
    std::string nearest() const {
        return "(kgen_k + kgen_e < 0 ? 0 : kgen_k + kgen_e < kgen_row ? kgen_k + kgen_e : kgen_row "
               "- 1)";
    }
    std::string each_element(const std::string& statement) const {
        return fmt::format(
            "#pragma unroll\n        for (int kgen_e = 0; kgen_e < {}; ++kgen_e) {};\n",
            baked_.vector,
            statement);
    }
    std::string element_of_row(std::size_t k, std::string_view number) const {
        return typed(k, fmt::format("{} + {} * (long long){}", at(k), number, step(k)));
    }
    std::string load(std::size_t k) const {
        if (!is_moved(k)) return "";
        return is_shifted() && cuda_.access(k) != Access::vector
                   ? load_each(k)
                   : cuda_.load_value(k, "        ", in_row(k), step(k));
    }
    std::string load_each(std::size_t k) const {
        return each_element(cuda_.held(k) + " = " + kernel_.load(k, element_of_row(k, nearest())));
    }
    // Whether the elements from kgen_begin to kgen_end, counted from the begin of the row, are within all arrays that are read by
    // vectors.
    std::string is_within() const {
        return "        return true" + kernel_.for_arrays([&](std::size_t k) {
            if (!is_moved(k) || cuda_.access(k) != Access::vector) return std::string();
            return fmt::format(
                "\n            && {0} + kgen_begin * (int)sizeof({1}) >= (const char*){2} + "
                "kgen_p.kgen_reach_{3}[0]"
                " && {0} + kgen_end * (int)sizeof({1}) <= (const char*){2} + "
                "kgen_p.kgen_reach_{3}[1]",
                at(k),
                kernel_.type(k),
                cuda_.data(k),
                kernel_.name(k));
        }) + ";\n";
    }
    std::string store(std::size_t k) const {
        if (!text_.has_elements(k)) return "";
        const std::string value = "kgen_to." + kernel_.value(k);
        const std::string element = value + ".kgen_at[kgen_e]";
        const std::string whole =
            "        " + kernel_.store(cuda_.as_vectors(k, in_row(k)), value) + ";\n";
        if (!is_shifted()) {
            if (cuda_.access(k) == Access::vector) return whole;
            return each_element(
                kernel_.store(cuda_.at_bytes(k, in_row(k), "kgen_e * " + step(k)), element));
        }
        const bool is_vector = cuda_.access(k) == Access::vector;
        const std::string elements =
            each_element("if (kgen_part.kgen_has(kgen_e)) " +
                         kernel_.store(is_vector ? "(" + in_row(k) + ") + kgen_e"
                                                 : element_of_row(k, "(kgen_k + kgen_e)"),
                                       element));
        if (!is_vector) return elements;
        return fmt::format(
            "        if (kgen_part.kgen_end == {} && !kgen_part.kgen_from) {{\n{}        }} else "
            "{{\n{}        }}\n",
            baked_.vector,
            whole,
            elements);
    }
    std::string finish() const {
        std::string text = kernel_.statements("        ", [&](std::size_t k) {
            return text_.is_of_row(k) ? kernel_.type(k) + " " + kernel_.value(k) : "";
        });
        text += fmt::format("        {};\n", text_.finish("kgen_results", [&](std::size_t k) {
            return kernel_.value(k);
        }));
        return text + kernel_.statements("        ", [&](std::size_t k) {
            if (!text_.is_of_row(k)) return std::string();
            const std::string moved =
                by_columns_ ? " + kgen_e * (long long)" + step(k) : std::string();
            return kernel_.store(typed(k, at(k) + moved), kernel_.value(k));
        });
    }

    const RowText& text_;
    const KernelText& kernel_;
    CudaText cuda_;
    const Baked& baked_;
    bool by_columns_;
    int along_;
};

}  // namespace

void write_fused_operands(const RowText& text, LoopText& loop) {
    FusedOperands(text).write(loop);
}

}  // namespace kgen
