// SPDX-License-Identifier: MIT
//
// The operands of the host's loops. `kgen_row_NAME` is a char* to the begin of an array's row, and `kgen_k`
// counts the elements of the row, which lie along one axis. kgen_move moves to another row.
#include <fmt/format.h>

#include <vector>

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
                               is_strided(k) ? "kgen_step_" + text_.name(k) : ""});
            return std::string();
        });
    }

    void write_elementwise(LoopText& loop) {
        const bool moves = text_.counts() && (baked_.loop == LoopKind::tiles || baked_.moves_index);
        if (baked_.loop != LoopKind::tiles)
            movers_.push_back({"long long", "kgen_at", "0", "", ""});
        if (moves)
            movers_.push_back({"long long",
                               "kgen_place",
                               fmt::format("kgen_p.kgen_input_strides[{}]", baked_.rank),
                               "kgen_p.kgen_input_strides",
                               "kgen_place_step"});
        loop.constant("kgen_independent", text_.is_independent());
        write_walk(loop);
        const bool has_packs = baked_.loop == LoopKind::short_rows;
        if (has_packs) write_packs(loop);
        loop.calling(
            "void",
            fmt::format("kgen_compute({}long long kgen_k) const",
                        has_packs ? "const kgen_packs& kgen_from, " : ""),
            text_.element("        ",
                          moves ? "kgen_place + kgen_k * kgen_place_step" : "kgen_at + kgen_k",
                          [&](std::size_t k) { return address(k); }));
    }

    void write_reduction(const ReductionText& text, LoopText& loop) {
        const bool by_rows = baked_.loop == LoopKind::reduced_rows;
        const auto place = [&](bool is_used, bool is_along, const std::string& index) {
            const std::string at = fmt::format("kgen_{}_place", index);
            const std::string step = fmt::format("kgen_{}_step", index);
            const std::string strides = fmt::format("kgen_p.kgen_{}_strides", index);
            const bool steps = is_along && along_ >= 0;
            if (is_used)
                movers_.push_back({"long long",
                                   at,
                                   fmt::format("{}[{}]", strides, baked_.rank),
                                   strides,
                                   steps ? step : ""});
            return steps ? fmt::format("{} + kgen_k * {}", at, step) : at;
        };
        const std::string input = place(baked_.counted, true, "input");
        const std::string reduced = place(baked_.counts_reduced, by_rows, "reduced");
        const std::string output = place(baked_.counts_outputs, !by_rows, "output");
        const auto* columns = std::get_if<ReducedColumnsChoice>(&baked_.choice);
        loop.constant("kgen_wide", columns != nullptr && columns->wide);
        loop.constant("kgen_has_identity", text.has_identity());
        loop.type("kgen_accumulator_type", "kgen_accumulator");
        write_walk(loop);
        loop.calling("kgen_accumulator",
                     "kgen_call(long long kgen_k) const",
                     fmt::format("        return kgen_accumulator({});\n",
                                 text.element({input, reduced, output}, [&](std::size_t k) {
                                     return text_.is_hoisted(k) ? text_.value(k)
                                                                : text_.load(k, address(k));
                                 })));
        loop.calling("void",
                     "kgen_finish(long long kgen_k, const kgen_accumulator& kgen_folded) const",
                     text.finish("        ", output, "kgen_folded", [&](std::size_t k) {
                         return by_rows ? row(k) : address(k);
                     }));
    }

private:
    // A variable that moves with the axes, its initial value, and the array of its strides. Its stride along
    // a row is a member, because the compiler must assume that stores change the parameter block.
    struct Mover {
        std::string type, variable, begin, strides, step;
    };

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
        if (baked_.loop == LoopKind::short_rows)
            return fmt::format("kgen_from.kgen_pack_{} + kgen_k", text_.name(k));
        return fmt::format(
            "({0}*)(kgen_row_{1} + kgen_k * kgen_step_{1})", text_.const_type(k), text_.name(k));
    }

    void write_walk(LoopText& loop) const {
        std::string members, begin, moves;
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

    void write_packs(LoopText& loop) const {
        const auto packed = [&](std::string_view indent, std::string_view format) {
            return text_.statements(indent, [&](std::size_t k) {
                if (!is_strided(k)) return std::string();
                return fmt::format(
                    fmt::runtime(format), text_.type(k), text_.name(k), baked_.rank - 2);
            });
        };
        loop.values("kgen_packs", packed("        ", "{0} kgen_pack_{1}[512]"));
        loop.method(
            "kgen_fill(kgen_packs& kgen_to, long long kgen_columns, long long kgen_rows, "
            "bool kgen_is_first) const",
            packed("        ",
                   "kgen_fill_pack(kgen_to.kgen_pack_{1}, kgen_row_{1}, kgen_step_{1}, "
                   "kgen_p.kgen_strides_{1}[{2}], kgen_columns, kgen_rows, kgen_is_first)"));
    }

    const KernelText& text_;
    const Baked& baked_;
    int along_;
    std::vector<Mover> movers_;
};

}  // namespace

void write_host_operands(const KernelText& text, LoopText& loop) {
    HostOperands(text, text.baked().rank - 1).write_elementwise(loop);
}

void write_host_reduction_operands(const ReductionText& text, LoopText& loop) {
    const Baked& baked = text.baked();
    const int axes = baked.loop == LoopKind::reduced_rows ? baked.rank : baked.kept;
    HostOperands(text.text(), axes - 1).write_reduction(text, loop);
}

}  // namespace kgen
