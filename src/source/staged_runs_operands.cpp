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
          sides_(text,
                 cuda_,
                 text.baked().as<StagedRunsChoice>().axes_a,
                 text.baked().as<StagedRunsChoice>().axes_b) {}

    void write(LoopText& loop) const {
        loop.constant("kgen_unroll", text_.baked().as<StagedRunsChoice>().rows);
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
                   (has_table(k) ? fmt::format("; int* {}", table(k)) : "");
        }));
        if (text_.counts()) loop.member("    long long kgen_at, kgen_part;\n");
        loop.values("kgen_values", text_.statements("        ", [&](std::size_t k) {
            return text_.type(k) + " " + text_.value(k);
        }));
        sides_.write(loop);
        loop.method("kgen_find(unsigned kgen_tile_index)", sides_.find());
        loop.method("kgen_share(char* kgen_bytes, int kgen_count_b)", share());
        loop.method("kgen_place_row(int kgen_r)", text_.statements("        ", [&](std::size_t k) {
            if (!has_table(k)) return std::string();
            return fmt::format(
                "{0}[kgen_r] = (kgen_r + kgen_p.kgen_tile.skew) * {1} - {2} + "
                "(int)((unsigned long long)({3} + {2}) % 16)",
                table(k),
                pitch(k),
                low(k),
                memory_row(k));
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
                             [&](std::size_t k) { return place(k) + " = " + place_along_b(k); }) +
                (text_.counts()
                     ? fmt::format("        kgen_part = {};\n", sides_.index_along('b', "kgen_e"))
                     : ""));
        // Returns the number of elements from the begin of a sector to the first row at this place.
        loop.function("int", "kgen_find_skew() const", find_skew());
        loop.method("kgen_load_values(kgen_values& kgen_v, int kgen_r)",
                    text_.statements("        ", [&](std::size_t k) {
                        if (sides_.is_turned(k) && !sides_.is_read_turned(k)) return std::string();
                        return fmt::format(
                            "kgen_v.{} = {}",
                            text_.value(k),
                            sides_.is_turned(k) ? "*" + element(k) : text_.load(k, element(k)));
                    }));
        loop.calling(
            "void",
            "kgen_call(kgen_values& kgen_v, int kgen_r)",
            "        " + text_.call("kgen_at + kgen_part + " + sides_.index_along('a', "kgen_r"),
                                    [&](std::size_t k) { return "kgen_v." + text_.value(k); }));
        loop.method("kgen_store_values(const kgen_values& kgen_v, int kgen_r)",
                    text_.statements("        ", [&](std::size_t k) {
                        if (!text_.is_written(k)) return std::string();
                        const std::string value = "kgen_v." + text_.value(k);
                        return sides_.is_turned(k) ? fmt::format("*{} = {}", element(k), value)
                                                   : text_.store(element(k), value);
                    }));
    }

private:
    bool has_tables() const {
        for (std::size_t k = 0; k < text_.baked().operands.size(); ++k) {
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

    std::string place_along_b(std::size_t k) const {
        if (sides_.is_turned(k))
            return fmt::format(
                "{} + kgen_e * (int){}", runs(k), cuda_.stride(k, sides_.last_of('b')));
        return fmt::format("({}char*){} + {}",
                           text_.is_written(k) ? "" : "const ",
                           at(k),
                           sides_.along(k, 'b', "kgen_e"));
    }
    // Returns a pointer to element 0 of row kgen_r in shared memory or in memory, in bytes.
    std::string staged_row(std::size_t k, std::string_view begin = {}) const {
        return fmt::format("{} + {}",
                           begin.empty() ? runs(k) : begin,
                           has_table(k) ? table(k) + "[kgen_r]" : "kgen_r * " + pitch(k));
    }
    std::string memory_row(std::size_t k) const {
        return fmt::format("({}char*){} + {}",
                           text_.is_written(k) ? "" : "const ",
                           at(k),
                           sides_.along(k, 'a', "kgen_r"));
    }
    // Returns a pointer to the element of row kgen_r at the thread's place along b.
    std::string element(std::size_t k) const {
        return sides_.is_turned(k)
                   ? fmt::format("({}*)({})", text_.type(k), staged_row(k, place(k)))
                   : fmt::format("({}*)({} + {})",
                                 text_.const_type(k),
                                 place(k),
                                 sides_.along(k, 'a', "kgen_r"));
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
        return text_.statements("        ", [&](std::size_t k) {
            if (!sides_.is_turned(k)) return std::string();
            std::string text = fmt::format(
                "{0} = kgen_least((long long)(kgen_count_b - 1) * {1}, 0); "
                "{2} = kgen_run_pitch(kgen_p.kgen_tile, (int)sizeof({3}), {4}); ",
                low(k),
                cuda_.stride(k, sides_.last_of('b')),
                pitch(k),
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
                    "kgen_p.kgen_tile.skew * {3}) + kgen_p.kgen_tile.skew * {4} - {2}; ",
                    runs(k),
                    at(k),
                    low(k),
                    row_stride(k),
                    pitch(k));
            return text +
                   fmt::format("kgen_bytes += kgen_run_room(kgen_p.kgen_tile, {})", pitch(k));
        });
    }

    // The sectors are those of the first output.
    std::string find_skew() const {
        for (std::size_t k = 0; k < text_.baked().operands.size(); ++k) {
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
    TileSidesText sides_;
};

}  // namespace

void write_staged_runs_operands(const KernelText& text, LoopText& loop) {
    StagedRunsOperands(text).write(loop);
}

}  // namespace kgen
