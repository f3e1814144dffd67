// SPDX-License-Identifier: MIT
//
// What a ShardedArray consists of, and how a sharding divides an axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/sharded_array.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

struct ShardedArray::Parts {
    Communicator communicator;
    DType dtype;
    Dims shape;
    Sharding sharding;  // resolved
    std::int64_t halo = 0;
    // An array for each rank of this process; `with_halo` is empty if there is no halo.
    std::vector<Array> blocks;
    std::vector<Array> with_halo;
};

struct ShardedArrayAccess {
    using Parts = ShardedArray::Parts;
    static const Parts& parts(const ShardedArray& array) { return array.parts(); }
    static ShardedArray make(Parts parts);
    static const Array& stand_in(const ShardedArray& array) noexcept { return array.stand_in_; }
    static ShardedArray of_stand_in(const Array& array) { return ShardedArray(array); }
};

using ShardedParts = ShardedArrayAccess::Parts;

// Returns the sharding with the axis counted from 0 and the block of each rank. Throws ShapeError if the axis does not
// exist, or the blocks do not fill it.
Sharding resolved(const Sharding& sharding, const Dims& shape, int ranks);

// Returns the call that makes a resolved sharding: "Sharding::split(0)".
std::string call_text(const Sharding& sharding, const Dims& shape, int ranks);

// A rank's block: where it begins in the array, and its shape.
struct Box {
    Dims start;
    Dims shape;
};
Box box_of(const Dims& shape, const Sharding& resolved_sharding, int rank);

// Returns a view of the elements of `inner` in an array whose elements are those of `outer`.
Array view_of_box(const Array& array, const Box& outer, const Box& inner);
// Returns the elements that both boxes have. The shape has an extent of 0 if there are none.
Box common_box(const Box& a, const Box& b);

// Makes parts without arrays.
ShardedParts make_parts(const Dims& shape,
                        DType dtype,
                        const Sharding& sharding,
                        const Communicator& communicator);

}  // namespace kgen
