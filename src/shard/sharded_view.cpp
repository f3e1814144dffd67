// SPDX-License-Identifier: MIT
//
// Views of sharded arrays.
#include <fmt/format.h>

#include <kgen/error.hpp>
#include <utility>

#include "memory/array_access.hpp"
#include "shard/sharded_array_access.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Returns how the view of the whole array is divided. The indices are applied to a stand-in that has a stride
// along the split axis alone, so the view's strides tell where the axis is.
Sharding sharding_of_view(const ShardedArray& array, std::span<const Index> indices, Dims& shape) {
    const ShardedParts& parts = ShardedArrayAccess::parts(array);
    const Array& stand_in = ShardedArrayAccess::stand_in(array);
    constexpr std::int64_t mark = 1 << 10;
    const bool is_split = !parts.sharding.is_replicated();
    const int split = is_split ? parts.sharding.axis() : 0;
    Dims strides = Dims::filled(parts.shape.rank(), 0);
    if (is_split) strides[split] = mark;
    const Array probe =
        ArrayAccess::make(stand_in.storage(), parts.dtype, parts.shape, strides, stand_in.data());
    const Array view = probe[indices];
    shape = view.shape();
    if (!is_split) return Sharding::replicated();
    for (int axis = 0; axis < view.rank(); ++axis) {
        if (view.strides()[axis] != mark || shape[axis] != parts.shape[split]) continue;
        const auto blocks = parts.sharding.blocks();
        return Sharding::split(axis, {blocks.begin(), blocks.end()});
    }
    refuse<ShapeError>(
        {ErrorKind::shape, {}, "all", to_text(parts.sharding)},
        "index: the array is {}, and its ranks keep their elements, so an index selects all "
        "along that axis, in their order; call reshard() for another axis first, or "
        "index the local() arrays",
        to_text(parts.sharding));
}

}  // namespace

ShardedArray ShardedArray::operator[](std::span<const Index> indices) const try {
    const Parts& whole = parts();
    Dims shape;
    const Sharding sharding = sharding_of_view(*this, indices, shape);
    ShardedParts made = make_parts(shape, whole.dtype, sharding, whole.communicator);
    for (const Array& block : whole.blocks) made.blocks.push_back(block[indices]);
    return ShardedArrayAccess::make(std::move(made));
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
