// SPDX-License-Identifier: MIT
//
// The layout of the parameter block: the struct that a generated kernel receives as its only parameter.
// `source` declares the struct and `make_plan` fills it, both from the same list of fields.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plan/baked.hpp"
#include "plan/block_structs.hpp"

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

// Return the factors for an extent.
Divisor32 make_divisor32(std::uint32_t extent) noexcept;
Divisor64 make_divisor64(std::uint64_t extent) noexcept;
// Return the size and alignment of the divisor of that width.
std::size_t divisor_bytes(IndexWidth width) noexcept;
std::size_t divisor_alignment(IndexWidth width) noexcept;

inline constexpr std::size_t largest_block_bytes = 32764;  // CUDA 12.1 and newer, sm_70 and newer

// Whether the loop walks operand k by strides; whether the loop divides an index into axes at all.
bool has_strides(const Baked& baked, std::size_t k) noexcept;
bool divides(const Baked& baked) noexcept;

// Returns the layout of the parameter block. `dtypes` has one dtype for each parameter.
BlockLayout lay_out_block(const Baked& baked, std::span<const DType> dtypes);

}  // namespace kgen
