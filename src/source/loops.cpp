// SPDX-License-Identifier: MIT
#include "source/loops.hpp"

#include <embedded/access_cuda_cuh.hpp>
#include <embedded/axes_cuda_cuh.hpp>
#include <embedded/block_structs_cuh.hpp>
#include <embedded/flat_cuh.hpp>
#include <embedded/fold_cuda_cuh.hpp>
#include <embedded/fold_cuh.hpp>
#include <embedded/reduced_columns_cuh.hpp>
#include <embedded/reduced_rows_cuh.hpp>
#include <embedded/shared_tiles_cuh.hpp>
#include <embedded/stage_cuda_cuh.hpp>
#include <embedded/staged_rows_cuh.hpp>
#include <embedded/turn_cuda_cuh.hpp>
#include <embedded/vector_rows_cuh.hpp>

#include "plan/loops.hpp"
#include "source/kernel_parts.hpp"

namespace kgen {

namespace {

struct CudaLoopText {
    LoopKind kind;
    std::string_view name;
    std::string_view text;
    std::string_view helpers;  // what only this loop needs
};

const CudaLoopText& find_loop(const Baked& baked) {
    static const CudaLoopText loops[] = {
        {LoopKind::flat, "kgen_flat", embedded::flat_cuh, {}},
        {LoopKind::vector_rows, "kgen_vector_rows", embedded::vector_rows_cuh, {}},
        {LoopKind::shared_tiles,
         "kgen_shared_tiles",
         embedded::shared_tiles_cuh,
         embedded::turn_cuda_cuh},
        {LoopKind::reduced_rows, "kgen_reduced_rows", embedded::reduced_rows_cuh, {}},
        {LoopKind::staged_rows,
         "kgen_fold_staged_rows",
         embedded::staged_rows_cuh,
         embedded::stage_cuda_cuh},
        {LoopKind::reduced_columns, "kgen_reduced_columns", embedded::reduced_columns_cuh, {}},
    };
    for (const CudaLoopText& loop : loops) {
        if (loop.kind == baked.loop) return loop;
    }
    return loops[0];
}

}  // namespace

std::string_view loop_name(const Baked& baked) {
    return find_loop(baked).name;
}

std::string loop_helpers(const Baked& baked) {
    const CudaLoopText& loop = find_loop(baked);
    const bool folds = is_reduction(baked.loop);
    std::string text(without_licence(embedded::access_cuda_cuh));
    if (folds || divides(baked)) {
        text += without_licence(embedded::block_structs_cuh);
        text += without_licence(embedded::axes_cuda_cuh);
    }
    if (folds) {
        text += without_licence(embedded::fold_cuh);
        text += without_licence(embedded::fold_cuda_cuh);
    }
    if (!loop.helpers.empty()) text += without_licence(loop.helpers);
    return text += without_licence(loop.text);
}

}  // namespace kgen
