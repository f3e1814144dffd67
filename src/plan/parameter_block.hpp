// SPDX-License-Identifier: MIT
//
// The layout of the parameter block: the struct that a generated kernel receives as its only parameter.
// `source` declares the struct and `make_plan` fills it, both from the same list of fields.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plan/baked.hpp"

namespace kgen {

// The kinds of fields, with their types in device code.
enum class FieldKind : std::uint8_t {
    count,          // long long: number of elements; in reductions, of outputs
    work,           // long long: vector_rows: number of threads that have work
    shift,          // long long: flat: elements by which the first vector begins before the arrays
    data,           // T*: address at which the operand's walk begins
    extents,        // host: long long[rank]; CUDA: a divisor for each axis, see Geometry::counts
    rows,           // RowSteps
    tile,           // TileShape
    strides,        // in bytes; host: long long[rank]; CUDA: int[rank] or long long[rank]
    index_strides,  // long long[rank]: strides of the C-order index
    shape,          // long long[logical rank]: the loop's shape, for `_ind` and `_in_ind`
    view,           // kgen_raw_view
    scalar,         // T
    // Fields of reductions. There, `extents` and `strides` have the kept axes first, then the reduced ones.
    reduced_count,  // long long: number of elements that are folded into one output
    place_strides,  // long long[rank + 1]: strides of a place index, then its first value
    output_shape,   // long long[output rank]: the outputs' shape, for `_out_ind`
    pieces,         // long long: host: most pieces of an output, or of a block of columns
    scratch,        // unsigned*, void*: counters and partials; set at the launch
    teams,          // RowTeams
    staged,         // StagedRows
    columns,        // ColumnTiles
};

struct BlockField {
    FieldKind kind;
    int operand;  // index of the parameter; the PlaceIndex for place_strides; -1 for other fields
    std::size_t offset;
    std::size_t size_bytes;
};

struct BlockLayout {
    std::vector<BlockField> fields;
    std::size_t size_bytes = 0;
};

// Appends fields to a layout as C++ does: each at the next multiple of its alignment.
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

// The factors by which a GPU divides an index: index / extent is (mulhi(index, multiplier) + index) >> shift.
// This is the round-up method of Granlund and Montgomery, "Division by Invariant Integers using
// Multiplication", PLDI 1994. Indices are at least 0 and extents at least 1, both below 2^31 and 2^63.
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
// Return the size and alignment of the divisor of that width.
std::size_t divisor_bytes(IndexWidth width) noexcept;
std::size_t divisor_alignment(IndexWidth width) noexcept;

// vector_rows: a thread of group g handles the rows g * first + r * step below `extent`, for r below
// Baked::unroll.
struct RowSteps {
    std::int64_t extent;
    std::int64_t first;
    std::int64_t step;
};

// shared_tiles: the shape of a tile. A tile consists of squares with Baked::vector elements on a side. A
// thread turns a whole square. In shared memory a tile consists of rows of vectors along a.
struct TileShape {
    std::int64_t extent_a;  // extents of the axes in elements
    std::int64_t extent_b;
    std::int32_t tile_a;  // sides of a whole tile in elements
    std::int32_t tile_b;
    std::int32_t squares_a;  // sides of a whole tile in squares
    std::int32_t squares_b;
    std::int32_t pitch;  // distance between rows of a tile in shared memory, in vectors
    std::int32_t room;   // size of a whole tile in shared memory, in vectors
    // The distance from a square, and from a vector, of a thread to its next one: the number of threads in a
    // block, divided with remainder by squares_b and by squares_a.
    std::int32_t square_step_a;
    std::int32_t square_step_b;
    std::int32_t row_step_a;
    std::int32_t row_step_b;
    Divisor32 by_squares_a;
    Divisor32 by_squares_b;
};

inline constexpr std::size_t largest_block_bytes = 32764;  // CUDA 12.1 and newer, sm_70 and newer

// Whether the loop walks operand k by strides; whether the loop divides an index into axes at all.
bool has_strides(const Baked& baked, std::size_t k) noexcept;
bool divides(const Baked& baked) noexcept;

// Returns the layout of the parameter block. `dtypes` has one dtype for each parameter.
BlockLayout lay_out_block(const Baked& baked, std::span<const DType> dtypes);

}  // namespace kgen
