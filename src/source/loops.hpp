// SPDX-License-Identifier: MIT
//
// The loops as device text. For each kind of loop there is a function template in
// kernel_templates/skeletons/loops, found by the name in the plan's table, and a function that writes its operands.
#pragma once

#include <string>

#include "source/loop_text.hpp"
#include "source/reduction_text.hpp"
#include "source/row_text.hpp"

namespace kgen {

// Returns the helpers and the loop's template, which come before the user's preamble.
std::string loop_helpers(const Baked& baked);
// Returns the template's name, which is also the file's: "kgen_flat" in flat.cuh.
std::string loop_name(const Baked& baked);
// Returns the operands of an elementwise loop.
std::string operands_text(const KernelText& text);
void write_operands(const KernelText& text, LoopText& loop);
void write_operands(const ReductionText& text, LoopText& loop);
void write_operands(const RowText& text, LoopText& loop);

// The functions that write_operands calls, one for each way to write operands.
void write_flat_operands(const KernelText& text, LoopText& loop);
void write_vector_rows_operands(const KernelText& text, LoopText& loop);
void write_shared_tiles_operands(const KernelText& text, LoopText& loop);
void write_staged_runs_operands(const KernelText& text, LoopText& loop);
void write_host_operands(const KernelText& text, LoopText& loop);
void write_reduced_rows_operands(const ReductionText& text, LoopText& loop);
void write_staged_rows_operands(const ReductionText& text, LoopText& loop);
void write_short_folds_operands(const ReductionText& text, LoopText& loop);
void write_reduced_columns_operands(const ReductionText& text, LoopText& loop);
void write_folded_elements_operands(const ReductionText& text, LoopText& loop);
void write_host_reduction_operands(const ReductionText& text, LoopText& loop);
void write_fused_operands(const RowText& text, LoopText& loop);
void write_host_row_operands(const RowText& text, LoopText& loop);

}  // namespace kgen
