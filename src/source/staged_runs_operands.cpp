// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "source/cuda_text.hpp"
#include "source/loops.hpp"
#include "source/tile_sides_text.hpp"

namespace kgen {

namespace {

// Writes the operands of the staged_runs loop. Rows lie along side b, and the last axis of the walk, a, counts them.
class StagedRunsOperands {
public:
    explicit StagedRunsOperands(const KernelText& text)
        : text_(text),
          cuda_(text),
          a_(text.baked().rank - 1),
          sides_(text, cuda_, 1, text.baked().as<StagedRunsChoice>().axes) {}

    void write(LoopText& loop) const {
        loop.constant("kgen_unroll", text_.baked().as<StagedRunsChoice>().rows);
        loop.constant("kgen_stages_inputs", any([&](std::size_t k) { return stages(k); }));
        loop.constant("kgen_stages_outputs", any([&](std::size_t k) { return unstages(k); }));
        loop.member(cuda_.places(0, text_.baked().rank));
        loop.member("    long long kgen_begin_a, kgen_begin_b;\n");
        loop.member(text_.statements("    ", [&](std::size_t k) {
            return fmt::format("{}* {}", text_.const_type(k), at(k));
        }));
        loop.member(text_.statements("    ", [&](std::size_t k) {
            return fmt::format("{}char* {}", text_.is_written(k) ? "" : "const ", place(k)) +
                   (is_staged(k) ? fmt::format("; int {}; char* {}", pitch(k), runs(k)) : "");
        }));
        if (text_.counts()) loop.member("    long long kgen_at, kgen_part;\n");
        loop.values("kgen_values", text_.statements("        ", [&](std::size_t k) {
            return text_.type(k) + " " + text_.value(k);
        }));
        sides_.write(loop);
        loop.method("kgen_find(unsigned kgen_tile_index)", sides_.find());
        loop.method("kgen_share(char* kgen_bytes)", share());
        loop.method(
            "kgen_stage_inputs(int kgen_back, int kgen_count_a, int kgen_count_b)",
            text_.statements("        ", [&](std::size_t k) {
                if (!stages(k)) return std::string();
                return fmt::format(
                    "kgen_stage_runs(kgen_p.kgen_tile, {0} - kgen_back * {1}, {2}, {3}, {1}, "
                    "kgen_count_a, kgen_count_b, (const {4}*){5}, kgen_p.kgen_reach_{6})",
                    runs(k),
                    pitch(k),
                    "(const " + text_.type(k) + "*)" +
                        cuda_.at_bytes(k, at(k), "-" + along_a(k, "kgen_back")),
                    cuda_.stride(k, a_),
                    text_.type(k),
                    cuda_.data(k),
                    text_.name(k));
            }));
        loop.method("kgen_store_outputs(int kgen_count_a, int kgen_count_b)",
                    text_.statements("        ", [&](std::size_t k) {
                        if (!unstages(k)) return std::string();
                        return fmt::format(
                            "kgen_store_runs(kgen_p.kgen_tile, {}, {}, {}, {}, kgen_count_a, "
                            "kgen_count_b)",
                            runs(k),
                            at(k),
                            cuda_.stride(k, a_),
                            pitch(k));
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
                        if (is_staged(k) && !stages(k)) return std::string();
                        return fmt::format(
                            "kgen_v.{} = {}",
                            text_.value(k),
                            is_staged(k) ? "*" + element(k) : text_.load(k, element(k)));
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
                        return is_staged(k) ? fmt::format("*{} = {}", element(k), value)
                                            : text_.store(element(k), value);
                    }));
    }

private:
    template <typename Test>
    bool any(Test test) const {
        for (std::size_t k = 0; k < text_.baked().operands.size(); ++k) {
            if (text_.is_array(k) && test(k)) return true;
        }
        return false;
    }
    bool is_staged(std::size_t k) const { return cuda_.access(k) == Access::shared; }
    // Whether the array's rows are copied to shared memory, because the body may use their elements, and from there.
    bool stages(std::size_t k) const {
        return is_staged(k) && !text_.signature().parameters[k].overwritten;
    }
    bool unstages(std::size_t k) const { return is_staged(k) && text_.is_written(k); }
    std::string at(std::size_t k) const { return "kgen_at_" + text_.name(k); }
    // The element of the tile's first row at the thread's place along b, in bytes.
    std::string place(std::size_t k) const { return "kgen_place_" + text_.name(k); }
    // The place of the tile's first row in shared memory, and the bytes from row to row there.
    std::string runs(std::size_t k) const { return "kgen_runs_" + text_.name(k); }
    std::string pitch(std::size_t k) const { return "kgen_pitch_" + text_.name(k); }

    std::string along_a(std::size_t k, std::string_view place) const {
        return fmt::format("({}){} * {}", cuda_.offset_type(), place, cuda_.stride(k, a_));
    }
    std::string place_along_b(std::size_t k) const {
        if (is_staged(k))
            return fmt::format("{} + kgen_e * (int)sizeof({})", runs(k), text_.type(k));
        return fmt::format("({}char*){} + {}",
                           text_.is_written(k) ? "" : "const ",
                           at(k),
                           sides_.along(k, 'b', "kgen_e"));
    }
    // Returns a pointer to the element in row kgen_r.
    std::string element(std::size_t k) const {
        if (is_staged(k))
            return fmt::format("({}*)({} + kgen_r * {})", text_.type(k), place(k), pitch(k));
        return fmt::format("({}*)({} + {})", text_.const_type(k), place(k), along_a(k, "kgen_r"));
    }

    // Returns statements that assign each staged array its part of the block's shared memory.
    std::string share() const {
        return text_.statements("        ", [&](std::size_t k) {
            if (!is_staged(k)) return std::string();
            return fmt::format(
                "{0} = kgen_run_pitch(kgen_p.kgen_tile, (int)sizeof({1}), {2}); "
                "{3} = (char*)kgen_staged_at(kgen_bytes, (const {1}*){4}) + kgen_p.kgen_tile.skew "
                "* {0}; "
                "kgen_bytes += kgen_run_room(kgen_p.kgen_tile, {0})",
                pitch(k),
                text_.type(k),
                cuda_.stride(k, a_),
                runs(k),
                cuda_.at_bytes(k, at(k), "-" + along_a(k, "kgen_p.kgen_tile.skew")));
        });
    }

    // The sectors are those of the first output.
    std::string find_skew() const {
        for (std::size_t k = 0; k < text_.baked().operands.size(); ++k) {
            if (!text_.is_array(k) || !text_.is_written(k)) continue;
            if (is_staged(k)) break;
            return fmt::format(
                "        return (int)((unsigned long long){} % 32) / (int)sizeof({});\n",
                place(k),
                text_.type(k));
        }
        return "        return 0;\n";
    }

    const KernelText& text_;
    CudaText cuda_;
    int a_;
    TileSidesText sides_;
};

}  // namespace

void write_staged_runs_operands(const KernelText& text, LoopText& loop) {
    StagedRunsOperands(text).write(loop);
}

}  // namespace kgen
