// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "source/cuda_text.hpp"
#include "source/loops.hpp"

namespace kgen {

namespace {

// Writes the operands of the vector_rows loop. The index along the innermost axis counts vectors, and the
// index along the axis outside it counts groups of rows.
class VectorRowsOperands {
public:
    explicit VectorRowsOperands(const KernelText& text)
        : text_(text),
          cuda_(text),
          baked_(text.baked()),
          inner_(baked_.rank - 1),
          rows_(baked_.as<VectorRowsChoice>().rows) {}

    void write(LoopText& loop) const {
        loop.constant("kgen_row_count", rows_);
        // A thread has all rows of a turned loop.
        loop.constant("kgen_some_rows", grouped() && !baked_.as<VectorRowsChoice>().turned);
        loop.type("kgen_index", cuda_.index_type());
        loop.member(cuda_.places(0, baked_.rank));
        if (grouped()) loop.member("    long long kgen_row;\n");
        loop.member(text_.statements("    ", [&](std::size_t k) {
            return fmt::format("{}* {}", text_.const_type(k), at(k));
        }));
        if (has_shared()) loop.values("kgen_shared_values", values(true));
        if (has_shared()) loop.member("    kgen_shared_values kgen_shared;\n");
        if (text_.counts()) loop.member("    long long kgen_at;\n");
        loop.values("kgen_values", values(false));
        loop.method("kgen_find(kgen_plan::kgen_index kgen_vector_index)", find());
        loop.method("kgen_load_values(kgen_values& kgen_v, int kgen_r)", loads(false));
        std::string first = "kgen_at";
        if (grouped()) {
            first += fmt::format(" + kgen_r * kgen_p.kgen_rows.step * {}",
                                 CudaText::index_stride(inner_ - 1));
        }
        const std::string index =
            text_.drawn_alignment() > 0
                ? text_.drawn_index(first, "kgen_e")
                : fmt::format("{} + kgen_e * {}", first, CudaText::index_stride(inner_));
        loop.calling("void",
                     "kgen_call(kgen_values& kgen_v, int kgen_r, int kgen_e)",
                     "        " + text_.call(index, [&](std::size_t k) {
                         return is_shared(k) ? "kgen_shared" + cuda_.held(k).substr(6)
                                             : cuda_.held(k);
                     }));
        loop.method("kgen_store_values(kgen_values& kgen_v, int kgen_r)",
                    text_.statements("        ", [&](std::size_t k) {
                        return text_.is_written(k) ? text_.store(cuda_.as_vectors(k, pointer(k)),
                                                                 "kgen_v." + text_.value(k))
                                                   : "";
                    }));
    }

private:
    bool grouped() const { return rows_ > 1; }
    // Whether all rows of a group have the same values of the operand. Such values are read once.
    bool is_shared(std::size_t k) const {
        return grouped() && baked_.operands[k].repeats && !text_.is_written(k);
    }
    std::string at(std::size_t k) const { return "kgen_at_" + text_.name(k); }

    // Returns statements that find the first row of the thread and the first vector of each array.
    std::string find() const {
        const std::string indent(8, ' ');
        const auto place = [&](int axis) {
            if (axis == inner_) return fmt::format("kgen_i{} * {}", axis, baked_.vector);
            return grouped() && axis == inner_ - 1 ? "kgen_row" : fmt::format("kgen_i{}", axis);
        };
        std::string text = cuda_.divide(indent, "kgen_vector_index", 0, baked_.rank);
        if (grouped())
            text += fmt::format(
                "{}kgen_row = kgen_i{} * kgen_p.kgen_rows.first;\n", indent, inner_ - 1);
        text += text_.statements(indent, [&](std::size_t k) {
            const std::string offset = cuda_.offset(k, 0, baked_.rank, cuda_.offset_type(), place);
            return fmt::format(
                "{} = {}", at(k), cuda_.at_bytes(k, cuda_.data(k), "(" + offset + ")"));
        });
        if (text_.counts())
            text += fmt::format("{}kgen_at = {};\n", indent, cuda_.moved_index("long long", place));
        if (!has_shared()) return text;
        return text + "        kgen_shared_values& kgen_v = kgen_shared;\n" + loads(true);
    }

    // Returns a pointer to the array's elements in row kgen_r.
    std::string pointer(std::size_t k) const {
        if (!grouped() || is_shared(k)) return at(k);
        return cuda_.at_bytes(k,
                              at(k),
                              fmt::format("kgen_r * ({})kgen_p.kgen_rows.step * {}",
                                          cuda_.offset_type(),
                                          cuda_.stride(k, inner_ - 1)));
    }
    bool has_shared() const { return !values(true).empty(); }
    std::string values(bool shared) const {
        return text_.statements("        ", [&](std::size_t k) {
            return is_shared(k) == shared ? cuda_.value_type(k) + " " + text_.value(k) : "";
        });
    }
    std::string loads(bool shared) const {
        return text_.for_arrays([&](std::size_t k) {
            if (is_shared(k) != shared) return std::string();
            return cuda_.load_value(k, "        ", pointer(k), cuda_.stride(k, inner_));
        });
    }

    const KernelText& text_;
    CudaText cuda_;
    const Baked& baked_;
    int inner_;
    int rows_;
};

}  // namespace

void write_vector_rows_operands(const KernelText& text, LoopText& loop) {
    VectorRowsOperands(text).write(loop);
}

}  // namespace kgen
