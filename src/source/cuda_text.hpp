// SPDX-License-Identifier: MIT
//
// CudaText: the pieces that the CUDA loops share: an index divided into axes, where operands lie,
// and a vector of each operand read, computed and written.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "source/kernel_text.hpp"

namespace kgen {

class CudaText {
public:
    explicit CudaText(const KernelText& text) : text_(text), baked_(text.baked()) {}

    Access access(std::size_t k) const { return baked_.operands[k].access; }
    std::string_view offset_type() const {
        return baked_.width == IndexWidth::bits32 ? "int" : "long long";
    }
    std::string_view index_type() const {
        return baked_.index_width == IndexWidth::bits32 ? "unsigned" : "unsigned long long";
    }
    std::string data(std::size_t k) const { return "kgen_p.kgen_data_" + text_.name(k); }
    std::string stride(std::size_t k, int axis) const;
    // Bytes from `base` on, as a pointer to T or to a vector of T.
    std::string at_bytes(std::size_t k, std::string_view base, std::string_view bytes) const;
    // A pointer to elements, as a pointer to vectors of them.
    std::string as_vectors(std::size_t k, std::string_view pointer) const;
    // "kgen_vector<T, 4>"
    std::string vector_type(std::size_t k) const;

    // Declares kgen_i0, kgen_i1, ...: `index` divided by kgen_extents from the fastest axis on.
    std::string divide(std::string_view indent, std::string_view index) const;
    // The same for kernels of many axes, most of which have extent 1, as a loop that leaves no places behind: unrolled, it
    // takes twice as long to compile. `moves` are the statements that use kgen_i, the place along kgen_axis.
    std::string divide_in_loop(std::string_view indent,
                               std::string_view index,
                               int first,
                               int last,
                               const std::string& moves) const;
    bool has_many_axes(int first, int last) const;
    // The places along the axes times the strides of operand k, in the type of offsets:
    // "(int)kgen_i0 * ... + (int)kgen_i1 * ...". `place` names that of an axis, kgen_i<axis> if empty.
    using Place = std::function<std::string(int axis)>;
    std::string offset(std::size_t k, const Place& place = {}) const;
    // The same for the C-order index, in 64 bits.
    std::string index(const Place& place) const;

    // "#pragma unroll" and a loop of `count` trips around the lines, which are written for an
    // indentation of 4 more. Nothing if there are no lines.
    static std::string repeat(std::string_view indent,
                              std::string_view variable,
                              int count,
                              const std::string& lines);

private:
    const KernelText& text_;
    const Baked& baked_;
};

}  // namespace kgen
