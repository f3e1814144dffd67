// SPDX-License-Identifier: MIT
#include "plan/host_loop.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace kgen {

namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t least_tile_extent = 8;  // of both axes; smaller ones are no faster than rows
constexpr std::int64_t most_short_row = 32;
constexpr std::int64_t least_short_rows = 16;
constexpr std::int64_t most_copied_row = 5;  // longest row of an input that is copied for each row

class HostLoopChooser {
public:
    HostLoopChooser(const PlanRequest& request,
                    std::span<const std::size_t> arrays,
                    Walk& walk,
                    Dims& index_strides)
        : request_(request),
          arrays_(arrays),
          walk_(walk),
          index_strides_(index_strides),
          inner_(walk.extents.rank() - 1) {}

    LoopKind choose() {
        if (inner_ < 1 || request_.signature.facts.keeps_state) return LoopKind::rows;
        if (const int axis = tile_axis(); axis >= 0) {
            for (int at = axis; at < inner_ - 1; ++at) swap_axes(at, at + 1);
            if (weight_across(inner_ - 1, inner_) > weight_across(inner_, inner_ - 1))
                swap_axes(inner_ - 1, inner_);
            return LoopKind::tiles;
        }
        return takes_short_rows() ? LoopKind::short_rows : LoopKind::rows;
    }

private:
    bool is_written(std::size_t k) const { return request_.operands[k].written; }

    // Returns the number of operands whose elements share cache lines along `axis` but not along `other`.
    // Outputs count twice, because they are read and written.
    int weight_across(int axis, int other) const {
        int weight = 0;
        for (const std::size_t k : arrays_) {
            const std::int64_t along = std::abs(walk_.strides[k][axis]);
            if (std::abs(walk_.strides[k][other]) >= line_bytes && along != 0 && along < line_bytes)
                weight += is_written(k) ? 2 : 1;
        }
        return weight;
    }

    // Returns the axis to tile with the innermost one, or -1 if there is none. Among equals, the innermost
    // one.
    int tile_axis() const {
        int best = -1;
        int most = 0;
        if (walk_.extents[inner_] < least_tile_extent) return best;
        for (int axis = inner_ - 1; axis >= 0; --axis) {
            if (walk_.extents[axis] < least_tile_extent) continue;
            const int weight = weight_across(axis, inner_);
            if (weight <= most) continue;
            best = axis;
            most = weight;
        }
        return best;
    }

    bool allows_copies() const {
        const auto& parameters = request_.signature.parameters;
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            const bool viewed = parameters[k].raw || parameters[k].viewed;
            if (parameters[k].by_reference || (viewed && is_written(k))) return false;
        }
        return true;
    }

    bool takes_short_rows() const {
        const std::int64_t columns = walk_.extents[inner_];
        if (columns > most_short_row || walk_.extents[inner_ - 1] < least_short_rows) return false;
        if (!allows_copies()) return false;
        return std::all_of(arrays_.begin(), arrays_.end(), [&](std::size_t k) {
            const StrideClass moves = host_inner_class(
                LoopKind::short_rows, walk_, k, item_size(request_.operands[k].dtype));
            if (is_written(k)) return moves == StrideClass::unit;
            return moves != StrideClass::strided || walk_.strides[k][inner_ - 1] == 0 ||
                   columns <= most_copied_row;
        });
    }

    void swap_axes(int a, int b) {
        std::swap(walk_.extents[a], walk_.extents[b]);
        std::swap(index_strides_[a], index_strides_[b]);
        for (const std::size_t k : arrays_) std::swap(walk_.strides[k][a], walk_.strides[k][b]);
    }

    const PlanRequest& request_;
    std::span<const std::size_t> arrays_;
    Walk& walk_;
    Dims& index_strides_;
    int inner_;
};

}  // namespace

LoopKind choose_host_loop(const PlanRequest& request,
                          std::span<const std::size_t> arrays,
                          Walk& walk,
                          Dims& index_strides) {
    return HostLoopChooser(request, arrays, walk, index_strides).choose();
}

StrideClass host_inner_class(LoopKind loop,
                             const Walk& walk,
                             std::size_t k,
                             std::size_t item_bytes) {
    const int inner = walk.extents.rank() - 1;
    if (inner < 0) return StrideClass::unit;  // one element
    const std::int64_t stride = walk.strides[k][inner];
    const bool unit = stride == static_cast<std::int64_t>(item_bytes);
    if (loop != LoopKind::short_rows) {
        if (unit) return StrideClass::unit;
        if (stride == -static_cast<std::int64_t>(item_bytes)) return StrideClass::reversed;
        return stride == 0 ? StrideClass::uniform : StrideClass::strided;
    }
    const std::int64_t outer = walk.strides[k][inner - 1];
    if (unit && outer == stride * walk.extents[inner]) return StrideClass::unit;
    return stride == 0 && outer == 0 ? StrideClass::uniform : StrideClass::strided;
}

}  // namespace kgen
