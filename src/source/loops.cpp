// SPDX-License-Identifier: MIT
#include "source/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <embedded/skeletons.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "plan/loop_table.hpp"
#include "source/kernel_parts.hpp"

namespace kgen {

namespace {

struct LoopWriter {
    SourceLanguage language;
    LoopKind kind;
    void (*write)(const KernelText&, LoopText&);
    void (*write_reduction)(const ReductionText&, LoopText&) = nullptr;
    void (*write_rows)(const RowText&, LoopText&) = nullptr;
};

constexpr SourceLanguage cuda = SourceLanguage::cuda;
constexpr SourceLanguage cpp = SourceLanguage::cpp;

const LoopWriter& find_writer(const Baked& baked) {
    static constexpr LoopWriter writers[] = {
        {cuda, LoopKind::flat, write_flat_operands},
        {cuda, LoopKind::vector_rows, write_vector_rows_operands},
        {cuda, LoopKind::shared_tiles, write_shared_tiles_operands},
        {cuda, LoopKind::staged_runs, write_staged_runs_operands},
        {cuda, LoopKind::reduced_rows, {}, write_reduced_rows_operands},
        {cuda, LoopKind::staged_rows, {}, write_staged_rows_operands},
        {cuda, LoopKind::short_folds, {}, write_short_folds_operands},
        {cuda, LoopKind::reduced_columns, {}, write_reduced_columns_operands},
        {cuda, LoopKind::folded_elements, {}, write_folded_elements_operands},
        {cuda, LoopKind::fused_rows, {}, {}, write_fused_operands},
        {cuda, LoopKind::fused_columns, {}, {}, write_fused_operands},
        {cpp, LoopKind::rows, write_host_operands},
        {cpp, LoopKind::short_rows, write_host_operands},
        {cpp, LoopKind::tiles, write_host_operands},
        {cpp, LoopKind::reduced_rows, {}, write_host_reduction_operands},
        {cpp, LoopKind::reduced_columns, {}, write_host_reduction_operands},
        {cpp, LoopKind::short_folds, {}, write_host_reduction_operands},
        {cpp, LoopKind::fused_rows, {}, {}, write_host_row_operands},
        {cpp, LoopKind::fused_columns, {}, {}, write_host_row_operands},
    };
    for (const LoopWriter& each : writers) {
        if (each.language == traits(baked.device).language && each.kind == baked.loop) return each;
    }
    throw std::logic_error("no loop for " + to_key(baked));
}

}  // namespace

std::string loop_name(const Baked& baked) {
    return fmt::format("kgen_{}", loop_of(baked).name);
}

void write_operands(const KernelText& text, LoopText& loop) {
    find_writer(text.baked()).write(text, loop);
}

std::string operands_text(const KernelText& text) {
    LoopText loop(text.baked());
    write_operands(text, loop);
    return loop.text();
}

void write_operands(const ReductionText& text, LoopText& loop) {
    find_writer(text.baked()).write_reduction(text, loop);
}

void write_operands(const RowText& text, LoopText& loop) {
    find_writer(text.text().baked()).write_rows(text, loop);
}

namespace {

// Appends the texts that are not in the list yet.
void add_helpers(const Baked& baked, std::vector<std::string_view>& texts) {
    const bool folds = kgen::folds(baked.loop);
    const bool is_cpp = traits(baked.device).language == cpp;
    const std::string file =
        fmt::format("loops/{}{}.cuh", loop_of(baked).name, is_cpp ? "_host" : "");
    const auto add = [&](bool is_used, std::string_view helper) {
        if (is_used && std::ranges::find(texts, helper) == texts.end()) texts.push_back(helper);
    };
    add(!is_cpp, embedded::access_cuda_cuh);
    const bool has_divisors = folds || divides(baked) || baked.logical_rank > 0;
    add(!is_cpp && has_divisors, embedded::block_structs_cuh);
    add(!is_cpp && has_divisors, embedded::axes_cuda_cuh);
    add(is_cpp, embedded::division_host_cuh);
    add(is_cpp, embedded::axes_host_cuh);
    add(is_cpp && (baked.loop == LoopKind::short_rows || baked.loop == LoopKind::short_folds),
        embedded::packs_host_cuh);
    add(baked.loop == LoopKind::staged_rows || baked.loop == LoopKind::staged_runs,
        embedded::stage_cuda_cuh);
    add(folds, embedded::fold_cuh);
    add(folds, is_cpp ? embedded::reduce_host_cuh : embedded::fold_cuda_cuh);
    add(!is_cpp && is_split(baked), embedded::handed_cuda_cuh);
    add(is_row_loop(baked.loop), embedded::row_passes_cuh);
    add(is_row_loop(baked.loop) && !is_cpp, embedded::row_passes_cuda_cuh);
    add(cluster_blocks(baked) > 1, embedded::row_clusters_cuda_cuh);
    add(is_spread(baked), embedded::row_grids_cuda_cuh);
    const auto* columns = std::get_if<FusedColumnsChoice>(&baked.choice);
    add(true, find_file(embedded::skeletons, file)->text);
    add(columns != nullptr && columns->dense, embedded::row_dense_cuda_cuh);
}

}  // namespace

std::string loop_helpers(const Baked& baked) {
    std::vector<std::string_view> texts;
    for (const Baked& part : baked.parts) add_helpers(part, texts);
    if (!baked.parts.empty()) texts.push_back(embedded::parts_cuda_cuh);
    if (baked.loop != LoopKind::parts) add_helpers(baked, texts);
    std::string all;
    for (const std::string_view text : texts) all += without_licence(text);
    return all;
}

}  // namespace kgen
