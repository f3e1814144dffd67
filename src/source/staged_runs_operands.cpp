// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "source/cuda_text.hpp"
#include "source/loops.hpp"
#include "source/tile_sides_text.hpp"

namespace kgen {

namespace {

// Writes the operands of the staged_runs loop. Rows lie along side b, and side a counts them.
class StagedRunsOperands {
public:
    explicit StagedRunsOperands(const KernelText& text)
        : text_(text),
          cuda_(text),
          baked_(text.baked()),
          sides_(text,
                 cuda_,
                 text.baked().as<StagedRunsChoice>().axes_a,
                 text.baked().as<StagedRunsChoice>().axes_b) {}

    void write(LoopText& loop) const {
        loop.constant("kgen_unroll", choice().rows);
        loop.constant("kgen_stages_inputs", sides_.any(&TileSidesText::is_read_turned));
        loop.constant("kgen_stages_outputs", sides_.any(&TileSidesText::is_written_turned));
        loop.constant("kgen_has_tables", has_tables());
        loop.member(cuda_.places(0, text_.baked().rank));
        loop.member("    long long kgen_begin_a, kgen_begin_b;\n");
        loop.member(text_.statements("    ", [&](std::size_t k) {
            return fmt::format("{}* {}", text_.const_type(k), at(k));
        }));
        loop.member(text_.statements("    ", [&](std::size_t k) {
            return fmt::format("{}char* {}", text_.is_written(k) ? "" : "const ", place(k)) +
                   (sides_.is_turned(k)
                        ? fmt::format("; int {}, {}; char* {}", pitch(k), low(k), runs(k))
                        : "") +
                   (keeps_rows(k) ? fmt::format("; int {}[{}]", rows(k), baked_.vector) : "") +
                   (has_table(k) ? fmt::format("; int* {}", table(k)) : "") +
                   (is_same(k) ? fmt::format("; {} {}", text_.type(k), same(k)) : "");
        }));
        if (baked_.vector > 1) loop.member("    int kgen_found;\n");
        if (text_.counts()) loop.member("    long long kgen_at, kgen_part;\n");
        loop.values("kgen_values", text_.statements("        ", [&](std::size_t k) {
            return cuda_.value_type(k) + " " + text_.value(k);
        }));
        sides_.write(loop);
        loop.method("kgen_find(unsigned kgen_tile_index)", sides_.find());
        loop.method("kgen_share(char* kgen_bytes, int kgen_count_b)", share());
        loop.method("kgen_fill_tables(int kgen_r)",
                    text_.statements("        ", [&](std::size_t k) {
                        if (!has_table(k)) return std::string();
                        return fmt::format(
                            "{}[kgen_r] = {} - {} - {} + (int)((unsigned long long)({} + {}) % 16)",
                            table(k),
                            place_in_tile(k, "kgen_r"),
                            place_in_tile(k, "-kgen_p.kgen_tile.skew"),
                            low(k),
                            memory_row(k),
                            low(k));
                    }));
        loop.method(
            "kgen_stage_inputs(int kgen_first, int kgen_count_a, int kgen_count_b)",
            text_.statements("        ", [&](std::size_t k) {
                if (!sides_.is_read_turned(k)) return std::string();
                return copy_runs(
                    "kgen_first",
                    fmt::format("kgen_stage_run(({0}*)({1} + {2}), (const {0}*)({3} + {2}), "
                                "kgen_rows * kgen_count_b, (const char*){4} + "
                                "kgen_p.kgen_reach_{5}[0], (const char*){4} + "
                                "kgen_p.kgen_reach_{5}[1], kgen_lane, kgen_lanes)",
                                text_.type(k),
                                staged_row(k),
                                low(k),
                                memory_row(k),
                                cuda_.data(k),
                                text_.name(k)));
            }));
        loop.method("kgen_store_outputs(int kgen_count_a, int kgen_count_b)",
                    text_.statements("        ", [&](std::size_t k) {
                        if (!sides_.is_written_turned(k)) return std::string();
                        return copy_runs(
                            "0",
                            fmt::format("kgen_unstage(({0}*)({1} + {2}), (const {0}*)({3} + {2}), "
                                        "kgen_rows * kgen_count_b, kgen_lane, kgen_lanes)",
                                        text_.type(k),
                                        memory_row(k),
                                        low(k),
                                        staged_row(k)));
                    }));
        // Finds place kgen_e along b.
        loop.method(
            "kgen_find_element(int kgen_e)",
            text_.statements("        ",
                             [&](std::size_t k) {
                                 std::string line = place(k) + " = " + place_along_b(k);
                                 if (is_same(k))
                                     line += fmt::format(
                                         "; {} = {}", same(k), text_.load(k, element(k, "0")));
                                 return line;
                             }) +
                (text_.counts()
                     ? fmt::format("        kgen_part = {};\n", sides_.index_along('b', "kgen_e"))
                     : ""));
        // Finds the rows of a thread's vector in shared memory, unless it has found them for an earlier place along b.
        loop.method("kgen_find_rows(int kgen_r)", find_rows());
        // Returns the number of elements from the begin of a sector to the first row at this place.
        loop.function("int", "kgen_find_skew() const", find_skew());
        loop.method("kgen_load_values(kgen_values& kgen_v, int kgen_r)",
                    text_.for_arrays([&](std::size_t k) { return load_values(k); }));
        loop.method("kgen_load_element(kgen_values& kgen_v, int kgen_r)",
                    text_.statements("        ", [&](std::size_t k) {
                        if (is_not_read(k)) return std::string();
                        if (is_same(k)) return fmt::format("{} = {}", value(k), same(k));
                        return fmt::format(
                            "{}.kgen_at[0] = {}", value(k), load_element(k, element(k, "kgen_r")));
                    }));
        loop.calling(
            "void",
            "kgen_call(kgen_values& kgen_v, int kgen_e, int kgen_r)",
            "        " + text_.call("kgen_at + kgen_part + " + sides_.index_along('a', "kgen_r"),
                                    [&](std::size_t k) { return cuda_.held(k); }));
        loop.method("kgen_store_values(const kgen_values& kgen_v, int kgen_r)",
                    text_.for_arrays([&](std::size_t k) { return store_values(k); }));
        loop.method("kgen_store_element(const kgen_values& kgen_v, int kgen_r)",
                    text_.statements("        ", [&](std::size_t k) {
                        return text_.is_written(k)
                                   ? store_element(
                                         k, element(k, "kgen_r"), value(k) + ".kgen_at[0]")
                                   : "";
                    }));
    }

private:
    const StagedRunsChoice& choice() const { return baked_.as<StagedRunsChoice>(); }
    // Whether all rows of a tile have one element of the array at a place along b, which is then read once.
    bool is_same(std::size_t k) const {
        return text_.is_array(k) && cuda_.access(k) == Access::uniform;
    }
    std::string same(std::size_t k) const { return "kgen_same_" + text_.name(k); }
    bool is_not_read(std::size_t k) const {
        return sides_.is_turned(k) && !sides_.is_read_turned(k);
    }
    std::string value(std::size_t k) const { return "kgen_v." + text_.value(k); }

    bool has_tables() const {
        for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
            if (has_table(k)) return true;
        }
        return false;
    }
    std::string at(std::size_t k) const { return "kgen_at_" + text_.name(k); }
    // The element of the tile's first row at the thread's place along b, in bytes.
    std::string place(std::size_t k) const { return "kgen_place_" + text_.name(k); }
    // The place of the tile's first row in shared memory, and the bytes from row to row there.
    std::string runs(std::size_t k) const { return "kgen_runs_" + text_.name(k); }
    std::string pitch(std::size_t k) const { return "kgen_pitch_" + text_.name(k); }

    // The bytes from element 0 of a row to its element with the lowest address, at most 0.
    std::string low(std::size_t k) const { return "kgen_low_" + text_.name(k); }
    // Whether the distances between rows differ in memory. A table then has each row's place in shared memory.
    bool has_table(std::size_t k) const { return sides_.is_turned(k) && !sides_.is_linear(k, 'a'); }
    std::string table(std::size_t k) const { return "kgen_rows_" + text_.name(k); }
    std::string row_stride(std::size_t k) const {
        return has_table(k) ? "0" : cuda_.stride(k, sides_.last_of('a'));
    }

    // Where the rows of a thread's vector lie in shared memory, in bytes. They are usually the same for all places along b of a thread.
    std::string rows(std::size_t k) const { return "kgen_kept_rows_" + text_.name(k); }
    bool keeps_rows(std::size_t k) const { return sides_.is_turned(k) && baked_.vector > 1; }
    // Returns the distance of a row from row 0 in shared memory. If there is a table, row 0 stands for one whose memory begins at a multiple
    // of 16 bytes.
    std::string place_in_tile(std::size_t k, std::string_view row) const {
        return fmt::format(
            "kgen_run_place(kgen_p.kgen_tile, {}, {}, {})", baked_.vector, pitch(k), row);
    }
    std::string place_of_row(std::size_t k, std::string_view row) const {
        return has_table(k) ? fmt::format("{}[{}]", table(k), row) : place_in_tile(k, row);
    }

    std::string place_along_b(std::size_t k) const {
        if (sides_.is_turned(k))
            return fmt::format(
                "{} + kgen_e * (int){}", runs(k), cuda_.stride(k, sides_.last_of('b')));
        return fmt::format("({}char*){} + {}",
                           text_.is_written(k) ? "" : "const ",
                           at(k),
                           sides_.along(k, 'b', "kgen_e"));
    }
    // Return a pointer to element 0 of row kgen_r in shared memory and in memory, in bytes.
    std::string staged_row(std::size_t k) const {
        return runs(k) + " + " + place_of_row(k, "kgen_r");
    }
    std::string memory_row(std::size_t k) const {
        return fmt::format("({}char*){} + {}",
                           text_.is_written(k) ? "" : "const ",
                           at(k),
                           sides_.along(k, 'a', "kgen_r"));
    }
    // Returns a pointer to the element of a row at the thread's place along b.
    std::string element(std::size_t k, std::string_view row) const {
        const std::string from =
            sides_.is_turned(k) ? place_of_row(k, row) : sides_.along(k, 'a', row);
        return fmt::format("({}*)({} + {})",
                           sides_.is_turned(k) ? text_.type(k) : text_.const_type(k),
                           place(k),
                           from);
    }
    // Returns a pointer to element kgen_e of a thread's vector.
    std::string element_of_vector(std::size_t k) const {
        if (keeps_rows(k))
            return fmt::format("({}*)({} + {}[kgen_e])", text_.type(k), place(k), rows(k));
        return element(k, "(kgen_r + kgen_e)");
    }
    std::string load_element(std::size_t k, const std::string& pointer) const {
        return sides_.is_turned(k) ? "*" + pointer : text_.load(k, pointer);
    }
    std::string store_element(std::size_t k,
                              const std::string& pointer,
                              const std::string& from) const {
        return sides_.is_turned(k) ? fmt::format("*{} = {}", pointer, from)
                                   : KernelText::store(pointer, from);
    }
    std::string each_element(const std::string& statement) const {
        return fmt::format(
            "#pragma unroll\n        for (int kgen_e = 0; kgen_e < {}; ++kgen_e) {};\n",
            baked_.vector,
            statement);
    }

    std::string load_values(std::size_t k) const {
        if (is_not_read(k)) return "";
        if (is_same(k)) return fmt::format("        {} = {};\n", value(k), same(k));
        if (cuda_.access(k) == Access::vector)
            return fmt::format("        {} = {};\n",
                               value(k),
                               text_.load(k, cuda_.as_vectors(k, element(k, "kgen_r"))));
        return each_element(fmt::format(
            "{}.kgen_at[kgen_e] = {}", value(k), load_element(k, element_of_vector(k))));
    }
    std::string store_values(std::size_t k) const {
        if (!text_.is_written(k)) return "";
        if (cuda_.access(k) == Access::vector)
            return fmt::format(
                "        {};\n",
                KernelText::store(cuda_.as_vectors(k, element(k, "kgen_r")), value(k)));
        return each_element(store_element(k, element_of_vector(k), value(k) + ".kgen_at[kgen_e]"));
    }

    std::string find_rows() const {
        if (baked_.vector == 1) return "";
        return "        if (kgen_r == kgen_found) return;\n        kgen_found = kgen_r;\n" +
               text_.for_arrays([&](std::size_t k) {
                   if (!keeps_rows(k)) return std::string();
                   return each_element(fmt::format(
                       "{}[kgen_e] = {}", rows(k), place_of_row(k, "(kgen_r + kgen_e)")));
               });
    }
    static std::string copy_runs(std::string_view first, std::string_view copy) {
        return fmt::format(
            "kgen_each_run(kgen_p.kgen_tile, {}, kgen_count_a, [&](int kgen_r, int kgen_rows, int "
            "kgen_lane, int kgen_lanes) {{ {}; }})",
            first,
            copy);
    }

    // Returns statements that assign each staged array its part of the block's shared memory.
    std::string share() const {
        const std::string parts = text_.statements("        ", [&](std::size_t k) {
            if (!sides_.is_turned(k)) return std::string();
            std::string text = fmt::format(
                "{0} = kgen_least((long long)(kgen_count_b - 1) * {1}, 0); "
                "{2} = kgen_run_pitch(kgen_p.kgen_tile, {3}, (int)sizeof({4}), {5}); ",
                low(k),
                cuda_.stride(k, sides_.last_of('b')),
                pitch(k),
                baked_.vector,
                text_.type(k),
                row_stride(k));
            if (has_table(k))
                text += fmt::format(
                    "{} = (int*)kgen_bytes + kgen_p.kgen_tile.skew; "
                    "kgen_bytes += kgen_table_room(kgen_p.kgen_tile); {} = kgen_bytes; ",
                    table(k),
                    runs(k));
            else
                text += fmt::format(
                    "{0} = (char*)kgen_staged_at(kgen_bytes, (const char*){1} + {2} - "
                    "kgen_p.kgen_tile.skew * {3}) - {2} - {4}; ",
                    runs(k),
                    at(k),
                    low(k),
                    row_stride(k),
                    place_in_tile(k, "-kgen_p.kgen_tile.skew"));
            return text + fmt::format("kgen_bytes += kgen_run_room(kgen_p.kgen_tile, {}, {})",
                                      baked_.vector,
                                      pitch(k));
        });
        if (baked_.vector == 1) return parts;
        return parts + "        kgen_found = -kgen_p.kgen_tile.skew - 1;  // no row\n";
    }

    // The sectors are those of the first output.
    std::string find_skew() const {
        for (std::size_t k = 0; k < baked_.operands.size(); ++k) {
            if (!text_.is_array(k) || !text_.is_written(k)) continue;
            if (sides_.is_turned(k)) break;
            return fmt::format(
                "        return (int)((unsigned long long){} % 32) / (int)sizeof({});\n",
                place(k),
                text_.type(k));
        }
        return "        return 0;\n";
    }

    const KernelText& text_;
    CudaText cuda_;
    const Baked& baked_;
    TileSidesText sides_;
};

}  // namespace

void write_staged_runs_operands(const KernelText& text, LoopText& loop) {
    StagedRunsOperands(text).write(loop);
}

}  // namespace kgen
