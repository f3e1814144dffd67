// SPDX-License-Identifier: MIT
//
// TileSidesText: where the arrays of the loops over tiles lie along the sides of a tile. Side 'a' consists of the last
// axes of the walk, side 'b' of those before them. The struct of the loop is called kgen_tile and has tile_a and tile_b.
// Turned arrays are contiguous along side b and pass through shared memory.
#pragma once

#include <string>
#include <string_view>

#include "source/cuda_text.hpp"
#include "source/loop_text.hpp"

namespace kgen {

class TileSidesText {
public:
    // `text` and `cuda` must outlive the object.
    TileSidesText(const KernelText& text, const CudaText& cuda, int axes_a, int axes_b);

    int first_of(char side) const { return side == 'a' ? first_a_ : first_b_; }
    int last_of(char side) const { return side == 'a' ? text_.baked().rank - 1 : first_a_ - 1; }
    bool has_one_axis(char side) const { return first_of(side) == last_of(side); }
    bool is_turned(std::size_t k) const { return cuda_.access(k) == Access::shared; }
    // Whether the body may use the values that the elements of a turned array have before, and whether it is an output.
    bool is_read_turned(std::size_t k) const;
    bool is_written_turned(std::size_t k) const;
    // Whether array k has one stride along the side.
    bool is_linear(std::size_t k, char side) const;

    // Returns statements that find the begin of the tile and of each array's part of it. Along sides that are not
    // linear for an array, its part begins at the first element of the side. Of the first axis of a side,
    // kgen_extents holds the number of tiles; of its other axes, the extents.
    std::string find() const;
    // Returns the distance in bytes from the begin of array k's part to a place along a side of the tile.
    std::string along(std::size_t k, char side, std::string_view place) const;
    // The same for the element's index.
    std::string index_along(char side, std::string_view place) const;
    // Adds the functions that divide a place along a side into the places along its axes.
    void write(LoopText& loop) const;

    // Whether any array passes the test, a member of this class.
    bool any(bool (TileSidesText::*test)(std::size_t k) const) const;

private:
    const KernelText& text_;
    const CudaText& cuda_;
    int first_a_;
    int first_b_;
};

}  // namespace kgen
