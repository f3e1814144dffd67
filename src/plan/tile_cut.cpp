// SPDX-License-Identifier: MIT
#include "plan/tile_cut.hpp"

#include <algorithm>
#include <array>

#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

// The table of tile shapes, by the item size of the widest dtype and the side of a patch along a. Measured with square patches and
// 16384 x 16384 elements, transposed. Sides of 256 bytes are best, but tiles must leave the L1 cache half of
// its memory, because it holds the loads in flight: float32 64 x 64 reached 0.978, 32 x 32 0.933, 128 x 128
// 0.887; float16 128 x 128 with 512 threads 0.970, with 256 0.964, 64 x 64 0.924; uint8 64 x 256 0.939, 128 x
// 128 0.916, 256 x 256 0.942 (with 68 KiB of shared memory, patches of 16 x 16). Layouts that allow only
// single elements are bound by instructions: float32 0.758, float16 0.497, uint8 0.256. With smaller tiles of them, eight patches
// at once, and loads that wait for no comparison, 14 random calls on an H200 took 0.93 of their time (0.80 to 1.02).
constexpr std::array<TileCut, 14> cuts = {{
    {1, 8, 64, 256, 256, 1, 4},
    {1, 4, 128, 128, 256, 4, 4},
    {1, 2, 128, 128, 256, 8, 8},
    {1, 1, 64, 64, 256, 8, 4},
    {2, 8, 128, 128, 512, 1, 1},
    {2, 4, 128, 128, 256, 4, 4},
    {2, 2, 64, 64, 256, 4, 4},
    {2, 1, 64, 64, 256, 8, 4},
    {4, 4, 64, 64, 256, 1, 4},
    {4, 2, 64, 64, 256, 4, 4},
    {4, 1, 64, 32, 256, 8, 4},
    {8, 2, 32, 32, 256, 1, 2},
    {8, 1, 32, 32, 256, 4, 4},
    {16, 1, 32, 32, 256, 4, 4},
}};

// Returns the largest size, of a bank or a vector, by which rows are spread over banks, in vectors.
std::int64_t vectors_in_bank(std::int64_t vector_bytes) {
    return std::max<std::int64_t>(bank_bytes / vector_bytes, 1);
}

}  // namespace

TileCut find_cut(const TileDemand& demand, int patch) {
    TileCut cut = *std::find_if(cuts.begin(), cuts.end(), [&](const TileCut& row) {
        return row.widest == demand.widest && row.patch <= patch;
    });
    while ((cut.side_a + cut.patch) * cut.side_b * demand.tiled_bytes > most_tile_bytes) {
        (cut.side_b > cut.side_a ? cut.side_b : cut.side_a) /= 2;
    }
    return cut;
}

std::int64_t tile_pitch(std::int64_t patches, std::int64_t vector_bytes) {
    const std::int64_t unit = vectors_in_bank(vector_bytes);
    return (((patches - 1) / unit + 1) | 1) * unit;
}

std::int64_t patches_in(std::int64_t pitch, std::int64_t vector_bytes) {
    const std::int64_t unit = vectors_in_bank(vector_bytes);
    return ((pitch / unit - 1) | 1) * unit;
}

}  // namespace kgen
