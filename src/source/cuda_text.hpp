// SPDX-License-Identifier: MIT
//
// CudaText: the expressions and statements that the operands of all CUDA loops share. They divide an index
// into places (indices along the axes) and compute the addresses of elements.
#pragma once

#include <functional>
#include <span>
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
    // Returns the address `bytes` behind `base`, as a pointer to T or to a vector of T.
    std::string at_bytes(std::size_t k, std::string_view base, std::string_view bytes) const;
    // Converts a pointer to elements into a pointer to vectors of them.
    std::string as_vectors(std::size_t k, std::string_view pointer) const;
    // Returns the vector type of operand k: "kgen_vector<T, 4>".
    std::string vector_type(std::size_t k) const;
    // Returns the type of the value that a thread holds of an operand: the element type if all elements of a
    // vector are the same, otherwise the vector type.
    std::string value_type(std::size_t k) const;
    // Returns the expression for element kgen_e of this value, which is a member of kgen_v.
    std::string held(std::size_t k) const;
    // Returns the statement that loads the value: as one vector, as one element, or element by element with
    // the given stride in bytes.
    std::string load_value(std::size_t k,
                           std::string_view indent,
                           std::string_view pointer,
                           std::string_view element_stride) const;

    // Returns the declarations of the members kgen_i<axis>, the places along the axes [first, last).
    std::string places(int first, int last) const;
    // Returns statements that divide `index` into these places.
    std::string divide(std::string_view indent, std::string_view index, int first, int last) const;
    // The same for some axes, the slowest first.
    std::string divide(std::string_view indent,
                       std::string_view index,
                       std::span<const int> axes) const;
    // Returns a loop that divides `index` into places without storing them. `moves` holds the statements that
    // use kgen_i, the place along axis kgen_axis. This form is for kernels of many axes, most of which have
    // extent 1, because unrolled statements take twice as long to compile.
    std::string divide_in_loop(std::string_view indent,
                               std::string_view index,
                               int first,
                               int last,
                               const std::string& moves) const;
    static bool has_many_axes(int first, int last);
    // Returns the sum of the places along the axes [first, last) times the strides of operand k, in the given
    // type: "(int)kgen_i0 * ... + (int)kgen_i1 * ...". `place` returns the expression for the place along an
    // axis; if it is empty, kgen_i<axis> is used.
    using Place = std::function<std::string(int axis)>;
    std::string offset(
        std::size_t k, int first, int last, std::string_view type, const Place& place = {}) const;
    // Returns the element's C-order index, as a sum over all axes of the walk in the given type.
    std::string moved_index(std::string_view type, const Place& place = {}) const;
    // Returns the stride of this index along an axis.
    static std::string index_stride(int axis) {
        return "kgen_p.kgen_input_strides[" + std::to_string(axis) + "]";
    }

private:
    const KernelText& text_;
    const Baked& baked_;
};

}  // namespace kgen
