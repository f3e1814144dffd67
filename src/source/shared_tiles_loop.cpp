// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <embedded/shared_tiles_cu_in.hpp>

#include "source/cuda_text.hpp"
#include "source/loop_slots.hpp"

namespace kgen {

namespace {

class SharedTilesLoop {
public:
    explicit SharedTilesLoop(const KernelText& text)
        : text_(text),
          cuda_(text),
          baked_(text.baked()),
          a_(text.baked().rank - 1),
          b_(text.baked().rank - 2) {}

    // Where each array's part of the tile begins.
    std::string place() const {
        const auto position = [&](int axis) -> std::string {
            if (axis == a_) return "kgen_begin_a";
            if (axis == b_) return "kgen_begin_b";
            return fmt::format("kgen_i{}", axis);
        };
        std::string text = text_.for_arrays([&](std::size_t k) {
            return fmt::format(
                "    {}* const kgen_at_{} = {};\n",
                text_.const_type(k),
                text_.name(k),
                cuda_.at_bytes(k, cuda_.data(k), "(" + cuda_.offset(k, position) + ")"));
        });
        if (text_.counts())
            text += fmt::format("    const long long kgen_index = {};\n", cuda_.index(position));
        return text;
    }

    // Each tiled array's part of the block's shared memory.
    std::string shared() const {
        std::string text = "    extern __shared__ __align__(16) unsigned char kgen_shared[];\n";
        std::string before = "0";
        return text + text_.for_arrays([&](std::size_t k) {
            if (!is_turned(k)) return std::string();
            const std::string line = fmt::format(
                "    {0}* const kgen_tile_{1} = ({0}*)(kgen_shared + kgen_tile.kgen_room * "
                "({2}));\n",
                cuda_.vector_type(k),
                text_.name(k),
                before);
            before += fmt::format(" + sizeof({})", cuda_.vector_type(k));
            return line;
        });
    }

    std::string stage() const {
        std::string text = text_.for_arrays([&](std::size_t k) {
            if (!is_turned(k)) return std::string();
            return fmt::format("        kgen_square<{}, {}> kgen_in_{}[{}];\n",
                               text_.type(k),
                               baked_.vector,
                               text_.name(k),
                               baked_.unroll);
        });
        text += fmt::format(
            "        int kgen_slot[{}];  // in shared memory; -1: outside of the array\n",
            baked_.unroll);
        const std::string loads = text_.for_arrays([&](std::size_t k) {
            if (!is_turned(k)) return std::string();
            const std::string offset =
                fmt::format("({0})(kgen_a * {1} + kgen_e) * {2} + ({0})kgen_b * {1} * {3}",
                            cuda_.offset_type(),
                            baked_.vector,
                            cuda_.stride(k, a_),
                            cuda_.stride(k, b_));
            const std::string pointer =
                fmt::format("(const {}*){}",
                            row_type(k),
                            cuda_.at_bytes(k, "kgen_at_" + text_.name(k), "(" + offset + ")"));
            const bool read_only = baked_.operands[k].loads == Loads::read_only;
            return fmt::format(
                "                    kgen_in_{}[kgen_u].kgen_row[kgen_e] = {};\n",
                text_.name(k),
                read_only ? fmt::format("kgen_load_line({})", pointer) : text_.load(k, pointer));
        });
        const std::string stores = text_.for_arrays([&](std::size_t k) {
            if (!is_turned(k)) return std::string();
            return fmt::format(
                "                kgen_square<{0}, {2}> kgen_turned_{1};\n"
                "                kgen_turn(kgen_in_{1}[kgen_u], kgen_turned_{1});\n"
                "#pragma unroll\n"
                "                for (int kgen_e = 0; kgen_e < {2}; ++kgen_e) "
                "({3}&)kgen_tile_{1}[kgen_slot[kgen_u] + "
                "kgen_e * kgen_tile.kgen_squares_b * kgen_tile.kgen_pitch] = "
                "kgen_turned_{1}.kgen_row[kgen_e];\n",
                text_.type(k),
                text_.name(k),
                baked_.vector,
                row_type(k));
        });
        const auto each_element = [&](const std::string& lines) {
            return CudaText::repeat("                ", "kgen_e", baked_.vector, lines);
        };
        text += CudaText::repeat(
            "        ",
            "kgen_u",
            baked_.unroll,
            fmt::format(
                "            kgen_slot[kgen_u] = -1;\n"
                "            if (kgen_a * {0} < kgen_count_a && kgen_b * {0} < kgen_count_b) {{\n"
                "                kgen_slot[kgen_u] = kgen_b * kgen_tile.kgen_pitch + kgen_a;\n"
                "{1}            }}\n"
                "            kgen_step(kgen_a, kgen_b, kgen_tile.kgen_square_step_a, "
                "kgen_tile.kgen_square_step_b, kgen_tile.kgen_squares_b);\n",
                baked_.vector,
                each_element(loads)));
        return text + CudaText::repeat("        ",
                                       "kgen_u",
                                       baked_.unroll,
                                       "            if (kgen_slot[kgen_u] >= 0) {\n" + stores +
                                           "            }\n");
    }

    std::string compute() const {
        std::string text = text_.for_arrays([&](std::size_t k) {
            return fmt::format("        {} {}[{}];\n", value_type(k), text_.value(k), baked_.rows);
        });
        text += fmt::format(
            "        int kgen_rows[{0}], kgen_vectors[{0}];  // -1: outside of the array\n",
            baked_.rows);
        const std::string indent(16, ' ');
        const std::string loads =
            text_.for_arrays([&](std::size_t k) { return load_lines(k, indent); });
        const std::string call = text_.call(
            fmt::format("kgen_index + kgen_rows[kgen_r] * kgen_p.kgen_index_strides[{}] + "
                        "(kgen_vectors[kgen_r] * {} + kgen_e) * kgen_p.kgen_index_strides[{}]",
                        b_,
                        baked_.vector,
                        a_),
            [&](std::size_t k) {
                return text_.value(k) + "[kgen_r]" +
                       (cuda_.access(k) == Access::uniform ? "" : ".kgen_at[kgen_e]");
            });
        const std::string bodies =
            CudaText::repeat(indent, "kgen_e", baked_.vector, indent + "    " + call);
        const std::string stores = text_.for_arrays([&](std::size_t k) {
            if (!text_.is_written(k)) return std::string();
            const std::string pointer = cuda_.as_vectors(
                k, cuda_.at_bytes(k, "kgen_at_" + text_.name(k), "(" + offset(k) + ")"));
            return indent + text_.store(pointer, text_.value(k) + "[kgen_r]");
        });
        text += CudaText::repeat(
            "        ",
            "kgen_r",
            baked_.rows,
            fmt::format("            kgen_rows[kgen_r] = -1;\n"
                        "            if (kgen_b < kgen_count_b && kgen_a * {} < kgen_count_a) {{\n"
                        "                kgen_rows[kgen_r] = kgen_b;\n"
                        "                kgen_vectors[kgen_r] = kgen_a;\n"
                        "{}            }}\n"
                        "            kgen_step(kgen_b, kgen_a, kgen_tile.kgen_row_step_b, "
                        "kgen_tile.kgen_row_step_a, kgen_tile.kgen_squares_a);\n",
                        baked_.vector,
                        loads));
        return text + CudaText::repeat("        ",
                                       "kgen_r",
                                       baked_.rows,
                                       "            if (kgen_rows[kgen_r] >= 0) {\n" + bodies +
                                           stores + "            }\n");
    }

private:
    bool is_turned(std::size_t k) const { return cuda_.access(k) == Access::shared; }
    std::string value_type(std::size_t k) const {
        return cuda_.access(k) == Access::uniform ? text_.type(k) : cuda_.vector_type(k);
    }

    std::string row_type(std::size_t k) const {
        return fmt::format("kgen_square<{}, {}>::row", text_.type(k), baked_.vector);
    }

    // The bytes from the tile's begin to the first element of the thread's vector.
    std::string offset(std::size_t k) const {
        return fmt::format("({0})kgen_rows[kgen_r] * {1} + ({0})kgen_vectors[kgen_r] * {2} * {3}",
                           cuda_.offset_type(),
                           cuda_.stride(k, b_),
                           baked_.vector,
                           cuda_.stride(k, a_));
    }

    std::string load(std::size_t k, const std::string& base, const std::string& bytes) const {
        return text_.load(k, cuda_.as_vectors(k, cuda_.at_bytes(k, base, "(" + bytes + ")")));
    }

    std::string load_lines(std::size_t k, const std::string& indent) const {
        const std::string base = "kgen_at_" + text_.name(k);
        const std::string value = text_.value(k) + "[kgen_r]";
        switch (cuda_.access(k)) {
            case Access::shared:
                return fmt::format(
                    "{}{} = kgen_tile_{}[((unsigned)kgen_b % {} * kgen_tile.kgen_squares_b + "
                    "(unsigned)kgen_b / {}) * "
                    "kgen_tile.kgen_pitch + kgen_a];\n",
                    indent,
                    value,
                    text_.name(k),
                    baked_.vector,
                    baked_.vector);
            case Access::vector:
                return fmt::format("{}{} = {};\n", indent, value, load(k, base, offset(k)));
            case Access::uniform:
                return fmt::format("{}{} = {};\n",
                                   indent,
                                   value,
                                   text_.load(k, cuda_.at_bytes(k, base, "(" + offset(k) + ")")));
            default:
                break;
        }
        const std::string element = cuda_.at_bytes(
            k,
            base,
            fmt::format(
                "({} + ({})kgen_e * {})", offset(k), cuda_.offset_type(), cuda_.stride(k, a_)));
        return CudaText::repeat(
            indent,
            "kgen_e",
            baked_.vector,
            fmt::format("{}    {}.kgen_at[kgen_e] = {};\n", indent, value, text_.load(k, element)));
    }

    const KernelText& text_;
    CudaText cuda_;
    const Baked& baked_;
    int a_;
    int b_;
};

}  // namespace

std::string_view fill_shared_tiles_loop(const KernelText& text, Slots& slots) {
    const SharedTilesLoop loop(text);
    const CudaText cuda(text);
    slots["divide"] = {cuda.divide("    ", "kgen_at")};
    slots["a"] = {std::to_string(text.baked().rank - 1)};
    slots["b"] = {std::to_string(text.baked().rank - 2)};
    slots["side"] = {std::to_string(text.baked().vector)};
    slots["squares"] = {std::to_string(text.baked().unroll)};
    slots["accesses"] = {std::to_string(text.baked().rows)};
    slots["place"] = {loop.place()};
    slots["shared"] = {loop.shared()};
    slots["stage"] = {loop.stage()};
    slots["compute"] = {loop.compute()};
    return embedded::shared_tiles_cu_in;
}

}  // namespace kgen
