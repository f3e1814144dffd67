// SPDX-License-Identifier: MIT
#include "source/loops.hpp"

#include <embedded/access_cuda_cuh.hpp>
#include <embedded/axes_cuda_cuh.hpp>
#include <embedded/axes_host_cuh.hpp>
#include <embedded/block_structs_cuh.hpp>
#include <embedded/division_host_cuh.hpp>
#include <embedded/flat_cuh.hpp>
#include <embedded/fold_cuda_cuh.hpp>
#include <embedded/fold_cuh.hpp>
#include <embedded/reduce_host_cuh.hpp>
#include <embedded/reduced_columns_cuh.hpp>
#include <embedded/reduced_columns_host_cuh.hpp>
#include <embedded/reduced_rows_cuh.hpp>
#include <embedded/reduced_rows_host_cuh.hpp>
#include <embedded/rows_host_cuh.hpp>
#include <embedded/shared_tiles_cuh.hpp>
#include <embedded/short_rows_host_cuh.hpp>
#include <embedded/stage_cuda_cuh.hpp>
#include <embedded/staged_rows_cuh.hpp>
#include <embedded/tiles_host_cuh.hpp>
#include <embedded/turn_cuda_cuh.hpp>
#include <embedded/vector_rows_cuh.hpp>
#include <stdexcept>

#include "plan/loop_table.hpp"
#include "source/kernel_parts.hpp"

namespace kgen {

namespace {

struct LoopTemplate {
    SourceLanguage language;
    LoopKind kind;
    std::string_view name;
    std::string_view text;
    void (*write)(const KernelText&, LoopText&);
    void (*write_reduction)(const ReductionText&, LoopText&) = nullptr;
    std::string_view helpers = {};  // helpers that no other loop needs
};

constexpr SourceLanguage cuda = SourceLanguage::cuda;
constexpr SourceLanguage cpp = SourceLanguage::cpp;

const LoopTemplate& find_loop(const Baked& baked) {
    static const LoopTemplate loops[] = {
        {cuda, LoopKind::flat, "kgen_flat", embedded::flat_cuh, write_flat_operands},
        {cuda,
         LoopKind::vector_rows,
         "kgen_vector_rows",
         embedded::vector_rows_cuh,
         write_vector_rows_operands},
        {cuda,
         LoopKind::shared_tiles,
         "kgen_shared_tiles",
         embedded::shared_tiles_cuh,
         write_shared_tiles_operands,
         nullptr,
         embedded::turn_cuda_cuh},
        {cuda,
         LoopKind::reduced_rows,
         "kgen_reduced_rows",
         embedded::reduced_rows_cuh,
         nullptr,
         write_reduced_rows_operands},
        {cuda,
         LoopKind::staged_rows,
         "kgen_fold_staged_rows",
         embedded::staged_rows_cuh,
         nullptr,
         write_staged_rows_operands,
         embedded::stage_cuda_cuh},
        {cuda,
         LoopKind::reduced_columns,
         "kgen_reduced_columns",
         embedded::reduced_columns_cuh,
         nullptr,
         write_reduced_columns_operands},
        {cpp, LoopKind::rows, "kgen_rows", embedded::rows_host_cuh, write_host_operands},
        {cpp,
         LoopKind::short_rows,
         "kgen_short_rows",
         embedded::short_rows_host_cuh,
         write_host_operands},
        {cpp, LoopKind::tiles, "kgen_tiles", embedded::tiles_host_cuh, write_host_operands},
        {cpp,
         LoopKind::reduced_rows,
         "kgen_reduced_rows",
         embedded::reduced_rows_host_cuh,
         nullptr,
         write_host_reduction_operands},
        {cpp,
         LoopKind::reduced_columns,
         "kgen_reduced_columns",
         embedded::reduced_columns_host_cuh,
         nullptr,
         write_host_reduction_operands},
    };
    for (const LoopTemplate& loop : loops) {
        if (loop.language == traits(baked.device).language && loop.kind == baked.loop) return loop;
    }
    throw std::logic_error("no loop for " + to_key(baked));
}

}  // namespace

std::string_view loop_name(const Baked& baked) {
    return find_loop(baked).name;
}

void write_operands(const KernelText& text, LoopText& loop) {
    find_loop(text.baked()).write(text, loop);
}

void write_operands(const ReductionText& text, LoopText& loop) {
    find_loop(text.baked()).write_reduction(text, loop);
}

std::string loop_helpers(const Baked& baked) {
    const LoopTemplate& loop = find_loop(baked);
    const bool folds = is_reduction(baked.loop);
    const bool is_cpp = loop.language == cpp;
    std::string text;
    const auto add = [&](bool is_used, std::string_view helper) {
        if (is_used) text += without_licence(helper);
    };
    add(!is_cpp, embedded::access_cuda_cuh);
    add(!is_cpp && (folds || divides(baked)), embedded::block_structs_cuh);
    add(!is_cpp && (folds || divides(baked)), embedded::axes_cuda_cuh);
    add(is_cpp, embedded::division_host_cuh);
    add(is_cpp, embedded::axes_host_cuh);
    add(folds, embedded::fold_cuh);
    add(folds, is_cpp ? embedded::reduce_host_cuh : embedded::fold_cuda_cuh);
    add(!loop.helpers.empty(), loop.helpers);
    add(true, loop.text);
    return text;
}

}  // namespace kgen
