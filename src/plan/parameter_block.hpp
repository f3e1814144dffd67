// SPDX-License-Identifier: MIT
//
// The one struct that a kernel gets: which fields it has, and where. `source` declares it and
// `make_plan` fills it, both from this list, so that they cannot disagree.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plan/baked.hpp"

namespace kgen {

// Fields in order.
enum class FieldKind : std::uint8_t {
    count,          // long long: the number of elements
    work,           // long long: vector_rows: vectors of rows to share
    shift,          // long long: flat: elements between the first vector's begin and the arrays'
    data,           // T*: where the operand's walk begins
    extents,        // host: long long[rank]; CUDA: one divisor an axis, see Geometry::counts
    rows,           // RowSteps
    tile,           // TileShape
    strides,        // bytes; host: long long[rank]; CUDA: int or long long[rank]
    index_strides,  // long long[rank]: how the C-order index moves
    shape,          // long long[logical rank]: the loop's shape, for `_ind`
    view,           // kgen_raw_view
    scalar,         // T
    // Of reductions, where `extents` and `strides` have the kept axes, then the reduced ones:
    reduced_count,  // long long: elements that are folded into one output
    place_strides,  // long long[rank + 1]: how the PlaceIndex `operand` moves, and where it begins
    output_shape,   // long long[output rank]: the outputs' shape, for `_out_ind`
    pieces,         // long long: the host: the most pieces of an output, or of a block of columns
    scratch,        // unsigned*, void*: counters and partials, set at the launch
    teams,          // RowTeams
    staged,         // StagedRows
    columns,        // ColumnTiles
};

struct BlockField {
    FieldKind kind;
    int operand;  // index of the parameter, -1 for fields of the loop
    std::size_t offset;
    std::size_t size_bytes;
};

struct BlockLayout {
    std::vector<BlockField> fields;
    std::size_t size_bytes = 0;
};

// Places fields as C++ does: each at the next multiple of its alignment.
class BlockPlacer {
public:
    explicit BlockPlacer(BlockLayout& layout) : layout_(layout) {}

    void add(FieldKind kind, int operand, std::size_t bytes, std::size_t alignment);
    void add_views(const Baked& baked);
    void add_numbers(const Baked& baked, std::span<const DType> dtypes);
    void finish();

private:
    BlockLayout& layout_;
    std::size_t largest_ = 8;
};

// What divides an index on a GPU: index / extent is (mulhi(index, multiplier) + index) >> shift for 0 <=
// index < 2^31, and 2^63 (the round-up method of Granlund and Montgomery, "Division by Invariant Integers
// using Multiplication", PLDI 1994). Extents are at least 1, and below 2^31 and 2^63.
struct Divisor32 {
    std::uint32_t extent;
    std::uint32_t multiplier;
    std::uint32_t shift;
};
struct Divisor64 {
    std::uint64_t extent;
    std::uint64_t multiplier;
    std::uint64_t shift;
};

Divisor32 make_divisor32(std::uint32_t extent) noexcept;
Divisor64 make_divisor64(std::uint64_t extent) noexcept;
// The bytes of one of that width, and its alignment.
std::size_t divisor_bytes(IndexWidth width) noexcept;
std::size_t divisor_alignment(IndexWidth width) noexcept;

// vector_rows: a thread of group g takes the rows g * first + r * step below `extent`.
struct RowSteps {
    std::int64_t extent;
    std::int64_t first;
    std::int64_t step;
};

// shared_tiles. A tile is cut into squares of Baked::vector elements a side, which a thread turns; in
// shared memory it has rows of vectors along a.
struct TileShape {
    std::int64_t extent_a;  // of the whole axes, in elements
    std::int64_t extent_b;
    std::int32_t tile_a;  // of a whole tile, in elements
    std::int32_t tile_b;
    std::int32_t squares_a;  // of a whole tile
    std::int32_t squares_b;
    std::int32_t pitch;  // vectors from one row of squares in shared memory to the next
    std::int32_t room;   // vectors of a whole tile in shared memory
    // A block's threads divided by squares_b and by squares_a: how far a thread's next square, and
    // its next vector, lie from the last one.
    std::int32_t square_step_a;
    std::int32_t square_step_b;
    std::int32_t row_step_a;
    std::int32_t row_step_b;
    Divisor32 by_squares_a;
    Divisor32 by_squares_b;
};

inline constexpr std::size_t largest_block_bytes = 32764;  // CUDA 12.1 and newer, sm_70 and newer

// Whether the loop walks operand k by strides, and whether it divides an index into axes at all.
bool has_strides(const Baked& baked, std::size_t k) noexcept;
bool divides(const Baked& baked) noexcept;

BlockLayout lay_out_block(const Baked& baked, std::span<const DType> dtypes);

}  // namespace kgen
