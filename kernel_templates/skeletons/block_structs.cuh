// SPDX-License-Identifier: MIT
// kgen: structs of the parameter block. src/plan includes this file and fills them. Kernels contain its text and read them.
// Equal calls have equal bytes, so no struct ends in padding without a name, which nobody would set: `unused` is 0.

// The factors by which a GPU divides an index by an extent: index / extent is (mulhi(index, multiplier) + index) >> shift.
// This is the round-up method of Granlund and Montgomery, "Division by Invariant Integers using Multiplication", PLDI
// 1994. Indices are at least 0 and extents at least 1, both below 2^31, or 2^63 for the long divisor.
struct kgen_divisor { unsigned extent, multiplier, shift; };
struct kgen_long_divisor { unsigned long long extent, multiplier, shift; };

// vector_rows: a thread of group g handles the rows g * first + r * step below `extent`, for r below kgen_row_count.
// `threads` is the number of threads of the launch that have work.
struct kgen_row_steps { long long extent, first, step, threads; };

// shared_tiles: the shape of a tile. Axis a is the fastest axis of most arrays, axis b that of the turned ones. A tile
// consists of patches of kgen_pack by kgen_pack_b elements along a and b. A thread transposes a whole patch. In shared memory a tile
// consists of rows of vectors along a.
struct kgen_tile_shape {
    long long extent_a, extent_b;  // elements along each side of all tiles together; a side may have several axes
    int tile_a, tile_b;            // sides of a whole tile in elements
    int patches_a, patches_b;      // sides of a whole tile in patches
    int pitch;                     // distance between rows of a tile in shared memory, in vectors
    int room;                      // size of a whole tile in shared memory, in vectors
    // The distance from a thread's patch, and from its vector, to its next one: the quotient and the remainder of the
    // number of threads in a thread block, divided by patches_b and by patches_a.
    int patch_step_a, patch_step_b, row_step_a, row_step_b;
    kgen_divisor by_patches_a, by_patches_b;
};

// staged_runs: a tile consists of rows along side b, which lie beside each other along side a.
struct kgen_run_shape {
    long long extent_a, extent_b;  // elements along each side of all tiles together; a side may have several axes
    int tile_a, tile_b;            // sides of a whole tile in elements
    int skew;                      // most elements by which a tile begins before its place along a
    int joined;                    // whether all rows of a tile form one run
    int across;                    // threads beside each other along a
    // The binary logarithms of three numbers of threads: `across`, those beside each other along a in one warp, and those that copy one row.
    int log_across, log_near, log_lanes;
};

// reduced_rows: a team of threads folds one output, or a piece of it. The elements of an output form segments: rows along
// the innermost axis. A segment is divided into slots of kgen_pack elements, one vector each. An output is cut into
// pieces, by_slot_pieces.extent of them side by side along a segment. The last piece in each direction takes the rest.
struct kgen_row_teams {
    long long row;            // elements in a segment
    long long segments;       // segments of an output; 0 if it has no elements
    long long segments_each;  // segments of a piece
    long long slots_each;     // slots of each segment that a piece takes
    kgen_divisor by_pieces, by_slot_pieces;
    int team;   // threads of a team: a power of two up to 32, or the whole thread block
    int lanes;  // threads of a team that fold one segment: a power of two
};

// staged_rows: a thread block copies segments to shared memory, and each of its threads folds whole rows from there. A segment
// is a row, or several rows that lie side by side.
struct kgen_stage_sizes {
    long long segments;       // of the whole launch
    int row;                  // elements in a row
    int block;                // segments of a thread block
    kgen_divisor by_columns;  // rows of a segment
    int unused;
};

// short_folds: a thread folds the elements of vectors of kgen_pack neighbouring outputs. If some arrays run fastest along
// another axis than others do, `side` neighbouring threads have vectors along the innermost kept axis, and groups of these lie
// beside each other along the other kept axes.
struct kgen_fold_shape {
    long long columns;        // outputs along the innermost kept axis
    long long vectors;        // vectors of the whole launch, with `side` also places for them that are empty
    kgen_divisor by_vectors;  // vectors along the innermost kept axis, or with `side` the outputs along the other ones
    int rows;                 // elements that are folded into an output
    int side;                 // a power of two
    int unused;
};

// folded_elements: thread block k folds what the blocks k, k + pieces, ... of an elementwise loop read.
struct kgen_folded_shape { unsigned blocks, pieces; };

// fused_rows and fused_columns: a team of threads has a row, or kgen_pack rows that lie beside each other.
struct kgen_fused_teams {
    long long row;            // elements of a row; of all rows beside each other, if they are dense
    long long columns;        // fused_columns: rows beside each other, along the innermost kept axis
    kgen_divisor by_tiles;    // fused_columns: teams side by side across the columns; the columns if they are dense
    int lanes;                // dense rows: threads of a block that have elements
    unsigned tiles;           // fused_columns: teams of the launch
    int blocks;               // thread blocks of a team, if blocks of the whole grid share rows; such teams have several rows
    unsigned teams;           // the number of these teams
    int unused;
};

// reduced_columns: the threads of a thread block form `height` rows of `across` threads. A thread folds kgen_pack columns of
// every height-th row. If several short rows form a wide row, `rows` and `rows_each` count wide rows, and `height` counts the
// rows of a wide row. If columns are merged, an output has `each` columns in a tile: groups of by_neighbours.extent columns lie side by
// side, one for each output of the tile, and this sequence comes again each / by_neighbours.extent times. `columns` counts all of them.
// Without, both are 1.
struct kgen_column_tiles {
    long long columns;       // elements along the innermost kept axis
    long long rows;          // rows that are folded into an output
    long long rows_each;     // rows of a piece
    kgen_divisor by_tiles;   // tiles side by side across the columns
    kgen_divisor by_pieces;  // pieces of each tile
    kgen_divisor by_period;  // elements after which the columns of a thread block repeat; outputs of a tile if columns are merged
    kgen_divisor by_neighbours;
    int each;
    int across;              // threads side by side, a power of two without wide rows and merged columns
    int height;              // rows of threads
    unsigned bundle;         // pieces that one block folds before another one folds these bundles; 0 if one block folds all
};
