// SPDX-License-Identifier: MIT
//
// The parameter block of a reduction: its layout, and its bytes for one launch.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <kgen/error.hpp>

#include "plan/fill_block.hpp"
#include "plan/parameter_block.hpp"
#include "plan/reduction_plan.hpp"

namespace kgen {

namespace {

// Returns the shape of the outputs: the loop's extents along the kept axes.
Dims output_shape(const PlanRequest& request) {
    Dims shape;
    for (int axis = 0; axis < request.loop.rank(); ++axis) {
        if ((request.reduced_axes >> axis & 1) == 0) shape.push_back(request.loop[axis]);
    }
    return shape;
}

class ReductionFiller {
public:
    ReductionFiller(const ReductionContext& context,
                    const Baked& baked,
                    const ReductionGeometry& geometry)
        : context_(context), baked_(baked), geometry_(geometry) {}

    void fill(const BlockField& field, std::byte* at) const {
        const auto k = static_cast<std::size_t>(std::max(field.operand, 0));
        const ReductionWalk& walk = context_.walk;
        switch (field.kind) {
            case FieldKind::count:
                put(at, walk.kept_count());
                break;
            case FieldKind::reduced_count:
                put(at, walk.reduced_count());
                break;
            case FieldKind::data:
                put(at, context_.begin(k));
                break;
            case FieldKind::extents:
                for (const std::int64_t extent : walk.extents) at = put_extent(baked_, extent, at);
                break;
            case FieldKind::strides:
                put_all(at, walk.strides[k]);
                break;
            case FieldKind::place_strides:
                put_all(at, walk.index_strides[k]);
                put(at, walk.index_begins[k]);
                break;
            case FieldKind::shape:
                put_all(at, context_.request.loop);
                break;
            case FieldKind::output_shape:
                put_all(at, output_shape(context_.request));
                break;
            case FieldKind::view:
                fill_view(context_.request, k, at);
                break;
            case FieldKind::scalar: {
                const Operand& operand = context_.operand(k);
                std::memcpy(at, operand.scalar.data(), item_size(operand.dtype));
                break;
            }
            case FieldKind::pieces:
                put(at, geometry_.pieces);
                break;
            case FieldKind::teams:
                put(at, geometry_.teams);
                break;
            case FieldKind::staged:
                put(at, geometry_.staged);
                break;
            case FieldKind::columns:
                put(at, geometry_.columns);
                break;
            default:
                break;  // the launch fills in the scratch memory
        }
    }

private:
    template <typename T>
    static void put(std::byte*& at, const T& value) {
        std::memcpy(at, &value, sizeof value);
        at += sizeof value;
    }
    static void put_all(std::byte*& at, const Dims& values) {
        for (const std::int64_t value : values) put(at, value);
    }

    const ReductionContext& context_;
    const Baked& baked_;
    const ReductionGeometry& geometry_;
};

}  // namespace

BlockLayout lay_out_reduction_block(const Baked& baked, std::span<const DType> dtypes) {
    BlockLayout layout;
    BlockPlacer place(layout);
    const auto rank = static_cast<std::size_t>(baked.rank);
    const auto each = [&](OperandKind kind, auto&& add) {
        for (std::size_t k = 0; k < dtypes.size(); ++k) {
            if (baked.operands[k].kind == kind) add(k);
        }
    };
    place.add(FieldKind::count, -1, 8, 8);
    place.add(FieldKind::reduced_count, -1, 8, 8);
    each(OperandKind::array,
         [&](std::size_t k) { place.add(FieldKind::data, static_cast<int>(k), 8, 8); });
    place.add_views(baked);
    if (baked.logical_rank > 0)
        place.add(FieldKind::shape, -1, 8 * static_cast<std::size_t>(baked.logical_rank), 8);
    if (baked.output_rank > 0)
        place.add(FieldKind::output_shape, -1, 8 * static_cast<std::size_t>(baked.output_rank), 8);
    if (baked.split && baked.device == DeviceKind::host) place.add(FieldKind::pieces, -1, 8, 8);
    if (baked.split) place.add(FieldKind::scratch, -1, 16, 8);
    if (baked.device == DeviceKind::cuda) {
        if (baked.loop == LoopKind::reduced_rows)
            place.add(FieldKind::teams, -1, sizeof(RowTeams), 8);
        if (baked.loop == LoopKind::staged_rows)
            place.add(FieldKind::staged, -1, sizeof(StagedRows), 8);
        if (baked.loop == LoopKind::reduced_columns)
            place.add(FieldKind::columns, -1, sizeof(ColumnTiles), 8);
    }
    const bool used[] = {baked.counted, baked.counts_reduced, baked.counts_outputs};
    for (int index = 0; index < 3; ++index) {
        if (used[index]) place.add(FieldKind::place_strides, index, 8 * (rank + 1), 8);
    }
    if (rank > 0) {
        const bool on_cuda = baked.device == DeviceKind::cuda;
        place.add(FieldKind::extents,
                  -1,
                  (on_cuda ? divisor_bytes(baked.index_width) : 8) * rank,
                  on_cuda ? divisor_alignment(baked.index_width) : 8);
        each(OperandKind::array, [&](std::size_t k) {
            place.add(FieldKind::strides, static_cast<int>(k), 8 * rank, 8);
        });
    }
    place.add_numbers(baked, dtypes);
    place.finish();
    return layout;
}

std::vector<std::byte> fill_reduction_block(const ReductionContext& context,
                                            const Baked& baked,
                                            const ReductionGeometry& geometry) {
    std::vector<std::byte> block =
        make_block(context.request, lay_out_block(baked, context.request.types.dtypes));
    const ReductionFiller filler(context, baked, geometry);
    for (const BlockField& field : lay_out_block(baked, context.request.types.dtypes).fields)
        filler.fill(field, block.data() + field.offset);
    return block;
}

}  // namespace kgen
