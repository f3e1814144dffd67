// SPDX-License-Identifier: MIT
//
// ReductionCudaText: the pieces that the CUDA loops of reductions share. Axes of the walk have places
// kgen_i0, kgen_i1, ..., as CudaText::divide names them; offsets and indices are 64 bits wide.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "source/cuda_text.hpp"
#include "source/reduction_text.hpp"

namespace kgen {

class ReductionCudaText {
public:
    explicit ReductionCudaText(const ReductionText& text)
        : text_(text), cuda_(text.text()), baked_(text.baked()) {}

    int kept() const { return baked_.kept; }
    int inner() const { return baked_.rank - 1; }

    // Declares the places of the axes [first, last) from their C-order index.
    std::string divide(std::string_view indent, std::string_view index, int first, int last) const;
    // Bytes of operand k along the axes [first, last): "(long long)kgen_i0 * kgen_p.kgen_strides_x[0]".
    std::string offset(std::size_t k, int first, int last) const;
    // Both of these and the offsets, where there are many axes, see CudaText::divide_in_loop; then `offset` names one.
    enum class Side : std::uint8_t { inputs, outputs };
    std::string walk_in_loop(std::string_view indent,
                             std::string_view prefix,
                             std::string_view index,
                             int first,
                             int last,
                             bool from_begin,
                             Side side) const;
    static std::string walked_offset(std::string_view prefix, std::string_view name);
    // Declares kgen_input, kgen_reduced and kgen_output, those that texts use, as where the axes [first,
    // last) lead; `from_begin` adds where the walk begins, else they add to the ones of that prefix.
    std::string places(std::string_view indent,
                       std::string_view prefix,
                       int first,
                       int last,
                       bool from_begin) const;
    // Declares the places of that prefix as those of `base`, moved `along` the innermost axis.
    std::string moved(std::string_view indent,
                      std::string_view prefix,
                      std::string_view base,
                      std::string_view along) const;
    // Of an element that lies `along` an axis behind the places that `prefix` has.
    struct PlaceNames {
        std::string input, reduced, output;
        PlaceText view() const { return {input, reduced, output}; }
    };
    PlaceNames place(std::string_view prefix, std::string_view along, int axis) const;

    std::string pointer(std::size_t k, std::string_view base, std::string_view bytes) const;

    // kgen_sums[0..count) as they start.
    std::string start(std::string_view indent, std::string_view sums, std::string_view count) const;
    // The post-map and the stores, for the output at kgen_output whose kept axes have their places.
    std::string finish(std::string_view indent, std::string_view value) const;
    // The same where each output's place is known by that expression.
    std::string finish(std::string_view indent,
                       std::string_view value,
                       const std::function<std::string(std::size_t)>& kept_offset) const;

    // Whether elements of narrow integers may be added as int first: a plain sum of integers.
    bool adds_narrow() const;

    const CudaText& cuda() const { return cuda_; }

private:
    const ReductionText& text_;
    CudaText cuda_;
    const Baked& baked_;
};

}  // namespace kgen
