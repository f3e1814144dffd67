// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "plan/tile_places.hpp"
#include "source/cuda_text.hpp"
#include "source/loops.hpp"
#include "source/tile_sides_text.hpp"

namespace kgen {

namespace {

// Writes the operands of the shared_tiles loop. Side a begins with the fastest axis of most arrays, side b with that
// of the turned ones.
class SharedTilesOperands {
public:
    explicit SharedTilesOperands(const KernelText& text)
        : text_(text),
          cuda_(text),
          baked_(text.baked()),
          tiles_(place_tiles(text.signature(), text.baked(), text.types().dtypes)),
          sides_(text,
                 cuda_,
                 text.baked().as<SharedTilesChoice>().axes_a,
                 text.baked().as<SharedTilesChoice>().axes_b),
          a_(sides_.last_of('a')) {}

    void write(LoopText& loop) const {
        const auto& choice = baked_.as<SharedTilesChoice>();
        loop.constant("kgen_pack_b", choice.side_b);
        loop.constant("kgen_unroll", choice.patches);
        loop.constant("kgen_rows", choice.vectors);
        loop.constant("kgen_straight", choice.straight);
        loop.constant("kgen_reads_patches", sides_.any(&TileSidesText::is_read_turned));
        loop.constant("kgen_stores_patches", sides_.any(&TileSidesText::is_written_turned));
        loop.member(cuda_.places(0, baked_.rank));
        loop.member("    long long kgen_begin_a, kgen_begin_b;\n");
        loop.member(text_.statements("    ", [&](std::size_t k) {
            return fmt::format("{}* {}", text_.const_type(k), at(k));
        }));
        if (text_.counts()) loop.member("    long long kgen_at;\n");
        loop.member(text_.statements("    ", [&](std::size_t k) {
            return sides_.is_turned(k) ? fmt::format("{}* {}", cuda_.vector_type(k), tile(k)) : "";
        }));
        loop.values("kgen_patches", text_.statements("        ", [&](std::size_t k) {
            if (!sides_.is_read_turned(k)) return std::string();
            return fmt::format("{} {}", patch_type(k), text_.value(k));
        }));
        loop.values("kgen_values", text_.statements("        ", [&](std::size_t k) {
            std::string line = cuda_.value_type(k) + " " + text_.value(k);
            if (keeps_pointer(k))
                line += fmt::format("; {}* kgen_pointer_{}", text_.type(k), text_.name(k));
            return line;
        }));
        sides_.write(loop);
        loop.method("kgen_share(unsigned char* kgen_shared)", shared());
        loop.method("kgen_find(unsigned kgen_tile_index)", sides_.find());
        // Loads row kgen_e of a patch, whose elements lie along b.
        loop.method("kgen_load_patch(kgen_patches& kgen_v, int kgen_e, int kgen_a, int kgen_b)",
                    text_.statements("        ", [&](std::size_t k) { return load_patch(k); }));
        loop.method("kgen_keep_patch(kgen_patches& kgen_v, int kgen_slot)",
                    text_.statements("        ", [&](std::size_t k) {
                        if (!sides_.is_read_turned(k)) return std::string();
                        return fmt::format("kgen_keep({} + kgen_slot, kgen_v.{}, {})",
                                           tile(k),
                                           text_.value(k),
                                           row_distance);
                    }));
        loop.method(
            "kgen_load_values(kgen_values& kgen_v, unsigned kgen_slot, int kgen_row, int "
            "kgen_across)",
            text_.for_arrays([&](std::size_t k) { return load_values(k); }));
        const std::string first = "kgen_at + " + sides_.index_along('b', "kgen_row");
        const std::string across = fmt::format("kgen_across * {}", baked_.vector);
        const std::string index =
            text_.drawn_alignment() > 0
                ? text_.drawn_index(first + " + " + across, "kgen_e")
                : first + " + " + sides_.index_along('a', across + " + kgen_e");
        loop.calling("void",
                     "kgen_call(kgen_values& kgen_v, int kgen_e, int kgen_row, int kgen_across)",
                     "        " + text_.call(index, [&](std::size_t k) { return cuda_.held(k); }));
        loop.method(
            "kgen_store_values(kgen_values& kgen_v, unsigned kgen_slot, int kgen_row, int "
            "kgen_across)",
            text_.statements("        ", [&](std::size_t k) { return store_values(k); }));
        // Stores the patch of a turned output along b.
        loop.method("kgen_store_patch(int kgen_slot, int kgen_a, int kgen_b)",
                    text_.for_arrays([&](std::size_t k) { return store_patch(k); }));
    }

private:
    // Vectors between the rows of a patch in shared memory.
    static constexpr std::string_view row_distance =
        "kgen_p.kgen_tile.patches_b * kgen_p.kgen_tile.pitch";
    int side_b() const { return baked_.as<SharedTilesChoice>().side_b; }
    std::string patch_type(std::size_t k) const {
        return fmt::format("kgen_patch<{}, {}, {}>", text_.type(k), baked_.vector, side_b());
    }
    std::string at(std::size_t k) const { return "kgen_at_" + text_.name(k); }
    // Whether the store reuses the pointer of the load instead of computing the place again. Measured on an
    // H200 for arrays that are transposed element by element, first with the pointer, then with the place
    // computed again:
    // - product of float32 with one input that is not transposed: 0.8246 ms and 0.9384;
    // - copies with one vector at once: uint8 0.4672 and 0.4914, float16 0.4849 and 0.5121;
    // - copies of float32 with four vectors at once: 0.6846 and 0.6554, so these compute the place again.
    // A 32-bit offset instead of the pointer takes 0.9728, 0.4940, 0.5054 and 0.6800 ms.
    bool keeps_pointer(std::size_t k) const {
        if (!text_.is_written(k) || baked_.vector > 1 || sides_.is_turned(k) || is_scattered(k))
            return false;
        bool reads_memory = false;
        for (std::size_t other = 0; other < baked_.operands.size(); ++other) {
            const bool is_read = text_.is_array(other) && !text_.is_written(other);
            reads_memory = reads_memory || (is_read && !sides_.is_turned(other));
        }
        return reads_memory || baked_.as<SharedTilesChoice>().vectors == 1;
    }
    std::string kept_pointer(std::size_t k) const { return "kgen_v.kgen_pointer_" + text_.name(k); }
    std::string tile(std::size_t k) const { return "kgen_tile_" + text_.name(k); }

    // Returns statements that assign each array its tile in the shared memory of the block.
    std::string shared() const {
        return text_.statements("        ", [&](std::size_t k) {
            if (!sides_.is_turned(k)) return std::string();
            return fmt::format("{} = ({}*)(kgen_shared + kgen_p.kgen_tile.room * {})",
                               tile(k),
                               cuda_.vector_type(k),
                               tiles_.at[k] * baked_.vector);
        });
    }

    // Returns a pointer to the element at kgen_a and kgen_b, which are counted from the begin of the tile.
    std::string element(std::size_t k, std::string_view a, std::string_view b) const {
        return cuda_.at_bytes(
            k, at(k), fmt::format("({} + {})", sides_.along(k, 'a', a), sides_.along(k, 'b', b)));
    }
    // Returns a pointer to element kgen_e of a thread's vector.
    std::string element_of_vector(std::size_t k) const {
        return element(k, fmt::format("(kgen_across * {} + kgen_e)", baked_.vector), "kgen_row");
    }
    // Whether the elements of a thread's vector are found one by one, because they lie along several axes.
    bool is_scattered(std::size_t k) const {
        return cuda_.access(k) == Access::elements && !sides_.is_linear(k, 'a');
    }

    std::string load_patch(std::size_t k) const {
        if (!sides_.is_read_turned(k)) return "";
        const std::string pointer =
            fmt::format("(const {}::row*){}", patch_type(k), element(k, "kgen_a", "kgen_b"));
        const bool is_read_only = baked_.operands[k].loads == Loads::read_only;
        return fmt::format(
            "kgen_v.{}.kgen_row[kgen_e] = {}",
            text_.value(k),
            is_read_only ? fmt::format("kgen_load_line({})", pointer) : text_.load(k, pointer));
    }

    std::string load_values(std::size_t k) const {
        const std::string value = "kgen_v." + text_.value(k);
        if (sides_.is_read_turned(k))
            return fmt::format("        {} = {}[kgen_slot];\n", value, tile(k));
        if (sides_.is_turned(k)) return "";
        if (is_scattered(k))
            return fmt::format(
                "#pragma unroll\n        for (int kgen_e = 0; kgen_e < {}; ++kgen_e) "
                "{}.kgen_at[kgen_e] = {};\n",
                baked_.vector,
                value,
                text_.load(k, element_of_vector(k)));
        const std::string kept =
            keeps_pointer(k) ? fmt::format("        {} = {};\n", kept_pointer(k), pointer(k)) : "";
        return kept +
               cuda_.load_value(
                   k, "        ", kept.empty() ? pointer(k) : kept_pointer(k), cuda_.stride(k, a_));
    }

    std::string store_values(std::size_t k) const {
        if (!text_.is_written(k)) return "";
        const std::string value = "kgen_v." + text_.value(k);
        if (sides_.is_turned(k)) return fmt::format("{}[kgen_slot] = {}", tile(k), value);
        if (cuda_.access(k) == Access::elements && !keeps_pointer(k))
            return fmt::format("for (int kgen_e = 0; kgen_e < {}; ++kgen_e) {}",
                               baked_.vector,
                               KernelText::store(element_of_vector(k), value + ".kgen_at[kgen_e]"));
        return text_.store(cuda_.as_vectors(k, keeps_pointer(k) ? kept_pointer(k) : pointer(k)),
                           value);
    }

    std::string store_patch(std::size_t k) const {
        if (!sides_.is_written_turned(k)) return "";
        const std::string to = element(k,
                                       fmt::format("(kgen_a * {} + kgen_e)", baked_.vector),
                                       fmt::format("kgen_b * {}", side_b()));
        return fmt::format(
            "        {0} {2};\n"
            "        kgen_turn_back({3} + kgen_slot, {2}, {4});\n"
            "#pragma unroll\n"
            "        for (int kgen_e = 0; kgen_e < {1}; ++kgen_e) {5};\n",
            patch_type(k),
            baked_.vector,
            text_.value(k),
            tile(k),
            row_distance,
            KernelText::store(fmt::format("({}::row*){}", patch_type(k), to),
                              text_.value(k) + ".kgen_row[kgen_e]"));
    }

    // Returns a pointer to the first element of a thread's vector.
    std::string pointer(std::size_t k) const {
        return cuda_.at_bytes(
            k,
            at(k),
            fmt::format("({} + {})",
                        sides_.along(k, 'b', "kgen_row"),
                        sides_.along(k, 'a', fmt::format("(kgen_across * {})", baked_.vector))));
    }

    const KernelText& text_;
    CudaText cuda_;
    const Baked& baked_;
    TilePlaces tiles_;
    TileSidesText sides_;
    int a_;
};

}  // namespace

void write_shared_tiles_operands(const KernelText& text, LoopText& loop) {
    SharedTilesOperands(text).write(loop);
}

}  // namespace kgen
