// SPDX-License-Identifier: MIT
//
// The operands of the host's loops. `kgen_row_NAME` is a char* to the begin of an array's row, and `kgen_k`
// counts the elements of the row, which lie along one axis. kgen_move moves to another row.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "plan/loop_table.hpp"
#include "source/loops.hpp"

namespace kgen {

namespace {

class HostOperands {
public:
    // `along` is the axis along which the elements of a row lie. It is negative if each row has only one
    // element.
    HostOperands(const KernelText& text, int along)
        : text_(text), baked_(text.baked()), along_(along) {
        text_.for_arrays([&](std::size_t k) {
            const std::string type = text_.is_written(k) ? "char*" : "const char*";
            movers_.push_back({type,
                               "kgen_row_" + text_.name(k),
                               fmt::format("({})kgen_p.kgen_data_{}", type, text_.name(k)),
                               "kgen_p.kgen_strides_" + text_.name(k),
                               is_strided(k) && !has_packs() && baked_.operands[k].step == 0
                                   ? "kgen_step_" + text_.name(k)
                                   : ""});
            return std::string();
        });
    }

    void write_elementwise(LoopText& loop) {
        const bool moves = text_.counts() && (baked_.loop == LoopKind::tiles || baked_.moves_index);
        if (baked_.loop != LoopKind::tiles)
            movers_.push_back({"long long", "kgen_at", "0", "", ""});
        std::string index = "kgen_at + kgen_k";
        if (moves) index = add_place("place", "input", true);
        if (!text_.counts()) index = "";
        const bool drawn = text_.drawn_alignment() > 0;
        if (drawn) index = text_.drawn_index(index);
        std::string coordinates;
        for (std::size_t axis = 0; axis < baked_.coordinates.size(); ++axis)
            coordinates += (index.empty() && axis == 0 ? "" : ", ") + coordinate(axis);
        loop.constant("kgen_independent", text_.is_independent());
        if (const auto* tiles = std::get_if<TilesChoice>(&baked_.choice))
            loop.constant("kgen_bands", tiles->bands);
        write_walk(loop);
        if (is_short()) write_packs(loop);
        loop.calling(
            "void",
            fmt::format("kgen_compute({}long long kgen_k) const",
                        is_short() ? "const kgen_tables& kgen_of, kgen_packs& kgen_from, " : ""),
            text_.element(
                "        ", index + coordinates, [&](std::size_t k) { return address(k); }));
        if (baked_.loop == LoopKind::rows) loop.constant("kgen_drawn", drawn);
        if (!drawn) return;
        loop.calling(
            "void",
            "kgen_compute_drawn(long long kgen_k, long long kgen_first, unsigned kgen_place) const",
            text_.element("        ",
                          text_.drawn_index("kgen_first", "kgen_place") + coordinates,
                          [&](std::size_t k) { return address(k); }));
    }

    void write_reduction(const ReductionText& text, LoopText& loop) {
        const bool by_rows = baked_.loop == LoopKind::reduced_rows;
        const auto place = [&](bool is_used, bool is_along, const std::string& index) {
            return is_used ? add_place(index + "_place", index, is_along) : std::string();
        };
        const std::string input = place(baked_.counted, true, "input");
        const std::string reduced = place(baked_.counts_reduced, by_rows, "reduced");
        const std::string output = place(baked_.counts_outputs, !by_rows, "output");
        if (const auto* columns = std::get_if<ReducedColumnsChoice>(&baked_.choice))
            loop.constant("kgen_wide", columns->wide);
        if (const auto* folds = std::get_if<ShortFoldsChoice>(&baked_.choice))
            loop.constant("kgen_few", folds->few);
        if (is_short()) loop.constant("kgen_folds_first", text.stores_backwards());
        if (const auto* rows = std::get_if<ReducedRowsChoice>(&baked_.choice))
            loop.constant("kgen_few", rows->few);
        loop.constant("kgen_has_identity", text.has_identity());
        loop.type("kgen_accumulator_type", "kgen_accumulator");
        loop.constant("kgen_narrow", text.narrow_operation());
        if (text.narrow_operation() != "0") {
            loop.constant("kgen_is_logical", text.is_logical());
            loop.constant("kgen_has_narrow_terms", text.has_narrow_terms());
        }
        write_walk(loop);
        if (is_short()) write_packs(loop);
        const std::string_view packs =
            is_short() ? "const kgen_tables& kgen_of, const kgen_packs& kgen_from, " : "";
        const std::string_view written_packs =
            is_short() ? "const kgen_tables& kgen_of, kgen_packs& kgen_from, " : "";
        loop.calling("auto",
                     fmt::format("kgen_call({}long long kgen_k) const", packs),
                     fmt::format("        return {};\n",
                                 text.element({input, reduced, output}, [&](std::size_t k) {
                                     return text_.is_hoisted(k) ? text_.value(k)
                                                                : text_.load(k, address(k));
                                 })));
        loop.calling(
            "void",
            fmt::format(
                "kgen_finish({}long long kgen_k, const kgen_accumulator& kgen_folded) const",
                written_packs),
            text.finish("        ", output, "kgen_folded", [&](std::size_t k) {
                return by_rows ? row(k) : address(k);
            }));
    }

    void write_rows(const RowText& text, LoopText& loop) {
        loop.type(
            "kgen_results",
            baked_.loop == LoopKind::fused_rows ? "kgen_row_results" : "kgen_many_results<64>");
        const bool by_rows = baked_.loop == LoopKind::fused_rows;
        const std::string index = text_.counts() ? add_place("place", "input", true) : "";
        const std::string reduced =
            baked_.counts_reduced ? add_place("reduced_place", "reduced", by_rows) : "";
        write_walk(loop);
        const auto input = [&](std::size_t k) { return text_.value(k); };
        const auto drawn = [](const RowDraw& draw) { return draw.name; };
        std::string loads = text_.for_arrays([&](std::size_t k) {
            if (!text.is_input(k) || text_.is_hoisted(k)) return std::string();
            return fmt::format("        {} {} = {};\n",
                               text_.const_type(k),
                               text_.value(k),
                               text_.load(k, address(k)));
        });
        loads += text.draw(index);
        const auto outputs = [&](const auto& is_written, const std::string& call) {
            std::string lines = text_.statements("        ", [&](std::size_t k) {
                return is_written(k) ? text_.type(k) + " " + text_.value(k) : "";
            });
            lines += fmt::format("        {};\n", call);
            return lines + text_.statements("        ", [&](std::size_t k) {
                return is_written(k) ? text_.store(address(k), text_.value(k)) : "";
            });
        };
        loop.calling("auto",
                     "kgen_call(const kgen_row_results& kgen_results, long long kgen_k) const",
                     loads + fmt::format("        return {};\n",
                                         text.map("kgen_results", reduced, input, drawn)));
        loop.calling("void",
                     "kgen_compute(const kgen_row_results& kgen_results, long long kgen_k) const",
                     loads + outputs([&](std::size_t k) { return text.has_elements(k); },
                                     text.body("kgen_results", input, drawn, input)));
        loop.calling("void",
                     "kgen_finish(const kgen_row_results& kgen_results, long long kgen_k) const",
                     outputs([&](std::size_t k) { return text.is_of_row(k); },
                             text.finish("kgen_results", input)));
    }

private:
    // A variable that moves with the axes, its initial value, and the array of its strides. Its stride along
    // a row is a member, because the compiler must assume that stores change the parameter block.
    struct Mover {
        std::string type, variable, begin, strides, step;
    };

    // Whether the loop walks short rows, and whether these have packs.
    bool is_short() const {
        return baked_.loop == LoopKind::short_rows || baked_.loop == LoopKind::short_folds;
    }
    bool has_packs() const { return is_short() && row_axes() > 1; }
    bool is_packed(std::size_t k) const { return has_packs() && is_strided(k); }
    // Adds the variable of a place index and returns the index of element kgen_k of a row.
    std::string add_place(const std::string& name, const std::string& index, bool is_along) {
        const std::string at = "kgen_" + name;
        const std::string strides = fmt::format("kgen_p.kgen_{}_strides", index);
        const bool steps = is_along && along_ >= 0;
        movers_.push_back({"long long",
                           at,
                           fmt::format("{}[{}]", strides, baked_.rank),
                           strides,
                           steps && !has_packs() ? at + "_step" : ""});
        if (steps && has_packs()) {
            tabled_places_.emplace_back(name, strides);
            return fmt::format("{} + kgen_of.kgen_of_{}[kgen_k]", at, name);
        }
        return steps ? fmt::format("{0} + kgen_k * {0}_step", at) : at;
    }
    bool is_strided(std::size_t k) const {
        if (baked_.loop == LoopKind::reduced_rows && text_.is_written(k)) return false;
        return along_ >= 0 && baked_.operands[k].inner == StrideClass::strided;
    }
    std::string row(std::size_t k) const {
        return fmt::format("({}*)kgen_row_{}", text_.const_type(k), text_.name(k));
    }
    std::string address(std::size_t k) const {
        switch (along_ < 0 ? StrideClass::uniform : baked_.operands[k].inner) {
            case StrideClass::unit:
                return row(k) + " + kgen_k";
            case StrideClass::uniform:
                return row(k);
            case StrideClass::reversed:
                return row(k) + " - kgen_k";
            case StrideClass::strided:
                break;
        }
        if (baked_.operands[k].step > 0)
            return fmt::format("{} + kgen_k * {}", row(k), baked_.operands[k].step);
        if (is_packed(k)) return fmt::format("kgen_from.kgen_pack_{} + kgen_k", text_.name(k));
        return fmt::format(
            "({0}*)(kgen_row_{1} + kgen_k * kgen_step_{1})", text_.const_type(k), text_.name(k));
    }

    // Returns the number of inner axes that form a row.
    int row_axes() const {
        const auto* rows = std::get_if<ShortRowsChoice>(&baked_.choice);
        const auto* folds = std::get_if<ShortFoldsChoice>(&baked_.choice);
        return rows != nullptr ? rows->axes : folds != nullptr ? folds->axes : 1;
    }
    // Whether a coordinate of `_ind` changes along a row.
    bool is_along(const Coordinate& coordinate) const {
        return coordinate.axis >= baked_.rank - row_axes();
    }
    // Returns the coordinate of element kgen_k of the row along an axis of the loop's shape.
    std::string coordinate(std::size_t axis) const {
        const std::string first = KernelText::coordinate(axis);
        const Coordinate& coordinate = baked_.coordinates[axis];
        if (!is_along(coordinate)) return first;
        if (has_packs()) return fmt::format("{0} + kgen_of.kgen_of_{0}[kgen_k]", first);
        return first + (coordinate.backwards ? " - kgen_k" : " + kgen_k");
    }
    // Returns `line` for each coordinate: of its variable, the axis of the walk, and 1 or -1.
    std::string for_coordinates(
        const std::function<std::string(std::size_t, const Coordinate&)>& line) const {
        std::string text;
        for (std::size_t axis = 0; axis < baked_.coordinates.size(); ++axis)
            text += line(axis, baked_.coordinates[axis]);
        return text;
    }

    void write_walk(LoopText& loop) const {
        std::string members = for_coordinates([](std::size_t axis, const Coordinate&) {
            return fmt::format("    long long {};\n", KernelText::coordinate(axis));
        });
        std::string begin = for_coordinates([](std::size_t axis, const Coordinate& coordinate) {
            return fmt::format("        {} = {};\n",
                               KernelText::coordinate(axis),
                               coordinate.backwards
                                   ? fmt::format("kgen_p.kgen_extents[{}] - 1", coordinate.axis)
                                   : "0");
        });
        std::string moves = for_coordinates([](std::size_t axis, const Coordinate& coordinate) {
            if (coordinate.axis < 0) return std::string();
            return fmt::format("        if (kgen_axis == {}) {} {}= kgen_by;\n",
                               coordinate.axis,
                               KernelText::coordinate(axis),
                               coordinate.backwards ? '-' : '+');
        });
        for (const Mover& mover : movers_) {
            members += fmt::format("    {} {};\n", mover.type, mover.variable);
            begin += fmt::format("        {} = {};\n", mover.variable, mover.begin);
            if (!mover.step.empty()) {
                members += fmt::format("    long long {};\n", mover.step);
                begin += fmt::format("        {} = {}[{}];\n", mover.step, mover.strides, along_);
            }
            if (baked_.rank > 0 && !mover.strides.empty())
                moves += fmt::format(
                    "        {} += kgen_by * {}[kgen_axis];\n", mover.variable, mover.strides);
        }
        loop.member(members + text_.statements("    ", [&](std::size_t k) {
            return text_.is_hoisted(k) ? text_.type(k) + " " + text_.value(k) : "";
        }));
        loop.method("kgen_begin()", begin);
        loop.method("kgen_move(int kgen_axis, long long kgen_by)", moves);
        loop.method("kgen_begin_row()", text_.statements("        ", [&](std::size_t k) {
            return text_.is_hoisted(k) ? text_.value(k) + " = " + text_.load(k, row(k)) : "";
        }));
    }

    // Returns the statement that copies between the planes of an array and its pack.
    std::string planes(std::size_t k, std::string_view verb, std::string_view pack) const {
        constexpr std::string_view line =
            "        kgen_{0}_planes<{1}>(kgen_{2}.kgen_pack_{3}, kgen_row_{3}, "
            "kgen_p.kgen_strides_{3}[{4}], kgen_count);\n";
        const int few = baked_.as<ShortRowsChoice>().few;
        return fmt::format(line, verb, few, pack, text_.name(k), baked_.rank - 1);
    }

    // Writes the packs of short rows and the tables of offsets within a row: of operands, of the place
    // indices that have a variable and of coordinates.
    void write_packs(LoopText& loop) const {
        const int last = is_reduction(baked_.loop) ? baked_.kept : baked_.rank;
        const int first = last - row_axes();
        loop.constant("kgen_row_axes", row_axes());
        std::string tables, begin;
        const auto add_table = [&](const std::string& name, const std::string& strides) {
            tables += fmt::format("        int kgen_of_{}[kgen_most_packed];\n", name);
            begin += fmt::format(
                "        kgen_fill_table<{}, {}>(kgen_p, kgen_to.kgen_of_{}, {}, kgen_height);\n",
                first,
                last,
                name,
                strides);
        };
        const auto packed =
            [&](const std::function<std::string(const std::string&, std::size_t)>& line) {
                return text_.for_arrays([&](std::size_t k) {
                    return is_packed(k) ? line(text_.name(k), k) : std::string();
                });
            };
        packed([&](const std::string& name, std::size_t k) {
            if (baked_.operands[k].planar) return std::string();
            add_table(name, "kgen_p.kgen_strides_" + name);
            return std::string();
        });
        for (const auto& [place, strides] : tabled_places_) add_table(place, strides);
        for_coordinates([&](std::size_t axis, const Coordinate& coordinate) {
            if (!has_packs() || !is_along(coordinate)) return std::string();
            std::string strides;
            for (int k = 0; k < baked_.rank; ++k) {
                const int stride = k != coordinate.axis ? 0 : coordinate.backwards ? -1 : 1;
                strides += fmt::format("{}{}", k == 0 ? "" : ", ", stride);
            }
            begin += fmt::format(
                "        static const long long kgen_strides_{}[] = {{{}}};\n", axis, strides);
            add_table(KernelText::coordinate(axis), fmt::format("kgen_strides_{}", axis));
            return std::string();
        });
        loop.values("kgen_tables", tables);
        loop.method("kgen_begin_tables(kgen_tables& kgen_to, long long kgen_height) const", begin);
        loop.values("kgen_packs", packed([&](const std::string& name, std::size_t k) {
                        return fmt::format(
                            "        {0} kgen_pack_{1}[kgen_most_packed];\n"
                            "        const char* kgen_filled_{1};\n",
                            text_.type(k),
                            name);
                    }));
        loop.method("kgen_begin_packs(kgen_packs& kgen_to) const",
                    packed([&](const std::string& name, std::size_t) {
                        return fmt::format("        kgen_to.kgen_filled_{} = 0;\n", name);
                    }));
        const auto fill = [&](bool written) {
            return packed([&](const std::string& name, std::size_t k) {
                // An element that is written is copied only if a text may read it.
                if (text_.is_written(k) != written || text_.signature().parameters[k].overwritten)
                    return std::string();
                if (baked_.operands[k].planar) return planes(k, "fill", "to");
                return fmt::format(
                    "        kgen_fill_pack(kgen_to.kgen_pack_{0}, kgen_from.kgen_of_{0}, "
                    "kgen_row_{0}, kgen_to.kgen_filled_{0}, {1});\n",
                    name,
                    written ? "1, kgen_count, kgen_count"
                            : fmt::format(
                                  "kgen_p.kgen_strides_{}[{}], kgen_count, kgen_all", name, first));
            });
        };
        loop.method(
            "kgen_fill(const kgen_tables& kgen_from, kgen_packs& kgen_to, long long kgen_count, "
            "long long kgen_all) const",
            fill(false));
        loop.method(
            "kgen_fill_written(const kgen_tables& kgen_from, kgen_packs& kgen_to, long long "
            "kgen_count) const",
            fill(true));
        loop.method(
            "kgen_empty(const kgen_tables& kgen_from, const kgen_packs& kgen_with, long long "
            "kgen_count) const",
            packed([&](const std::string& name, std::size_t k) {
                if (!text_.is_written(k)) return std::string();
                if (baked_.operands[k].planar) return planes(k, "empty", "with");
                return fmt::format(
                    "        kgen_empty_pack(kgen_with.kgen_pack_{0}, "
                    "kgen_from.kgen_of_{0}, kgen_row_{0}, kgen_count);\n",
                    name);
            }));
    }

    const KernelText& text_;
    const Baked& baked_;
    int along_;
    std::vector<Mover> movers_;
    std::vector<std::pair<std::string, std::string>> tabled_places_;  // names and strides
};

}  // namespace

void write_host_operands(const KernelText& text, LoopText& loop) {
    HostOperands(text, text.baked().rank - 1).write_elementwise(loop);
}

void write_host_reduction_operands(const ReductionText& text, LoopText& loop) {
    const Baked& baked = text.baked();
    const auto* rows = std::get_if<ReducedRowsChoice>(&baked.choice);
    const int axes = rows != nullptr ? baked.rank - (rows->few > 0 ? 1 : 0) : baked.kept;
    HostOperands(text.text(), axes - 1).write_reduction(text, loop);
}

void write_host_row_operands(const RowText& text, LoopText& loop) {
    const Baked& baked = text.text().baked();
    const int axes = baked.loop == LoopKind::fused_rows ? baked.rank : baked.kept;
    HostOperands(text.text(), axes - 1).write_rows(text, loop);
}

}  // namespace kgen
