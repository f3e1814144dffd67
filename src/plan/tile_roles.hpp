// SPDX-License-Identifier: MIT
//
// How the shared_tiles loop moves each array of a baked plan, and where the tiles of its arrays lie in shared
// memory. The plan and the source both follow these rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/dtype.hpp>
#include <span>

#include "plan/baked.hpp"
#include "signature/signature.hpp"

namespace kgen {

class TileRoles {
public:
    // The arguments must outlive the object.
    TileRoles(const Signature& signature, const Baked& baked)
        : signature_(signature), baked_(baked) {}

    // Whether the array is fastest along side b, and has one stride along it.
    bool is_turned(std::size_t k) const {
        return is_array(k) && baked_.operands[k].access == Access::shared;
    }
    // Whether neighbours along the array's own axis, b or a, are neighbours in memory.
    bool is_contiguous(std::size_t k) const {
        return is_turned(k) ? baked_.operands[k].inner == StrideClass::unit
                            : is_array(k) && baked_.operands[k].access == Access::vector;
    }
    // Whether the body may use the value that the element has before.
    bool is_loaded(std::size_t k) const { return !signature_.parameters[k].overwritten; }
    // Whether rows of the array begin anywhere in a word.
    bool is_loose(std::size_t k) const {
        return baked_.as<SharedTilesChoice>().loose && is_contiguous(k);
    }
    // Whether squares of the array are read.
    bool reads_squares(std::size_t k) const { return is_turned(k) && is_loaded(k); }
    // Whether results wait in shared memory, and whether they are then stored in rows along the array's own
    // axis or in squares.
    bool waits(std::size_t k) const { return is_written(k) && (is_turned(k) || is_loose(k)); }
    bool stores_rows(std::size_t k) const { return waits(k) && is_loose(k); }
    bool stores_squares(std::size_t k) const { return waits(k) && !is_loose(k); }
    // Whether results are transposed within shared memory before they are stored in rows.
    bool turns_back(std::size_t k) const { return stores_rows(k) && is_turned(k); }
    bool has_tile(std::size_t k) const { return reads_squares(k) || waits(k); }

private:
    bool is_array(std::size_t k) const { return baked_.operands[k].kind == OperandKind::array; }
    bool is_written(std::size_t k) const { return signature_.parameters[k].written; }

    const Signature& signature_;
    const Baked& baked_;
};

// The places of tiles in shared memory. A tile of rows along a begins behind `along_a` bytes for each of its
// elements, a tile of rows along b behind those and `along_b` bytes for each element.
struct TilePlaces {
    struct Place {
        std::int64_t along_a = 0;
        std::int64_t along_b = 0;
    };
    PerParameter<Place> places;  // one for each parameter
    std::int64_t bytes_a = 0;    // sum of the item sizes of all tiles of rows along a
    std::int64_t bytes_b = 0;
};

// Assigns the tiles. An output that waits takes the place of a turned input with the same item size, because
// the thread that stores a result there has read this element of the input before.
TilePlaces place_tiles(const TileRoles& roles,
                       const Signature& signature,
                       std::span<const DType> dtypes);

}  // namespace kgen
