// SPDX-License-Identifier: MIT
//
// gather(), reshard() and exchange_halo().
#include <fmt/format.h>

#include <algorithm>
#include <kgen/array_creation.hpp>
#include <kgen/error.hpp>

#include "dtype/strides.hpp"
#include "shard/exchange.hpp"
#include "shard/sharded_array_access.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Whether a rank is the first one of its process. A process has either one rank or all of them.
bool is_first_of_process(const Communicator& communicator, int rank) {
    return communicator.local_ranks().size() == 1 || rank == communicator.rank();
}

// Moves the elements of a split array to the ranks of `receives`, each of which wants the box of its rank in `sharding`.
// `targets` has an array for each rank of this process, without a value if the rank receives nothing.
template <typename Receives>
void redistribute(const ShardedParts& from,
                  const Sharding& sharding,
                  std::span<const Array> targets,
                  const Receives& receives) {
    const Communicator& communicator = from.communicator;
    const std::span<const int> ranks = communicator.local_ranks();
    std::vector<RankPieces> pieces(ranks.size());
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        const Box mine = box_of(from.shape, from.sharding, ranks[k]);
        const Box wanted = box_of(from.shape, sharding, ranks[k]);
        for (int other = 0; other < communicator.size(); ++other) {
            const Box to = common_box(mine, box_of(from.shape, sharding, other));
            const Box got = common_box(wanted, box_of(from.shape, from.sharding, other));
            const bool sends = receives(other) && extent_product(to.shape) > 0;
            const bool gets = receives(ranks[k]) && extent_product(got.shape) > 0;
            pieces[k].sends.push_back(sends ? view_of_box(from.blocks[k], mine, to) : Array());
            pieces[k].receives.push_back(gets ? view_of_box(targets[k], wanted, got) : Array());
        }
    }
    exchange_pieces(communicator, pieces);
}

}  // namespace

Array gather(const ShardedArray& array, std::optional<int> root) try {
    const ShardedParts& from = ShardedArrayAccess::parts(array);
    const Communicator& communicator = from.communicator;
    if (root && (*root < 0 || *root >= communicator.size())) {
        refuse<ShapeError>({ErrorKind::value, "root", {}, std::to_string(*root)},
                           "gather: rank {} does not exist; the communicator has the ranks 0 to {}",
                           *root,
                           communicator.size() - 1);
    }
    const auto receives = [&](int rank) {
        return root ? rank == *root : is_first_of_process(communicator, rank);
    };
    const std::span<const int> ranks = communicator.local_ranks();
    std::vector<Array> targets(ranks.size());
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        if (!receives(ranks[k])) continue;
        targets[k] = from.sharding.is_replicated()
                         ? from.blocks[k]
                         : empty(from.shape, from.dtype, {.device = communicator.device(ranks[k])});
    }
    if (!from.sharding.is_replicated())
        redistribute(from, Sharding::replicated(), targets, receives);
    const auto found = std::find_if(
        targets.begin(), targets.end(), [](const Array& each) { return each.has_value(); });
    return found != targets.end() ? *found : Array();
} catch (...) {
    rethrow_as_error();
}

ShardedArray reshard(const ShardedArray& array, const Sharding& sharding) try {
    const ShardedParts& from = ShardedArrayAccess::parts(array);
    const Sharding wanted = resolved(sharding, from.shape, from.communicator.size());
    if (wanted == from.sharding) return array;
    const ShardedArray made = empty_sharded(from.shape, from.dtype, wanted, from.communicator);
    const std::span<const Array> targets = ShardedArrayAccess::parts(made).blocks;
    if (!from.sharding.is_replicated()) {
        redistribute(from, wanted, targets, [](int) { return true; });
        return made;
    }
    const std::span<const int> ranks = from.communicator.local_ranks();
    const Box all = box_of(from.shape, from.sharding, 0);
    for (std::size_t k = 0; k < ranks.size(); ++k)
        targets[k].assign(view_of_box(from.blocks[k], all, box_of(from.shape, wanted, ranks[k])));
    return made;
} catch (...) {
    rethrow_as_error();
}

void exchange_halo(const ShardedArray& array, HaloEnds ends) try {
    const ShardedParts& parts = ShardedArrayAccess::parts(array);
    const int size = parts.communicator.size();
    if (parts.halo == 0) {
        throw ShapeError(
            "exchange_halo: the array has no halo; make it with empty_sharded(..., halo)");
    }
    const auto blocks = parts.sharding.blocks();
    if (*std::min_element(blocks.begin(), blocks.end()) < parts.halo) {
        refuse<ShapeError>({ErrorKind::shape},
                           "exchange_halo: the halo has {} elements, but the array is {}; each "
                           "block needs at least as many elements as the halo",
                           parts.halo,
                           to_text(parts.sharding));
    }
    const int axis = parts.sharding.axis();
    const auto part = [&](const Array& whole, std::int64_t begin) {
        const Box all{Dims::filled(whole.rank(), 0), whole.shape()};
        Box wanted = all;
        wanted.start[axis] = begin < 0 ? whole.shape()[axis] + begin : begin;
        wanted.shape[axis] = parts.halo;
        return view_of_box(whole, all, wanted);
    };
    const std::span<const int> ranks = parts.communicator.local_ranks();
    const auto peers = static_cast<std::size_t>(size);
    const RankPieces none{std::vector<Array>(peers), std::vector<Array>(peers)};
    // Towards higher ranks, and towards lower ones. Both go in one round, unless both neighbours are the same rank.
    const bool is_joint = size > 2 || ends == HaloEnds::open;
    std::vector<RankPieces> pieces(ranks.size(), none);
    for (const int step : {1, -1}) {
        for (std::size_t k = 0; k < ranks.size(); ++k) {
            const auto add = [&](std::vector<Array>& list, int peer, Array piece) {
                if ((peer < 0 || peer >= size) && ends == HaloEnds::open) return;
                list[static_cast<std::size_t>((peer + size) % size)] = std::move(piece);
            };
            const std::int64_t last = -parts.halo;
            add(pieces[k].sends, ranks[k] + step, part(parts.blocks[k], step > 0 ? last : 0));
            add(pieces[k].receives, ranks[k] - step, part(parts.with_halo[k], step > 0 ? 0 : last));
        }
        if (is_joint && step > 0) continue;
        exchange_pieces(parts.communicator, pieces);
        std::fill(pieces.begin(), pieces.end(), none);
    }
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
