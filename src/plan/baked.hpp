// SPDX-License-Identifier: MIT
//
// Baked: the half of a plan that is compiled into the source. A source depends only on this half, the
// definition and the dtypes. It is part of the keys of the in-memory table and of the cache, so it never
// holds an extent, a stride or a size, except the `few` of host loops and of short_folds, and BakedOperand::step.
#pragma once

#include <cstdint>
#include <kgen/device.hpp>
#include <string>
#include <variant>
#include <vector>

#include "plan/operand.hpp"
#include "plan/walk.hpp"

namespace kgen {

enum class LoopKind : std::uint8_t {
    flat,          // CUDA: one index over all elements
    vector_rows,   // CUDA: a thread handles the same vector of several rows
    shared_tiles,  // CUDA: transposed operands are copied through tiles in shared memory
    staged_runs,   // CUDA: rows of transposed operands are copied to shared memory as they lie
    parts,         // CUDA: groups of outputs are computed apart, each by its own blocks and loop
    rows,          // host: the innermost axis is a plain loop, the outer axes are counted
    short_rows,    // host: several inner axes are treated as one, because rows are short
    tiles,         // host: the two innermost axes are walked tile by tile
    // Reductions. The fastest axis, along which the inputs lie closest in memory, usually decides.
    // The fastest axis is reduced. Teams of threads (on the host: several accumulators) fold rows.
    reduced_rows,
    staged_rows,  // CUDA: like reduced_rows, but short rows are first copied to shared memory
    // Outputs of few elements. CUDA: a thread folds all elements of its outputs. Host: the inner kept axes are treated as
    // one, because folds or rows are short.
    short_folds,
    reduced_columns,  // the fastest axis is kept: each thread folds its own columns
    folded_elements,  // CUDA: all axes are reduced, and an elementwise loop reads the inputs
    // Row kernels, whose passes fold each row several times.
    fused_rows,     // the fastest axis is reduced
    fused_columns,  // the fastest axis is kept
};

enum class IndexWidth : std::uint8_t { bits32, bits64 };

// The class of the stride of an operand along the innermost axis of the loop.
enum class StrideClass : std::uint8_t {
    unit,      // one element
    uniform,   // 0
    strided,   // any other stride
    reversed,  // host: minus one element
};

// How a CUDA loop reads and writes an array.
enum class Access : std::uint8_t {
    elements,  // element by element, by its strides
    vector,    // `Baked::vector` neighbouring elements at once
    // Neighbouring elements one by one, because the array is not aligned like the other arrays.
    singles,
    uniform,  // one element serves a whole vector
    // Through shared memory: by transposed tiles, or in staged_rows and staged_runs as it lies in memory.
    shared,
    words,  // `Baked::vector` neighbouring narrow elements that begin anywhere, by the words around them
};

// The load instructions by which a CUDA kernel reads an operand.
enum class Loads : std::uint8_t {
    plain,      // ordinary loads, for memory that the kernel may also write
    read_only,  // ld.global.nc, for memory that the kernel provably does not write
};

// The axis of the walk along which a coordinate of `_ind` is counted; -1 if the coordinate is always 0.
struct Coordinate {
    int axis = -1;
    bool backwards = false;  // the walk begins at the end of the axis
    friend bool operator==(const Coordinate&, const Coordinate&) = default;
};

struct BakedOperand {
    OperandKind kind = OperandKind::array;
    // For arrays on the host. shared_tiles and staged_runs: `unit` if an array has one stride along side a of a tile.
    StrideClass inner = StrideClass::unit;
    // Arrays on the host: a stride of 2 to 4 elements along the row; otherwise 0.
    int step = 0;
    Access access = Access::elements;  // arrays on CUDA
    Loads loads = Loads::plain;        // arrays on CUDA
    // short_rows: neighbours lie along the outer one of the two axes of a row, as in the planes of an image
    bool planar = false;
    bool repeats = false;  // vector_rows, reduced_columns: the stride from row to row is 0
    // The fields of the raw view. Used for a raw parameter, and for an array that a body uses as `_raw_name`.
    bool viewed = false;
    int view_rank = 0;
    bool view_contiguous = false;
    bool view_wraps = false;  // host: indices wrap at the number of elements, which is not 0
    IndexWidth view_width = IndexWidth::bits64;

    friend bool operator==(const BakedOperand&, const BakedOperand&) = default;
};

// The fields that each kind of loop bakes in addition to the common ones. `accesses` is the number of
// accesses that a thread has in flight at once. `split` says whether several thread blocks (on the host:
// threads) may fold one output.
struct FlatChoice {
    int accesses = 1;
    bool shifted = false;  // the first vector may begin before the arrays
    bool vector_rest =
        false;  // an incomplete tile is computed by vectors; otherwise element by element
    friend bool operator==(const FlatChoice&, const FlatChoice&) = default;
};
struct VectorRowsChoice {
    int rows = 1;         // rows that a thread handles
    bool turned = false;  // inputs lie closest along the axis of the rows
    friend bool operator==(const VectorRowsChoice&, const VectorRowsChoice&) = default;
};
struct SharedTilesChoice {
    int side_b = 1;   // elements of a patch along b; along a it has Baked::vector
    int patches = 1;  // patches that a thread reads at once
    int vectors = 1;  // vectors along axis a that a thread has in flight
    // Whether a thread keeps its place along one side while it moves along the other, because the patches along each side divide the
    // number of threads.
    bool straight = false;
    // The numbers of axes over which a tile runs along a (the last axes) and along b (those before them).
    int axes_a = 1;
    int axes_b = 1;
    friend bool operator==(const SharedTilesChoice&, const SharedTilesChoice&) = default;
};
struct StagedRunsChoice {
    int rows = 1;  // rows of a thread at once
    // As in SharedTilesChoice. Rows run over the axes of b.
    int axes_a = 1;
    int axes_b = 1;
    friend bool operator==(const StagedRunsChoice&, const StagedRunsChoice&) = default;
};
struct StagedRowsChoice {
    bool side_by_side = false;  // the axis inside the reduced one is kept
    friend bool operator==(const StagedRowsChoice&, const StagedRowsChoice&) = default;
};
struct TilesChoice {
    bool bands = false;  // a tile has all rows of a few columns; otherwise it is a square
    friend bool operator==(const TilesChoice&, const TilesChoice&) = default;
};
struct HostRowsChoice {
    bool short_vectors = false;  // rows have fewer elements than the widest vectors
    friend bool operator==(const HostRowsChoice&, const HostRowsChoice&) = default;
};
struct ShortRowsChoice {
    int axes = 2;  // inner axes that form one row
    int few = 0;   // extent of the innermost axis if there are planar arrays, otherwise 0
    friend bool operator==(const ShortRowsChoice&, const ShortRowsChoice&) = default;
};
struct ShortFoldsChoice {
    int axes = 1;  // inner kept axes that form one row of outputs
    int few =
        0;  // number of elements of each output if these are so few that they are folded at once, otherwise 0
    friend bool operator==(const ShortFoldsChoice&, const ShortFoldsChoice&) = default;
};
struct ThreadFoldsChoice {  // short_folds on CUDA
    int accesses = 1;
    int few = 0;  // number of elements of each output if there are at most 16, otherwise 0
    bool along =
        false;  // the elements of an output are neighbours, and so are those of neighbouring outputs
    // Neighbouring threads lie along two axes. Some arrays run fastest along one of them, the rest along the other.
    bool turned = false;
    int groups =
        1;  // vectors of outputs of a thread, whose elements are all loaded at once if there are several
    friend bool operator==(const ThreadFoldsChoice&, const ThreadFoldsChoice&) = default;
};
struct ReducedRowsChoice {
    int accesses = 1;
    bool block_team = false;  // a team is a whole thread block; otherwise up to 32 threads
    bool shifted = false;     // rows may begin within a vector
    bool split = false;
    bool guarded = false;  // most of a row lies in a tile that is not full
    bool ends_first =
        false;  // elements outside whole vectors are loaded before the vectors of their segment
    int few =
        0;  // host: extent of the innermost axis if rows run along the axis before it, otherwise 0
    friend bool operator==(const ReducedRowsChoice&, const ReducedRowsChoice&) = default;
};
struct ReducedColumnsChoice {
    int accesses = 1;
    bool wide = false;     // several short rows are treated as one wide row
    bool shifted = false;  // the first vector of wide rows may begin before the first element
    bool split = false;
    bool whole = false;   // the call is small, and a block folds all rows of its columns
    bool merged = false;  // an output has several columns, see MergedColumns
    int axes = 1;         // the number of kept axes whose elements are columns
    friend bool operator==(const ReducedColumnsChoice&, const ReducedColumnsChoice&) = default;
};

// Row kernels on CUDA. `held` is the number of accesses whose values a thread keeps from pass to pass; 0 if rows are so
// long that each pass reads them again. `spread` says whether thread blocks of the whole grid share rows. Their number is
// passed at the launch, and threads read again what they cannot keep. If `whole`, each thread has `held` accesses, and all their elements
// are of the row. If `packed`, it keeps elements as they were read, because there are too many to keep what is computed of
// them.
struct FusedRowsChoice {
    int held = 0;
    int blocks = 1;        // thread blocks of a cluster, which share a row
    int team = 32;         // threads of a block that have a row: up to 32, or all
    bool shifted = false;  // rows may begin within a vector
    bool whole = false;
    bool packed = false;
    bool spread = false;
    friend bool operator==(const FusedRowsChoice&, const FusedRowsChoice&) = default;
};
struct FusedColumnsChoice {
    int held = 0;
    int blocks = 1;
    int across = 1;  // threads side by side
    int team = 32;   // threads of a block that share rows
    bool whole = false;
    bool packed = false;
    bool spread = false;
    // A team has all rows that lie beside each other, and reads vectors as they lie in memory; they may begin within a vector.
    bool dense = false;
    bool shifted = false;
    friend bool operator==(const FusedColumnsChoice&, const FusedColumnsChoice&) = default;
};

using LoopChoice = std::variant<std::monostate,
                                FlatChoice,
                                VectorRowsChoice,
                                SharedTilesChoice,
                                StagedRunsChoice,
                                StagedRowsChoice,
                                TilesChoice,
                                HostRowsChoice,
                                ShortRowsChoice,
                                ShortFoldsChoice,
                                ThreadFoldsChoice,
                                ReducedRowsChoice,
                                ReducedColumnsChoice,
                                FusedRowsChoice,
                                FusedColumnsChoice>;

struct Baked {
    DeviceKind device = DeviceKind::host;
    LoopKind loop = LoopKind::rows;
    int rank = 1;                                 // number of axes of the loop
    int kept = 0;                                 // reductions: number of kept axes, the first ones
    IndexWidth width = IndexWidth::bits64;        // type of kgen's own byte offsets
    IndexWidth index_width = IndexWidth::bits64;  // type of the indices that are divided into axes
    int vector = 1;         // elements in one access; shared_tiles: the side of a patch along a
    int block_bound = 256;  // greatest number of threads in a block
    bool counted = false;   // the body, or the map of a reduction, uses the element's index
    // elementwise: the walk is in another order than C order, so the element's index is counted by its strides
    bool moves_index = false;
    // vector_rows, shared_tiles, reduced_rows, fused_rows: a vector's elements are neighbours in C order and share their random
    // numbers
    bool draws_neighbours = false;
    // Whether the indices are known to fit into 31 bits, and that helps. host: the body only divides them by numbers, which loops of 32 bits
    // vectorise. CUDA: an elementwise body uses `i`, which comes from 32 bits, so that the compiler divides it as such.
    bool narrow_index = false;
    // the loop is a section of a larger one, whose indices and numbers of elements the texts use
    bool section = false;
    bool counts_reduced = false;  // reductions: the map uses `_J`
    bool counts_outputs = false;  // reductions: a text uses the output's index
    bool by_reference = false;    // the body gets references into memory
    int logical_rank = 0;         // rank of the loop's shape, if a text uses `_ind` or `_in_ind`
    int output_rank = 0;          // rank of the outputs' shape, if a text uses `_out_ind`
    AxisSet unit_axes =
        0;  // CUDA, elementwise: axes of `_ind` that have one element, which no index is divided by
    // The coordinates of `_ind`, if the loop counts them; otherwise the index is divided into them.
    std::vector<Coordinate> coordinates = {};
    LoopChoice choice = {};
    PerParameter<BakedOperand> operands;  // one for each parameter
    // Whether this is one of the parts of another Baked. The blocks of LoopKind::parts follow those of the parts before it.
    bool is_part = false;
    // LoopKind::parts: what computes each group of outputs. folded_elements: the loop that reads the inputs.
    std::vector<Baked> parts = {};

    // Returns the loop's choice. Throws std::bad_variant_access if it is of another kind.
    template <typename Choice>
    const Choice& as() const {
        return std::get<Choice>(choice);
    }

    friend bool operator==(const Baked&, const Baked&) = default;
};

// Whether several thread blocks (on the host: threads) may fold one output.
bool is_split(const Baked& baked) noexcept;

// Whether rows of a row kernel may begin within a vector.
bool is_shifted(const Baked& baked) noexcept;

// Whether thread blocks of the whole grid share rows and wait for each other, so that the launch is cooperative.
bool is_spread(const Baked& baked) noexcept;

// Number of thread blocks of a cluster, which share a row; 1 if there are no clusters.
int cluster_blocks(const Baked& baked) noexcept;

// Whether each pass of a row kernel on CUDA reads its rows again.
bool reads_rows_again(const Baked& baked) noexcept;

// Returns a short text that identifies a Baked in tables and head lines. Two Baked have the same text only if
// they are equal. Example: "cuda flat r1k0 w64:64 v4 b256 n0:0 u2 | a1v a1s s".
std::string to_key(const Baked& baked);

// Returns a readable description of the loop: "contiguous, 4 elements an access, 2 accesses a thread".
std::string describe_loop(const Baked& baked);

}  // namespace kgen
