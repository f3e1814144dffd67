// SPDX-License-Identifier: MIT
//
// CudaText: the expressions and statements that the operands of all CUDA loops share: an index divided into places
// along the axes, and where an operand's elements are.
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
    // What a thread holds of an operand: one element if all are the same, else a vector.
    std::string value_type(std::size_t k) const;
    // That value's element kgen_e, as a part of kgen_v.
    std::string held(std::size_t k) const;
    // Loads the value: by a vector, once, or element by element with the given stride in bytes.
    std::string load_value(std::size_t k,
                           std::string_view indent,
                           std::string_view pointer,
                           std::string_view element_stride) const;

    // Declares the members kgen_i<axis> of the axes [first, last).
    std::string places(int first, int last) const;
    // Statements that divide `index` into these places.
    std::string divide(std::string_view indent, std::string_view index, int first, int last) const;
    // The same for kernels of many axes, most of which have extent 1, as a loop that leaves no places behind: unrolled,
    // it takes twice as long to compile. `moves` are the statements that use kgen_i, the place along kgen_axis.
    std::string divide_in_loop(std::string_view indent,
                               std::string_view index,
                               int first,
                               int last,
                               const std::string& moves) const;
    static bool has_many_axes(int first, int last);
    // The places along the axes [first, last) times the strides of operand k, in the given type:
    // "(int)kgen_i0 * ... + (int)kgen_i1 * ...". `place` names that of an axis, kgen_i<axis> if empty.
    using Place = std::function<std::string(int axis)>;
    std::string offset(
        std::size_t k, int first, int last, std::string_view type, const Place& place = {}) const;

private:
    const KernelText& text_;
    const Baked& baked_;
};

}  // namespace kgen
