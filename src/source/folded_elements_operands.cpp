// SPDX-License-Identifier: MIT
#include "source/loops.hpp"
#include "source/reduction_operands.hpp"

namespace kgen {

namespace {

class FoldedElementsOperands : ReductionOperands {
public:
    using ReductionOperands::ReductionOperands;

    void write(LoopText& loop) const {
        write_types(loop);
        write_adds_integers(loop);
        write_finish(loop, "kgen_output", moved(outputs(), 0, 0));
    }
};

}  // namespace

void write_folded_elements_operands(const ReductionText& text, LoopText& loop) {
    FoldedElementsOperands(text).write(loop);
}

}  // namespace kgen
