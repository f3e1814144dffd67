// SPDX-License-Identifier: MIT
//
// KernelText: the pieces of text that loops of all kinds share. Every generated name begins with kgen_. After
// the user's preamble, all other names in the source are the user's own.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "device/device_traits.hpp"
#include "plan/baked.hpp"
#include "plan/parameter_block.hpp"
#include "signature/signature.hpp"
#include "source/taken_names.hpp"
#include "types/type_binding.hpp"

namespace kgen {

class KernelText {
public:
    // The arguments must outlive the object.
    KernelText(const Signature& signature,
               const TypeBinding& types,
               const Baked& baked,
               const TakenNames& taken)
        : signature_(signature), types_(types), baked_(baked), taken_(taken) {}

    const Baked& baked() const noexcept { return baked_; }
    bool is_cpp() const noexcept { return traits(baked_.device).language == SourceLanguage::cpp; }

    // Return, for parameter k: its name, its type in device code, this type with `const` if the body may not
    // write it, and the name of the variable that holds one of its elements.
    const std::string& name(std::size_t k) const { return signature_.parameters[k].name; }
    std::string type(std::size_t k) const { return type_of(types_.dtypes[k]); }
    std::string const_type(std::size_t k) const;
    std::string value(std::size_t k) const { return "kgen_of_" + name(k); }
    // Returns the type of a dtype in device code.
    std::string type_of(DType dtype) const { return taken_.type_name(dtype); }
    // Returns the type of indices, also where a parameter is called ptrdiff_t.
    std::string_view index_type() const {
        return is_parameter(signature_, "ptrdiff_t") ? "long" : "ptrdiff_t";
    }
    // Returns the type of an extent in the parameter block, or of its divisor.
    std::string_view extent_type(IndexWidth width) const;
    // Returns the same for the extents of the loop's shape and of the outputs' shape, which an indexer divides by.
    std::string_view shape_type() const { return extent_type(shape_width(baked_)); }
    const Signature& signature() const noexcept { return signature_; }
    const TypeBinding& types() const noexcept { return types_; }
    bool is_written(std::size_t k) const { return signature_.parameters[k].written; }
    bool is_array(std::size_t k) const { return baked_.operands[k].kind == OperandKind::array; }
    bool is_uniform(std::size_t k) const {
        return baked_.operands[k].inner == StrideClass::uniform ||
               baked_.operands[k].access == Access::uniform;
    }
    // Whether the operand is read once, before a loop over elements that all use the same value of it.
    bool is_hoisted(std::size_t k) const;

    // Returns the concatenation of `line` for each array.
    std::string for_arrays(const std::function<std::string(std::size_t)>& line) const;

    // Returns a line for each array whose statement is not empty.
    std::string statements(std::string_view indent,
                           const std::function<std::string(std::size_t)>& statement) const;

    // Return a load or a store of one element: "kgen_load(pointer)".
    std::string load(std::size_t k, const std::string& pointer) const;
    static std::string store(const std::string& pointer, const std::string& value);

    // Returns a call of the body, which is the parameter kgen_text of the method. `index` is the C-order
    // index if the body uses it, then the coordinates if the loop counts them. `argument` returns the element
    // of each array.
    std::string call(std::string_view index,
                     const std::function<std::string(std::size_t)>& argument) const;
    // Returns the statements for one element: its loads, the body and its stores. `address` returns a pointer
    // to the element of each array.
    std::string element(std::string_view indent,
                        std::string_view index,
                        const std::function<std::string(std::size_t)>& address) const;

    // Return the number of elements, or of outputs, and of the elements that are folded into one output, as the texts see
    // them: of the whole loop.
    std::string_view count() const {
        return baked_.section ? "kgen_p.kgen_whole_counts[0]" : "kgen_p.kgen_count";
    }
    std::string_view reduced_count() const {
        return baked_.section ? "kgen_p.kgen_whole_counts[1]" : "kgen_p.kgen_reduced";
    }
    // Whether the body uses the element's index.
    bool counts() const {
        return signature_.facts.index || (signature_.facts.indexer && baked_.coordinates.empty());
    }
    // Returns the number of elements at whose multiples the loop's vectors begin, if the body uses `i` only for random
    // numbers, which neighbours then share; 0 if `i` is a plain number.
    int drawn_alignment() const;
    // Returns the text of the index of an element of a vector, or of any element.
    std::string drawn_index(std::string_view first, std::string_view place) const;
    std::string drawn_index(std::string_view index) const;
    // Returns the variable that holds the coordinate of `_ind` along an axis of the loop's shape, if the loop
    // counts coordinates.
    static std::string coordinate(std::size_t axis) { return "kgen_index_" + std::to_string(axis); }
    // Whether no element sees the stores of another one. Overlaps are resolved before the launch, so this is
    // false only if the body itself accesses memory.
    bool is_independent() const;

private:
    const Signature& signature_;
    const TypeBinding& types_;
    const Baked& baked_;
    const TakenNames& taken_;
};

}  // namespace kgen
