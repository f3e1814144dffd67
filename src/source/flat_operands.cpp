// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "plan/parameter_block.hpp"
#include "source/cuda_text.hpp"
#include "source/loops.hpp"

namespace kgen {

namespace {

class FlatOperands {
public:
    explicit FlatOperands(const KernelText& text)
        : text_(text), cuda_(text), baked_(text.baked()), choice_(baked_.as<FlatChoice>()) {}

    void write(LoopText& loop) const {
        loop.constant("kgen_unroll", choice_.accesses);
        loop.constant("kgen_shifted", choice_.shifted);
        loop.constant("kgen_vector_rest", choice_.vector_rest);
        const bool walks = divides(baked_);
        if (walks) write_find(loop);
        loop.calling(
            "void",
            "kgen_compute(long long kgen_at)",
            (walks ? "        kgen_find(kgen_at);\n" : "") +
                text_.element("        ",
                              baked_.moves_index ? "kgen_place" : text_.drawn_index("kgen_at"),
                              [&](std::size_t k) { return address(k, "kgen_at"); }));
        if (baked_.vector * choice_.accesses > 1) write_tile(loop, walks);
    }

private:
    bool is_strided(std::size_t k) const { return cuda_.access(k) == Access::elements; }
    // Whether the store reuses the pointer of the load. True for arrays that are written element by element.
    bool keeps_pointer(std::size_t k) const { return text_.is_written(k) && is_strided(k); }

    std::string offset_of(std::size_t k) const { return "kgen_offset_" + text_.name(k); }
    std::string address(std::size_t k, std::string_view index) const {
        if (is_strided(k)) return cuda_.at_bytes(k, cuda_.data(k), offset_of(k));
        if (cuda_.access(k) == Access::uniform) return cuda_.data(k);
        return cuda_.data(k) + " + " + std::string(index);
    }

    void write_find(LoopText& loop) const {
        const bool in_loop =
            baked_.vector * choice_.accesses == 1 && CudaText::has_many_axes(0, baked_.rank);
        if (!in_loop) loop.member(cuda_.places(0, baked_.rank));
        loop.member(text_.for_arrays([&](std::size_t k) {
            return is_strided(k) ? fmt::format("    {} {};\n", cuda_.offset_type(), offset_of(k))
                                 : std::string();
        }));
        const std::string_view place = place_type();
        if (baked_.moves_index) loop.member(fmt::format("    {} kgen_place;\n", place));
        const auto offsets = [&](const std::function<std::string(std::size_t)>& value) {
            return text_.statements("        ", [&](std::size_t k) {
                return is_strided(k) ? offset_of(k) + value(k) : "";
            });
        };
        if (in_loop) {
            std::string moves = offsets([&](std::size_t k) {
                return fmt::format(" += ({})kgen_i * kgen_p.kgen_strides_{}[kgen_axis]",
                                   cuda_.offset_type(),
                                   text_.name(k));
            });
            std::string begin = offsets([](std::size_t) { return std::string(" = 0"); });
            if (baked_.moves_index) {
                begin += fmt::format(
                    "        kgen_place = ({}){};\n", place, CudaText::index_stride(baked_.rank));
                moves += fmt::format(
                    "        kgen_place += ({0})kgen_i * "
                    "({0})kgen_p.kgen_input_strides[kgen_axis];\n",
                    place);
            }
            loop.method("kgen_find(long long kgen_at)",
                        begin + cuda_.divide_in_loop("        ", "kgen_at", 0, baked_.rank, moves));
            return;
        }
        std::string found =
            cuda_.divide("        ", "kgen_at", 0, baked_.rank) + offsets([&](std::size_t k) {
                return " = " + cuda_.offset(k, 0, baked_.rank, cuda_.offset_type());
            });
        if (baked_.moves_index)
            found += fmt::format("        kgen_place = {};\n", cuda_.moved_index(place));
        loop.method("kgen_find(long long kgen_at)", found);
    }

    // Returns the type of the element's C-order index, if the loop counts it by its strides.
    std::string_view place_type() const {
        return baked_.index_width == IndexWidth::bits32 ? "int" : "long long";
    }

    // Returns statements that advance to the next element along `axis`, or along the axis outside it at the
    // end of `axis`.
    std::string step(std::string_view indent, int axis) const {
        const auto move = [&](std::string_view margin, const std::string& extent) {
            const auto line = [&](std::string_view variable, std::string_view stride) {
                return fmt::format("{0}{1} = {2}({1}{3}, {4});\n",
                                   margin,
                                   variable,
                                   extent.empty() ? "kgen_forth" : "kgen_back",
                                   extent,
                                   stride);
            };
            std::string text = text_.for_arrays([&](std::size_t k) {
                return is_strided(k) ? line(offset_of(k), cuda_.stride(k, axis)) : "";
            });
            if (baked_.moves_index)
                text += line("kgen_place",
                             fmt::format("({}){}", place_type(), CudaText::index_stride(axis)));
            return text;
        };
        std::string text = move(indent, "");
        if (axis == 0) return text;
        const std::string deeper = std::string(indent) + "    ";
        const std::string extent = fmt::format("kgen_extent_of(kgen_p.kgen_extents[{}])", axis);
        return text +
               fmt::format("{0}if (++kgen_i{1} == {2}) {{\n{3}kgen_i{1} = 0;\n",
                           indent,
                           axis,
                           extent,
                           deeper) +
               move(deeper, ", " + extent) + step(deeper, axis - 1) + std::string(indent) + "}\n";
    }

    void write_tile(LoopText& loop, bool walks) const {
        const auto is_vector = [&](std::size_t k) { return cuda_.access(k) == Access::vector; };
        std::string loaded = text_.statements("        ", [&](std::size_t k) {
            if (cuda_.access(k) != Access::singles && !is_strided(k)) return std::string();
            return fmt::format("kgen_v.{}.kgen_at[kgen_e] = {}",
                               text_.value(k),
                               text_.load(k, address(k, "kgen_at")));
        });
        if (baked_.moves_index) loaded += "        kgen_v.kgen_place[kgen_e] = kgen_place;\n";
        const std::string stored = text_.statements("        ", [&](std::size_t k) {
            if (!text_.is_written(k) || is_vector(k)) return std::string();
            return text_.store(
                keeps_pointer(k) ? "kgen_v.kgen_pointer_" + text_.name(k) : address(k, "kgen_at"),
                "kgen_v." + text_.value(k) + ".kgen_at[kgen_e]");
        });
        loop.constant("kgen_loads_elements", !loaded.empty());
        loop.constant("kgen_stores_elements", !stored.empty());
        loop.values(
            "kgen_values",
            text_.statements(
                "        ",
                [&](std::size_t k) { return cuda_.value_type(k) + " " + text_.value(k); }) +
                text_.statements("        ",
                                 [&](std::size_t k) {
                                     return keeps_pointer(k) ? fmt::format("{}* kgen_pointer_{}",
                                                                           text_.type(k),
                                                                           text_.name(k))
                                                             : std::string();
                                 }) +
                (baked_.moves_index
                     ? fmt::format("        {} kgen_place[{}];\n", place_type(), baked_.vector)
                     : ""));
        loop.method("kgen_load_values(kgen_values& kgen_v, long long kgen_at)",
                    (walks ? "        kgen_find(kgen_at);\n" : "") +
                        text_.statements("        ", [&](std::size_t k) {
                            if (keeps_pointer(k))
                                return fmt::format(
                                    "kgen_v.kgen_pointer_{} = {}", text_.name(k), address(k, ""));
                            const std::string from = address(k, "kgen_at");
                            if (is_vector(k) || cuda_.access(k) == Access::uniform)
                                return fmt::format(
                                    "kgen_v.{} = {}",
                                    text_.value(k),
                                    text_.load(k, is_vector(k) ? cuda_.as_vectors(k, from) : from));
                            return std::string();
                        }));
        loop.method("kgen_load_element(kgen_values& kgen_v, int kgen_e, long long kgen_at)",
                    loaded + (walks && baked_.vector > 1 ? step("        ", baked_.rank - 1) : ""));
        loop.calling("void",
                     "kgen_call(kgen_values& kgen_v, int kgen_e, long long kgen_at)",
                     "        " + text_.call(baked_.moves_index ? "kgen_v.kgen_place[kgen_e]"
                                             : text_.drawn_alignment() > 0
                                                 ? text_.drawn_index("kgen_at - kgen_e", "kgen_e")
                                                 : "kgen_at",
                                             [&](std::size_t k) { return cuda_.held(k); }));
        loop.method("kgen_store_values(kgen_values& kgen_v, long long kgen_at)",
                    text_.statements("        ", [&](std::size_t k) {
                        if (!text_.is_written(k) || !is_vector(k)) return std::string();
                        return text_.store(cuda_.as_vectors(k, address(k, "kgen_at")),
                                           "kgen_v." + text_.value(k));
                    }));
        loop.method("kgen_store_element(kgen_values& kgen_v, int kgen_e, long long kgen_at)",
                    stored);
    }

    const KernelText& text_;
    CudaText cuda_;
    const Baked& baked_;
    const FlatChoice& choice_;
};

}  // namespace

void write_flat_operands(const KernelText& text, LoopText& loop) {
    FlatOperands(text).write(loop);
}

}  // namespace kgen
