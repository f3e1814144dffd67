// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "source/cuda_text.hpp"
#include "source/loops.hpp"

namespace kgen {

namespace {

// Writes the operands of the shared_tiles loop. Axis a is the fastest axis of the output, axis b the fastest
// axis of the transposed inputs, which names call turned.
class SharedTilesOperands {
public:
    explicit SharedTilesOperands(const KernelText& text)
        : text_(text),
          cuda_(text),
          baked_(text.baked()),
          a_(text.baked().rank - 1),
          b_(text.baked().rank - 2) {}

    void write(LoopText& loop) const {
        const auto& choice = baked_.as<SharedTilesChoice>();
        loop.constant("kgen_unroll", choice.squares);
        loop.constant("kgen_rows", choice.vectors);
        loop.member(cuda_.places(0, baked_.rank));
        loop.member("    long long kgen_begin_a, kgen_begin_b;\n");
        loop.member(text_.statements("    ", [&](std::size_t k) {
            return fmt::format("{}* {}", text_.const_type(k), at(k));
        }));
        if (text_.counts()) loop.member("    long long kgen_at;\n");
        loop.member(for_turned("    ", "{0}* {1}"));
        loop.values("kgen_squares", for_turned("        ", "kgen_square<{2}, {4}> {3}"));
        loop.values("kgen_values", text_.statements("        ", [&](std::size_t k) {
            return cuda_.value_type(k) + " " + text_.value(k) +
                   (keeps_pointer(k)
                        ? fmt::format("; {}* kgen_pointer_{}", text_.type(k), text_.name(k))
                        : "");
        }));
        loop.method("kgen_share(unsigned char* kgen_shared)", shared());
        loop.method("kgen_find(unsigned kgen_tile_index)", find());
        // Loads row kgen_e of a square, whose elements lie along b.
        loop.method("kgen_load_square(kgen_squares& kgen_v, int kgen_e, int kgen_a, int kgen_b)",
                    text_.statements("        ", [&](std::size_t k) { return load_square(k); }));
        loop.method(
            "kgen_keep_square(kgen_squares& kgen_v, int kgen_slot)",
            for_turned("        ",
                       "kgen_keep({1} + kgen_slot, kgen_v.{3}, kgen_p.kgen_tile.squares_b * "
                       "kgen_p.kgen_tile.pitch)"));
        loop.method(
            "kgen_load_values(kgen_values& kgen_v, unsigned kgen_slot, int kgen_row, int "
            "kgen_across)",
            text_.for_arrays([&](std::size_t k) {
                if (is_turned(k))
                    return fmt::format(
                        "        kgen_v.{} = {}[kgen_slot];\n", text_.value(k), tile(k));
                const std::string kept =
                    keeps_pointer(k)
                        ? fmt::format("        {} = {};\n", kept_pointer(k), pointer(k))
                        : "";
                return kept + cuda_.load_value(k,
                                               "        ",
                                               kept.empty() ? pointer(k) : kept_pointer(k),
                                               cuda_.stride(k, a_));
            }));
        const std::string index = fmt::format(
            "kgen_at + kgen_row * kgen_p.kgen_input_strides[{}] + "
            "(kgen_across * {} + kgen_e) * kgen_p.kgen_input_strides[{}]",
            b_,
            baked_.vector,
            a_);
        loop.calling("void",
                     "kgen_call(kgen_values& kgen_v, int kgen_e, int kgen_row, int kgen_across)",
                     "        " + text_.call(index, [&](std::size_t k) { return cuda_.held(k); }));
        loop.method("kgen_store_values(kgen_values& kgen_v, int kgen_row, int kgen_across)",
                    text_.statements("        ", [&](std::size_t k) {
                        if (!text_.is_written(k)) return std::string();
                        const std::string to = keeps_pointer(k) ? kept_pointer(k) : pointer(k);
                        return text_.store(cuda_.as_vectors(k, to), "kgen_v." + text_.value(k));
                    }));
    }

private:
    bool is_turned(std::size_t k) const { return cuda_.access(k) == Access::shared; }
    std::string at(std::size_t k) const { return "kgen_at_" + text_.name(k); }
    // Whether the store reuses the pointer of the load instead of computing the place again. Measured on an
    // H200 for arrays that are transposed element by element, first with the pointer, then with the place
    // computed again:
    // - product of float32 with one input that is not transposed: 0.8246 ms and 0.9384;
    // - copies with one vector at once: uint8 0.4672 and 0.4914, float16 0.4849 and 0.5121;
    // - copies of float32 with four vectors at once: 0.6846 and 0.6554, so these compute the place again.
    // A 32-bit offset instead of the pointer takes 0.9728, 0.4940, 0.5054 and 0.6800 ms.
    bool keeps_pointer(std::size_t k) const {
        if (!text_.is_written(k) || baked_.vector > 1) return false;
        bool reads_memory = false;
        for (std::size_t other = 0; other < baked_.operands.size(); ++other) {
            const bool is_read = text_.is_array(other) && !text_.is_written(other);
            reads_memory = reads_memory || (is_read && !is_turned(other));
        }
        return reads_memory || baked_.as<SharedTilesChoice>().vectors == 1;
    }
    std::string kept_pointer(std::size_t k) const { return "kgen_v.kgen_pointer_" + text_.name(k); }
    std::string tile(std::size_t k) const { return "kgen_tile_" + text_.name(k); }

    // Returns `format` for each transposed array, with its vector type, its tile, its element type, its value
    // and the side of a square.
    std::string for_turned(std::string_view indent, std::string_view format) const {
        return text_.statements(indent, [&](std::size_t k) {
            if (!is_turned(k)) return std::string();
            return fmt::format(fmt::runtime(format),
                               cuda_.vector_type(k),
                               tile(k),
                               text_.type(k),
                               text_.value(k),
                               baked_.vector);
        });
    }

    // Returns statements that assign each transposed array its part of the shared memory of the block.
    std::string shared() const {
        std::string before = "0";
        return text_.statements("        ", [&](std::size_t k) {
            if (!is_turned(k)) return std::string();
            const std::string line =
                fmt::format("{} = ({}*)(kgen_shared + kgen_p.kgen_tile.room * ({}))",
                            tile(k),
                            cuda_.vector_type(k),
                            before);
            before += fmt::format(" + sizeof({})", cuda_.vector_type(k));
            return line;
        });
    }

    // Returns statements that find the begin of the tile and of each array's part of it.
    std::string find() const {
        const auto place = [&](int axis) {
            if (axis == a_) return std::string("kgen_begin_a");
            return axis == b_ ? "kgen_begin_b" : fmt::format("kgen_i{}", axis);
        };
        std::string text =
            cuda_.divide("        ", "kgen_tile_index", 0, baked_.rank) +
            fmt::format(
                "        kgen_begin_a = (long long)kgen_i{} * kgen_p.kgen_tile.tile_a;\n"
                "        kgen_begin_b = (long long)kgen_i{} * kgen_p.kgen_tile.tile_b;\n",
                a_,
                b_) +
            text_.statements("        ", [&](std::size_t k) {
                const std::string offset =
                    cuda_.offset(k, 0, baked_.rank, cuda_.offset_type(), place);
                return fmt::format(
                    "{} = {}", at(k), cuda_.at_bytes(k, cuda_.data(k), "(" + offset + ")"));
            });
        if (!text_.counts()) return text;
        return text + fmt::format("        kgen_at = {};\n", cuda_.moved_index("long long", place));
    }

    std::string load_square(std::size_t k) const {
        if (!is_turned(k)) return "";
        const std::string offset = fmt::format("(({0})kgen_a * {1} + ({0})kgen_b * {2})",
                                               cuda_.offset_type(),
                                               cuda_.stride(k, a_),
                                               cuda_.stride(k, b_));
        const std::string pointer = fmt::format("(const kgen_square<{}, {}>::row*){}",
                                                text_.type(k),
                                                baked_.vector,
                                                cuda_.at_bytes(k, at(k), offset));
        const bool read_only = baked_.operands[k].loads == Loads::read_only;
        return fmt::format(
            "kgen_v.{}.kgen_row[kgen_e] = {}",
            text_.value(k),
            read_only ? fmt::format("kgen_load_line({})", pointer) : text_.load(k, pointer));
    }

    // Returns a pointer to the first element of a thread's vector.
    std::string pointer(std::size_t k) const {
        return cuda_.at_bytes(k,
                              at(k),
                              fmt::format("(({0})kgen_row * {1} + ({0})kgen_across * {2} * {3})",
                                          cuda_.offset_type(),
                                          cuda_.stride(k, b_),
                                          baked_.vector,
                                          cuda_.stride(k, a_)));
    }

    const KernelText& text_;
    CudaText cuda_;
    const Baked& baked_;
    int a_;
    int b_;
};

}  // namespace

void write_shared_tiles_operands(const KernelText& text, LoopText& loop) {
    SharedTilesOperands(text).write(loop);
}

}  // namespace kgen
