// SPDX-License-Identifier: MIT
//
// ReductionOperands: the parts that the operands of all CUDA reductions share. Pointers and place indices
// (see ReductionText) are moved along the kept axes to the first element of an output, then along the reduced
// axes.
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
    // A variable that moves with the axes, its initial value, and the array of its strides.
    struct Mover {
        std::string type;
        std::string variable;
        std::string begin;
        std::string strides;
    };
    using Movers = std::vector<Mover>;

    // Return the movers of the inputs. kgen_kept_NAME is an offset in bytes that moves along the kept axes.
    // kgen_at_NAME is a pointer that also moves along the reduced axes.
    Movers kept_inputs() const;
    Movers row_inputs() const;
    // Returns the movers of the outputs, kgen_to_NAME, which move along the kept axes.
    Movers outputs() const;

    static std::string members(const Movers& movers);
    // Returns statements that divide `index` into the places of the axes [first, last) and move along these
    // axes.
    std::string walk(const Movers& movers, std::string_view index, int first, int last) const;
    // Returns statements that move along axes whose places are known.
    static std::string moved(const Movers& movers,
                             int first,
                             int last,
                             const CudaText::Place& place = {});

    // The place indices of an element, for ReductionText::element. The element is `along` steps along an axis
    // from the element whose place indices have the prefix `prefix`.
    struct PlaceNames {
        std::string input, reduced, output;
        PlaceText view() const { return {input, reduced, output}; }
    };
    PlaceNames place(std::string_view prefix, std::string_view along, int axis) const;

    // Returns statements that divide kgen_outer into the places along the first axes and move along these. The places stay known, also
    // those of many axes, because kgen_finish moves along them again.
    std::string found_kept(int last) const;
    // Adds the method kgen_finish(post-map, kgen_output, kgen_folded). `found` holds its first statements,
    // which find the elements of the outputs.
    void write_finish(LoopText& loop, std::string_view parameter, const std::string& found) const;
    // Adds the constants and types that all reductions have.
    void write_types(LoopText& loop) const;
    // Adds the constant that says whether accumulators are integers that are added.
    void write_adds_integers(LoopText& loop) const;
    // Adds those of narrow_fold.cuh.
    void write_narrow(LoopText& loop) const;
    // Whether the map's terms are vectors that a thread holds in whole words.
    bool has_plain_words(const PlainMap& map) const;
    // Returns the statement that passes a thread's elements of parameter k to kgen_text.
    std::string take_term(std::size_t k) const;

    std::string statements(const std::function<std::string(std::size_t)>& statement) const;
    int inner() const { return baked_.rank - 1; }

    const ReductionText& text_;
    const KernelText& kernel_;
    CudaText cuda_;
    const Baked& baked_;
};

}  // namespace kgen
