// SPDX-License-Identifier: MIT
//
// ReductionOperands: what the operands of CUDA's reductions share. Pointers and place indices (see ReductionText) are
// moved along the axes: by the kept ones to where an output's elements begin, then by the reduced ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/cuda_text.hpp"
#include "source/loop_text.hpp"
#include "source/reduction_text.hpp"

namespace kgen {

class ReductionOperands {
public:
    explicit ReductionOperands(const ReductionText& text);

protected:
    // A variable that moves with the axes, where it begins and the array of its strides.
    struct Mover {
        std::string type;
        std::string variable;
        std::string begin;
        std::string strides;
    };
    using Movers = std::vector<Mover>;

    // Bytes of inputs along the kept axes, as kgen_kept_NAME, and pointers that also moved along the reduced ones, as
    // kgen_at_NAME.
    Movers kept_inputs() const;
    Movers row_inputs() const;
    // Outputs along the kept axes, as kgen_to_NAME.
    Movers outputs() const;

    static std::string members(const Movers& movers);
    // Statements that divide `index` into the places of the axes [first, last) and move along these.
    std::string walk(const Movers& movers, std::string_view index, int first, int last) const;
    // Statements that move along axes whose places are known.
    static std::string moved(const Movers& movers,
                             int first,
                             int last,
                             const CudaText::Place& place = {});

    // The place indices of an element `along` an axis behind those that `prefix` has, for ReductionText::element.
    struct PlaceNames {
        std::string input, reduced, output;
        PlaceText view() const { return {input, reduced, output}; }
    };
    PlaceNames place(std::string_view prefix, std::string_view along, int axis) const;

    // The method kgen_finish(post-map, kgen_output, kgen_folded), whose first statements find the outputs.
    void write_finish(LoopText& loop, std::string_view parameter, const std::string& found) const;
    // Constants and types of all reductions.
    void write_types(LoopText& loop) const;

    std::string statements(const std::function<std::string(std::size_t)>& statement) const;
    int inner() const { return baked_.rank - 1; }

    const ReductionText& text_;
    const KernelText& kernel_;
    CudaText cuda_;
    const Baked& baked_;
};

}  // namespace kgen
