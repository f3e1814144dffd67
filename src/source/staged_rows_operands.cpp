// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "source/loops.hpp"
#include "source/reduction_operands.hpp"

namespace kgen {

namespace {

class StagedRowsOperands : ReductionOperands {
public:
    using ReductionOperands::ReductionOperands;

    void write(LoopText& loop) const {
        write_types(loop);
        const bool side_by_side = baked_.as<StagedRowsChoice>().side_by_side;
        loop.constant("kgen_side_by_side", side_by_side);
        if (side_by_side) loop.member("    int kgen_columns;\n");
        loop.member(cuda_.places(0, baked_.kept) + members(kept_inputs()));
        loop.member(text_.for_inputs([&](std::size_t k) {
            if (!is_staged(k)) return std::string();
            return fmt::format("    const {0}* kgen_rows_{1};\n    const {0}* kgen_row_{1};\n",
                               kernel_.type(k),
                               kernel_.name(k));
        }));
        std::string room = "kgen_bytes";
        loop.method("kgen_stage_rows(char* kgen_bytes, long long kgen_first, int kgen_count)",
                    statements([&](std::size_t k) {
                        if (!is_staged(k)) return std::string();
                        const std::string line = fmt::format(
                            "kgen_rows_{0} = kgen_staged_at({1}, {2} + kgen_first); "
                            "kgen_stage(({3}*)kgen_rows_{0}, {2} + kgen_first, kgen_count, "
                            "kgen_thread(), kgen_block_size())",
                            kernel_.name(k),
                            room,
                            cuda_.data(k),
                            kernel_.type(k));
                        room += fmt::format(
                            " + kgen_room_of(kgen_p.kgen_staged.block * kgen_p.kgen_staged.row * "
                            "(int)(kgen_p.kgen_staged.by_columns.extent * sizeof({})))",
                            kernel_.type(k));
                        return line;
                    }));
        loop.method("kgen_find(long long kgen_output, int kgen_first, int kgen_between)",
                    (side_by_side ? "        kgen_columns = kgen_between;\n" : "") +
                        walk(kept_inputs(), "kgen_output", 0, baked_.kept) +
                        statements([&](std::size_t k) {
                            if (!is_staged(k)) return std::string();
                            return fmt::format("kgen_row_{0} = kgen_rows_{0} + kgen_first",
                                               kernel_.name(k));
                        }));
        loop.calling(
            "auto",
            "kgen_call(int kgen_e) const",
            fmt::format("        return {};\n",
                        text_.element(
                            place("kgen_place_kept", "kgen_e", inner()).view(), [&](std::size_t k) {
                                if (is_staged(k))
                                    return fmt::format("kgen_row_{}[kgen_e{}]",
                                                       kernel_.name(k),
                                                       side_by_side ? " * kgen_columns" : "");
                                return kernel_.load(
                                    k,
                                    fmt::format("(const {0}*)((const char*)kgen_p.kgen_data_{1} + "
                                                "kgen_kept_{1} + kgen_e * {2})",
                                                kernel_.type(k),
                                                kernel_.name(k),
                                                cuda_.stride(k, inner())));
                            })));
        write_finish(loop, "kgen_output", moved(outputs(), 0, baked_.kept));
    }

private:
    bool is_staged(std::size_t k) const { return cuda_.access(k) == Access::shared; }
};

}  // namespace

void write_staged_rows_operands(const ReductionText& text, LoopText& loop) {
    StagedRowsOperands(text).write(loop);
}

}  // namespace kgen
