// SPDX-License-Identifier: MIT
//
// Where the tiles of the shared_tiles loop lie in shared memory. The plan and the source both follow this.
#pragma once

#include <cstdint>
#include <kgen/dtype.hpp>
#include <span>

#include "plan/baked.hpp"
#include "signature/signature.hpp"

namespace kgen {

struct TilePlaces {
    // The tile of each parameter that has one begins behind `at` bytes for each element of a tile.
    PerParameter<std::int64_t> at;
    std::int64_t bytes = 0;  // of all tiles, for each element
};

// Assigns the tiles of the arrays of Access::shared. An output whose elements are not read takes the place of an input
// with the same item size, because the thread that stores a result there has read this element of the input before. Threads whose places lie behind the
// last row of a tile may read it later; they drop what they read.
TilePlaces place_tiles(const Signature& signature,
                       const Baked& baked,
                       std::span<const DType> dtypes);

}  // namespace kgen
