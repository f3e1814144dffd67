// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <kgen/array_creation.hpp>
#include <kgen/error.hpp>

#include "shard/communicator_access.hpp"
#include "shard/exchange.hpp"
#include "shard/sharded_array_access.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

const ShardedArray::Parts& ShardedArray::parts() const {
    if (has_value()) return *static_cast<const Parts*>(stand_in_.data());
    throw ShapeError("a ShardedArray that has no array was used");
}

ShardedArray ShardedArrayAccess::make(Parts parts) {
    auto owner = std::make_shared<Parts>(std::move(parts));
    const void* address = owner.get();
    const DType dtype = owner->dtype;
    const Dims shape = owner->shape;
    ViewOptions options{.device = Device::host(), .strides = Dims::filled(shape.rank(), 0)};
    options.owner = std::move(owner);
    return ShardedArray(Array::view(address, dtype, shape, std::move(options)));
}

const Array& detail::stand_in(const ShardedArray& array) {
    static_cast<void>(ShardedArrayAccess::parts(array));  // throws if there is no array
    return ShardedArrayAccess::stand_in(array);
}

DType ShardedArray::dtype() const {
    return parts().dtype;
}
const Dims& ShardedArray::shape() const {
    return parts().shape;
}
const Sharding& ShardedArray::sharding() const {
    return parts().sharding;
}
const Communicator& ShardedArray::communicator() const {
    return parts().communicator;
}
std::int64_t ShardedArray::halo() const {
    return parts().halo;
}

namespace {

std::size_t checked_rank(const ShardedParts& parts, int rank) {
    if (rank >= 0 && rank < parts.communicator.size()) return static_cast<std::size_t>(rank);
    refuse<ShapeError>({ErrorKind::value, "rank", {}, std::to_string(rank)},
                       "rank {} does not exist; the communicator has the ranks 0 to {}",
                       rank,
                       parts.communicator.size() - 1);
}

std::size_t checked_split(const ShardedParts& parts, int rank) {
    static_cast<void>(parts.sharding.axis());  // throws if the array is replicated
    return checked_rank(parts, rank);
}

// Returns the place of a rank among those of this process.
std::size_t place_of(const ShardedParts& parts, int rank) {
    const std::span<const int> ranks = parts.communicator.local_ranks();
    const auto found = std::find(ranks.begin(), ranks.end(), rank);
    if (found != ranks.end()) return static_cast<std::size_t>(found - ranks.begin());
    checked_rank(parts, rank);
    refuse<ShapeError>({ErrorKind::value, "rank", {}, std::to_string(rank)},
                       "rank {} belongs to another process, which has its block; this process has "
                       "rank {}",
                       rank,
                       ranks.front());
}

}  // namespace

std::int64_t ShardedArray::block_start(int rank) const {
    static_cast<void>(checked_split(parts(), rank));
    return box_of(shape(), sharding(), rank).start[sharding().axis()];
}
std::int64_t ShardedArray::block_extent(int rank) const {
    return sharding().blocks()[checked_split(parts(), rank)];
}
const Array& ShardedArray::local(int rank) const {
    return parts().blocks[place_of(parts(), rank)];
}
const Array& ShardedArray::local() const {
    return parts().blocks.front();
}
const Array& ShardedArray::local_with_halo(int rank) const {
    return halo() == 0 ? local(rank) : parts().with_halo[place_of(parts(), rank)];
}
const Array& ShardedArray::local_with_halo() const {
    return local_with_halo(communicator().rank());
}

ShardedArray empty_sharded(const Dims& shape,
                           DType dtype,
                           const Sharding& sharding,
                           const Communicator& communicator,
                           std::int64_t halo) try {
    ShardedParts parts = make_parts(shape, dtype, sharding, communicator);
    if (halo < 0 || (halo > 0 && sharding.is_replicated())) {
        refuse<ShapeError>(
            {ErrorKind::value, "halo", {}, std::to_string(halo)},
            "empty_sharded: a halo of {} elements is given for an array that is {}; only a split "
            "array has a halo, of 0 elements or more",
            halo,
            to_text(sharding));
    }
    parts.halo = halo;
    for (const int rank : communicator.local_ranks()) {
        const ArrayOptions options{.device = communicator.device(rank)};
        Box box = box_of(shape, parts.sharding, rank);
        const Box inner = box;
        if (halo > 0) {
            box.start[parts.sharding.axis()] -= halo;
            box.shape[parts.sharding.axis()] += 2 * halo;
        }
        const Array memory = empty(box.shape, dtype, options);
        parts.blocks.push_back(halo > 0 ? view_of_box(memory, box, inner) : memory);
        if (halo > 0) parts.with_halo.push_back(memory);
    }
    return ShardedArrayAccess::make(std::move(parts));
} catch (...) {
    rethrow_as_error();
}

ShardedArray shard(const Array& whole,
                   const Sharding& sharding,
                   const Communicator& communicator) try {
    const ShardedArray made = empty_sharded(whole.shape(), whole.dtype(), sharding, communicator);
    const Box all = box_of(whole.shape(), Sharding::replicated(), 0);
    for (const int rank : communicator.local_ranks()) {
        const Box box = box_of(whole.shape(), made.sharding(), rank);
        made.local(rank).assign(view_of_box(whole, all, box));
    }
    return made;
} catch (...) {
    rethrow_as_error();
}

ShardedArray replicate(const Array& whole, const Communicator& communicator) {
    return shard(whole, Sharding::replicated(), communicator);
}

namespace {

// What ranks tell each other about their blocks.
struct BlockFacts {
    std::int64_t dtype = 0;
    std::int64_t rank = 0;
    std::int64_t extents[max_rank] = {};
};

BlockFacts facts_of(const Array& block) {
    BlockFacts facts;
    facts.dtype = static_cast<std::int64_t>(block.dtype());
    facts.rank = block.rank();
    std::copy(block.shape().begin(), block.shape().end(), facts.extents);
    return facts;
}

Dims shape_of(const BlockFacts& facts) {
    Dims shape;
    for (std::int64_t axis = 0; axis < facts.rank; ++axis) shape.push_back(facts.extents[axis]);
    return shape;
}

std::string describe(const BlockFacts& facts) {
    return fmt::format(
        "{} of shape {}", to_text(static_cast<DType>(facts.dtype)), to_text(shape_of(facts)));
}

}  // namespace

ShardedArray join_blocks(std::span<const Array> blocks,
                         int axis,
                         const Communicator& communicator) try {
    const std::span<const int> ranks = communicator.local_ranks();
    if (blocks.size() != ranks.size()) {
        refuse<ShapeError>(
            {ErrorKind::argument_count,
             "blocks",
             std::to_string(ranks.size()),
             std::to_string(blocks.size())},
            "join_blocks: {} blocks are given, but this process has {} ranks; give one for each",
            blocks.size(),
            ranks.size());
    }
    std::vector<BlockFacts> mine;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        if (!blocks[k].has_value() || !(blocks[k].device() == communicator.device(ranks[k]))) {
            refuse<ShapeError>({ErrorKind::device, "blocks"},
                               "join_blocks: the block of rank {} is not an array on {}",
                               ranks[k],
                               to_text(communicator.device(ranks[k])));
        }
        mine.push_back(facts_of(blocks[k]));
    }
    const std::vector<BlockFacts> all = exchange_values(communicator, mine);
    Dims shape = shape_of(all[0]);
    const int split = axis < 0 ? axis + shape.rank() : axis;
    std::vector<std::int64_t> extents;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        Dims other = shape_of(all[rank]);
        const bool has_axis = split >= 0 && split < other.rank();
        if (has_axis) {
            extents.push_back(other[split]);
            other[split] = shape[split];
        }
        if (has_axis && other == shape && all[rank].dtype == all[0].dtype) continue;
        refuse<ShapeError>(
            {ErrorKind::shape, "blocks", describe(all[0]), describe(all[rank])},
            "join_blocks: the block of rank {} is {}, and that of rank 0 is {}; blocks "
            "that are joined along axis {} may differ only there",
            rank,
            describe(all[rank]),
            describe(all[0]),
            axis);
    }
    shape[split] = 0;
    for (const std::int64_t extent : extents) shape[split] += extent;
    ShardedParts parts = make_parts(
        shape, blocks[0].dtype(), Sharding::split(split, std::move(extents)), communicator);
    parts.blocks.assign(blocks.begin(), blocks.end());
    return ShardedArrayAccess::make(std::move(parts));
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
