// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "plan/tile_roles.hpp"
#include "source/cuda_text.hpp"
#include "source/loops.hpp"
#include "source/tile_reach_text.hpp"
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
          roles_(text.signature(), text.baked()),
          tiles_(place_tiles(roles_, text.signature(), text.types().dtypes)),
          loose_(text.baked().as<SharedTilesChoice>().loose),
          sides_(text,
                 cuda_,
                 text.baked().as<SharedTilesChoice>().axes_a,
                 text.baked().as<SharedTilesChoice>().axes_b),
          a_(sides_.last_of('a')),
          b_(sides_.last_of('b')) {}

    void write(LoopText& loop) const {
        const auto& choice = baked_.as<SharedTilesChoice>();
        loop.constant("kgen_unroll", choice.squares);
        loop.constant("kgen_rows", choice.vectors);
        loop.constant("kgen_loose", loose_);
        loop.constant("kgen_reads_squares", any(&TileRoles::reads_squares));
        const bool turns = any(&TileRoles::stores_squares) || any(&TileRoles::turns_back);
        loop.constant("kgen_stores_squares", turns);
        loop.constant("kgen_stores_rows", any(&TileRoles::stores_rows));
        loop.member(cuda_.places(0, baked_.rank));
        loop.member("    long long kgen_begin_a, kgen_begin_b;\n");
        loop.member(text_.statements("    ", [&](std::size_t k) {
            return fmt::format("{}* {}", text_.const_type(k), at(k));
        }));
        if (text_.counts()) loop.member("    long long kgen_at;\n");
        loop.member(for_role(&TileRoles::has_tile, "    ", "{0}* {1}"));
        loop.member(for_role(&TileRoles::turns_back, "    ", "{0}* {1}_b"));
        loop.values("kgen_squares", text_.statements("        ", [&](std::size_t k) {
            if (!roles_.reads_squares(k)) return std::string();
            return fmt::format("kgen{}_square<{}, {}> {}",
                               roles_.is_loose(k) ? "_loose" : "",
                               text_.type(k),
                               baked_.vector,
                               text_.value(k));
        }));
        loop.values("kgen_values", text_.statements("        ", [&](std::size_t k) {
            std::string line = cuda_.value_type(k) + " " + text_.value(k);
            if (loads_words(k))
                line +=
                    fmt::format("; kgen_loose<{}, {}> {}", text_.type(k), baked_.vector, around(k));
            if (keeps_pointer(k))
                line += fmt::format("; {}* kgen_pointer_{}", text_.type(k), text_.name(k));
            return line;
        }));
        sides_.write(loop);
        loop.method("kgen_share(unsigned char* kgen_shared)", shared());
        loop.method("kgen_find(unsigned kgen_tile_index)", sides_.find());
        if (loose_)
            loop.function("bool",
                          "kgen_find_inside(int kgen_count_a, int kgen_count_b)",
                          tile_reach_text(text_, cuda_, roles_, sides_));
        // Loads row kgen_e of a square, whose elements lie along b.
        loop.method(
            "kgen_load_square(kgen_squares& kgen_v, int kgen_e, int kgen_a, int kgen_b, bool "
            "kgen_inside, int kgen_valid)",
            text_.statements("        ", [&](std::size_t k) { return load_square(k); }));
        loop.method("kgen_keep_square(kgen_squares& kgen_v, int kgen_slot)",
                    for_role(&TileRoles::reads_squares,
                             "        ",
                             "kgen_keep({1} + kgen_slot, kgen_as_square(kgen_v.{3}), "
                             "kgen_p.kgen_tile.squares_b * kgen_p.kgen_tile.pitch)"));
        loop.method(
            "kgen_load_values(kgen_values& kgen_v, unsigned kgen_slot, int kgen_row, int "
            "kgen_across, bool kgen_inside, int kgen_valid)",
            text_.for_arrays([&](std::size_t k) { return load_values(k); }));
        loop.method("kgen_fit_values(kgen_values& kgen_v)",
                    text_.statements("        ", [&](std::size_t k) {
                        if (!loads_words(k)) return std::string();
                        return fmt::format(
                            "kgen_v.{} = kgen_fit(kgen_v.{})", text_.value(k), around(k));
                    }));
        const std::string index = fmt::format(
            "kgen_at + {} + {}",
            sides_.index_along('b', "kgen_row"),
            sides_.index_along('a', fmt::format("kgen_across * {} + kgen_e", baked_.vector)));
        loop.calling("void",
                     "kgen_call(kgen_values& kgen_v, int kgen_e, int kgen_row, int kgen_across)",
                     "        " + text_.call(index, [&](std::size_t k) { return cuda_.held(k); }));
        loop.method(
            "kgen_store_values(kgen_values& kgen_v, unsigned kgen_slot, int kgen_row, int "
            "kgen_across, int kgen_valid)",
            text_.statements("        ", [&](std::size_t k) { return store_values(k); }));
        // Stores the square of a turned output along b, or keeps it in rows along b.
        loop.method(
            "kgen_store_square(int kgen_slot, int kgen_a, int kgen_b, int kgen_valid_a, int "
            "kgen_valid_b)",
            text_.for_arrays([&](std::size_t k) { return store_square(k); }));
        loop.method(
            "kgen_store_waiting(const kgen_row_places& kgen_direct, const kgen_row_places& "
            "kgen_turned)",
            text_.statements("        ", [&](std::size_t k) { return store_rows(k); }));
    }

private:
    using Role = bool (TileRoles::*)(std::size_t) const;
    bool any(Role role) const {
        for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
            if ((roles_.*role)(k)) return true;
        }
        return false;
    }
    // Whether vectors of the array are read through the words around them while a tile is computed.
    bool loads_words(std::size_t k) const {
        return roles_.is_loose(k) && !roles_.is_turned(k) && roles_.is_loaded(k);
    }
    std::string around(std::size_t k) const { return "kgen_around_" + text_.name(k); }
    std::string_view read_only(std::size_t k) const {
        return baked_.operands[k].loads == Loads::read_only ? "true" : "false";
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
        if (!text_.is_written(k) || baked_.vector > 1 || roles_.is_turned(k) || is_scattered(k))
            return false;
        bool reads_memory = false;
        for (std::size_t other = 0; other < baked_.operands.size(); ++other) {
            const bool is_read = text_.is_array(other) && !text_.is_written(other);
            reads_memory = reads_memory || (is_read && !roles_.is_turned(other));
        }
        return reads_memory || baked_.as<SharedTilesChoice>().vectors == 1;
    }
    std::string kept_pointer(std::size_t k) const { return "kgen_v.kgen_pointer_" + text_.name(k); }
    std::string tile(std::size_t k) const { return "kgen_tile_" + text_.name(k); }

    // Returns `format` for each array with the role, with its vector type, its tile, its element type, its value
    // and the side of a square.
    std::string for_role(Role role, std::string_view indent, std::string_view format) const {
        return text_.statements(indent, [&](std::size_t k) {
            if (!(roles_.*role)(k)) return std::string();
            return fmt::format(fmt::runtime(format),
                               cuda_.vector_type(k),
                               tile(k),
                               text_.type(k),
                               text_.value(k),
                               baked_.vector);
        });
    }

    // Returns statements that assign each array its tiles in the shared memory of the block.
    std::string shared() const {
        return text_.statements("        ", [&](std::size_t k) {
            if (!roles_.has_tile(k)) return std::string();
            const TilePlaces::Place& place = tiles_.places[k];
            std::string line = fmt::format("{} = ({}*)(kgen_shared + kgen_p.kgen_tile.room * {})",
                                           tile(k),
                                           cuda_.vector_type(k),
                                           place.along_a * baked_.vector);
            if (roles_.turns_back(k)) {
                line += fmt::format(
                    "; {}_b = ({}*)(kgen_shared + kgen_p.kgen_tile.room * {} + "
                    "kgen_p.kgen_tile.room_b * {})",
                    tile(k),
                    cuda_.vector_type(k),
                    tiles_.bytes_a * baked_.vector,
                    place.along_b * baked_.vector);
            }
            return line;
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

    // Returns a statement that loads a vector that begins anywhere.
    std::string load_words(std::size_t k, std::string_view to, std::string_view pointer) const {
        return fmt::format(
            "if (kgen_inside) kgen_load_words<{0}>({1}, {2}); else kgen_load_singles<{0}>({1}, "
            "{2}, kgen_valid)",
            read_only(k),
            to,
            pointer);
    }

    std::string load_square(std::size_t k) const {
        if (!roles_.reads_squares(k)) return "";
        const std::string row = fmt::format("kgen_v.{}.kgen_row[kgen_e]", text_.value(k));
        const std::string from = element(k, "kgen_a", "kgen_b");
        if (roles_.is_loose(k)) return load_words(k, row, from);
        if (loose_)
            return fmt::format("kgen_load_apart<{}>({}, {}, {}, kgen_valid)",
                               read_only(k),
                               row,
                               from,
                               cuda_.stride(k, b_));
        const std::string pointer =
            fmt::format("(const kgen_square<{}, {}>::row*){}", text_.type(k), baked_.vector, from);
        const bool is_read_only = baked_.operands[k].loads == Loads::read_only;
        return fmt::format(
            "{} = {}",
            row,
            is_read_only ? fmt::format("kgen_load_line({})", pointer) : text_.load(k, pointer));
    }

    std::string load_values(std::size_t k) const {
        const std::string value = "kgen_v." + text_.value(k);
        if (roles_.reads_squares(k))
            return fmt::format("        {} = {}[kgen_slot];\n", value, tile(k));
        if (loads_words(k))
            return fmt::format("        {};\n", load_words(k, "kgen_v." + around(k), pointer(k)));
        if (roles_.waits(k)) return "";
        if (is_scattered(k))
            return fmt::format(
                "#pragma unroll\n        for (int kgen_e = 0; kgen_e < {}; ++kgen_e) {{\n"
                "            if (kgen_e < kgen_valid) {}.kgen_at[kgen_e] = {};\n        }}\n",
                baked_.vector,
                value,
                text_.load(k, element_of_vector(k)));
        if (loose_ && cuda_.access(k) == Access::elements)
            return fmt::format("        kgen_load_apart<{}>({}, {}, {}, kgen_valid);\n",
                               read_only(k),
                               value,
                               pointer(k),
                               cuda_.stride(k, a_));
        const std::string kept =
            keeps_pointer(k) ? fmt::format("        {} = {};\n", kept_pointer(k), pointer(k)) : "";
        return kept +
               cuda_.load_value(
                   k, "        ", kept.empty() ? pointer(k) : kept_pointer(k), cuda_.stride(k, a_));
    }

    std::string store_values(std::size_t k) const {
        if (!text_.is_written(k)) return "";
        const std::string value = "kgen_v." + text_.value(k);
        if (roles_.waits(k)) return fmt::format("{}[kgen_slot] = {}", tile(k), value);
        if (is_scattered(k))
            return fmt::format(
                "for (int kgen_e = 0; kgen_e < {}; ++kgen_e) {{ if (kgen_e < kgen_valid) {}; }}",
                baked_.vector,
                KernelText::store(element_of_vector(k), value + ".kgen_at[kgen_e]"));
        const std::string to = keeps_pointer(k) ? kept_pointer(k) : pointer(k);
        if (cuda_.access(k) == Access::elements)
            return fmt::format(
                "kgen_store_apart<{0}, {1}>({2}, (const kgen_square<{0}, {1}>::row&){3}"
                ", {4}, kgen_valid)",
                text_.type(k),
                baked_.vector,
                to,
                value,
                cuda_.stride(k, a_));
        return text_.store(cuda_.as_vectors(k, to), value);
    }

    std::string store_square(std::size_t k) const {
        if (!roles_.stores_squares(k) && !roles_.turns_back(k)) return "";
        const int side = baked_.vector;
        std::string text = fmt::format(
            "        kgen_square<{0}, {1}> {2};\n"
            "        kgen_turn_back({3} + kgen_slot, {2}, kgen_p.kgen_tile.squares_b * "
            "kgen_p.kgen_tile.pitch);\n"
            "#pragma unroll\n"
            "        for (int kgen_e = 0; kgen_e < {1}; ++kgen_e) ",
            text_.type(k),
            side,
            text_.value(k),
            tile(k));
        const std::string row = text_.value(k) + ".kgen_row[kgen_e]";
        if (roles_.turns_back(k))
            return text + fmt::format(
                              "(kgen_square<{0}, {1}>::row&){2}_b[(kgen_e * "
                              "kgen_p.kgen_tile.squares_a + kgen_a) * "
                              "kgen_p.kgen_tile.pitch_b + kgen_b] = {3};\n",
                              text_.type(k),
                              side,
                              tile(k),
                              row);
        const std::string to = element(
            k, fmt::format("(kgen_a * {} + kgen_e)", side), fmt::format("kgen_b * {}", side));
        if (loose_)
            return text + fmt::format(
                              "{{\n"
                              "            if (kgen_e < kgen_valid_a) "
                              "kgen_store_apart<{0}, {1}>({2}, {3}, {4}, kgen_valid_b);\n"
                              "        }}\n",
                              text_.type(k),
                              side,
                              to,
                              row,
                              cuda_.stride(k, b_));
        return text +
               fmt::format(
                   "{};\n",
                   KernelText::store(
                       fmt::format("(kgen_square<{}, {}>::row*){}", text_.type(k), side, to), row));
    }

    std::string store_rows(std::size_t k) const {
        if (!roles_.stores_rows(k)) return "";
        const bool turned = roles_.is_turned(k);
        return fmt::format(
            "kgen_store_rows({}{}, kgen_{}, [&](int kgen_r) {{ return {}; }})",
            tile(k),
            turned ? "_b" : "",
            turned ? "turned" : "direct",
            cuda_.at_bytes(k, at(k), "(" + sides_.along(k, turned ? 'a' : 'b', "kgen_r") + ")"));
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
    TileRoles roles_;
    TilePlaces tiles_;
    bool loose_;
    TileSidesText sides_;
    int a_;
    int b_;
};

}  // namespace

void write_shared_tiles_operands(const KernelText& text, LoopText& loop) {
    SharedTilesOperands(text).write(loop);
}

}  // namespace kgen
