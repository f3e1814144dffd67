// SPDX-License-Identifier: MIT
//
// The shapes of the tiles of shared_tiles, and how much shared memory a tile may take.
#pragma once

#include <cstdint>

namespace kgen {

inline constexpr std::int64_t most_tile_bytes = 48 * 1024;  // of shared memory in a thread block
inline constexpr int largest_patch = 8;

// The sizes in bytes that decide the shape of a tile.
struct TileDemand {
    std::int64_t widest = 1;       // item size of the widest dtype that is tiled or read by vectors
    std::int64_t tiled_bytes = 0;  // sum of the item sizes of all tiles
};

// A row of the tables of tile shapes.
struct TileCut {
    std::int64_t widest;  // item size of the widest dtype in bytes
    int patch;            // side of a patch along a in elements
    int side_a;           // sides of a tile along a and b in elements
    int side_b;
    int threads;
    int patches;  // that a thread reads at once
    int rows;     // vectors along axis a that a thread has in flight
};

// Returns the first row of the table for the widest dtype whose patches are at most `patch`. Its sides are
// halved until all tiles fit into shared memory.
TileCut find_cut(const TileDemand& demand, int patch);

// Returns the distance between rows of a tile in shared memory, in vectors. It is at least the length of a
// row and an odd multiple of one bank, or of one vector if a vector is larger than a bank. So the threads of
// a warp that write a column access different banks.
std::int64_t tile_pitch(std::int64_t patches, std::int64_t vector_bytes);

// Returns the greatest number of patches whose pitch is at most `pitch`.
std::int64_t patches_in(std::int64_t pitch, std::int64_t vector_bytes);

}  // namespace kgen
