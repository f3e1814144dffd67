// SPDX-License-Identifier: MIT
//
// Baked: what is compiled in. Everything a source may depend on beside the signature and the
// dtypes, and never an extent, a stride or a size: the in-memory table and the cache are keyed by it.
#pragma once

#include <cstdint>
#include <kgen/device.hpp>
#include <string>
#include <vector>

#include "plan/operand.hpp"

namespace kgen {

enum class LoopKind : std::uint8_t {
    flat,          // CUDA: one index over all elements
    vector_rows,   // CUDA: a thread takes the same vector of several rows
    shared_tiles,  // CUDA: transposed operands go through tiles in shared memory
    rows,          // host: the inner axis is a plain loop, the outer ones are counted
    short_rows,    // host: the two inner axes are one, of which some operands get copies
    tiles,         // host: the two inner axes are walked by tiles
    // Reductions, by the axis along which memory runs fastest:
    reduced_rows,     // it is reduced: teams of threads fold rows (on the host, accumulators)
    staged_rows,      // it is reduced and short: CUDA: rows go through shared memory
    reduced_columns,  // it is kept: each thread folds columns of its own
};

enum class IndexWidth : std::uint8_t { bits32, bits64 };

// How an operand moves along the innermost axis of the loop.
enum class StrideClass : std::uint8_t {
    unit,      // to the next element
    uniform,   // not at all
    strided,   // by any stride
    reversed,  // host: to the element before
};

// How a CUDA loop reads and writes an array.
enum class Access : std::uint8_t {
    elements,  // one by one, wherever its strides lead
    vector,    // `Baked::vector` neighbours at once
    singles,   // neighbours one by one: not aligned as the others are
    uniform,   // one element for all of a vector
    shared,    // by tiles in shared memory, which turn its inner axis
};

// Through which path a CUDA kernel reads an operand.
enum class Loads : std::uint8_t {
    plain,      // memory that the kernel may also write
    read_only,  // proved to be written by nobody: ld.global.nc
};

struct BakedOperand {
    OperandKind kind = OperandKind::array;
    StrideClass inner = StrideClass::unit;  // arrays on the host
    Access access = Access::elements;       // arrays on CUDA
    Loads loads = Loads::plain;             // arrays on CUDA
    bool repeats = false;                   // vector_rows: every row is the same
    // Raw parameters, and arrays that a body sees as `_raw_name`:
    bool viewed = false;
    int view_rank = 0;
    bool view_contiguous = false;
    IndexWidth view_width = IndexWidth::bits64;

    friend bool operator==(const BakedOperand&, const BakedOperand&) = default;
};

struct Baked {
    DeviceKind device = DeviceKind::host;
    LoopKind loop = LoopKind::rows;
    int rank = 1;                                 // axes of the loop
    int kept = 0;                                 // reductions: the first ones, which are kept
    IndexWidth width = IndexWidth::bits64;        // of kgen's own offsets in bytes
    IndexWidth index_width = IndexWidth::bits64;  // of indices that are divided into axes
    int vector = 1;        // elements of one access; the side of a turned square
    int unroll = 1;        // flat: accesses of a thread; vector_rows: rows; shared_tiles: squares
    int rows = 1;          // shared_tiles: vectors along a that a thread has in flight
    bool shifted = false;  // flat: the first vector begins before the arrays
    bool counted = false;  // the body, or the map of a reduction, gets the element's index
    bool split = false;    // reductions: several blocks (on the host, ranges) may fold one output
    bool wide = false;     // reduced_columns: rows are so short that several make a wide one
    bool block_team = false;      // reduced_rows: a block folds an output; else up to 32 threads do
    bool counts_reduced = false;  // reductions: the map gets `_J`
    bool counts_outputs = false;  // reductions: a text gets the output's index
    int block_bound = 256;        // the most threads of a block
    bool by_reference = false;    // the body gets references into memory
    int logical_rank = 0;         // of the loop's shape, where a text sees `_ind` or `_in_ind`
    int output_rank = 0;          // of the outputs' shape, where a text sees `_out_ind`
    std::vector<BakedOperand> operands;  // one a parameter

    friend bool operator==(const Baked&, const Baked&) = default;
};

// A short text that differs wherever two Baked differ, for tables and head lines:
// "cuda flat r1 w32 v4 u2 b256 | av as s".
std::string to_key(const Baked& baked);

// "contiguous, 4 elements an access, 2 accesses a thread", for people.
std::string describe_loop(const Baked& baked);

}  // namespace kgen
