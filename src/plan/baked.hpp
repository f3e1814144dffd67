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
    linear,   // CUDA: one axis, every array contiguous or uniform along it
    strided,  // CUDA: any layout; each element's index is divided into axes
    rows,     // host: the inner axis is a plain loop, the outer ones are counted
};

enum class IndexWidth : std::uint8_t { bits32, bits64 };

// How an operand moves along the innermost axis of the loop.
enum class StrideClass : std::uint8_t {
    unit,     // to the next element
    uniform,  // not at all
    strided,  // by any stride
};

// Through which path a CUDA kernel reads an operand.
enum class Loads : std::uint8_t {
    plain,      // memory that the kernel may also write
    read_only,  // proved to be written by nobody: ld.global.nc
};

struct BakedOperand {
    OperandKind kind = OperandKind::array;
    StrideClass inner = StrideClass::unit;  // arrays
    Loads loads = Loads::plain;             // arrays
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
    int rank = 1;                           // axes of the loop
    IndexWidth width = IndexWidth::bits64;  // of kgen's own offsets
    int vector = 1;                         // elements of one access
    int unroll = 1;                         // accesses of a thread in flight
    int block_bound = 256;                  // the most threads of a block
    bool by_reference = false;              // the body gets references into memory
    int logical_rank = 0;                   // of the loop's shape, where the body sees `_ind`
    std::vector<BakedOperand> operands;     // one a parameter

    friend bool operator==(const Baked&, const Baked&) = default;
};

// A short text that differs wherever two Baked differ, for tables and head lines:
// "linear r1 w32 v4 u2 b256 | ao uo sc".
std::string to_key(const Baked& baked);

// "contiguous, 4 elements an access, 2 accesses a thread", for people.
std::string describe_loop(const Baked& baked);

}  // namespace kgen
