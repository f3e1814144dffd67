// SPDX-License-Identifier: MIT
//
// KernelText: the pieces of text that the loops of all kinds share. Every generated name begins with
// kgen_; after the user's preamble no other name is used but the user's own.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "device/device_traits.hpp"
#include "plan/baked.hpp"
#include "signature/signature.hpp"
#include "types/type_binding.hpp"

namespace kgen {

class KernelText {
public:
    // The arguments outlive the object.
    KernelText(const Signature& signature, const TypeBinding& types, const Baked& baked)
        : signature_(signature), types_(types), baked_(baked) {}

    const Baked& baked() const noexcept { return baked_; }
    bool is_cpp() const noexcept { return traits(baked_.device).language == SourceLanguage::cpp; }

    // Of parameter k: its name, its type in device code, that type with `const` where the body may
    // not write, and the variable that holds one of its elements.
    const std::string& name(std::size_t k) const { return signature_.parameters[k].name; }
    std::string type(std::size_t k) const;
    std::string const_type(std::size_t k) const;
    std::string value(std::size_t k) const { return "kgen_of_" + name(k); }
    bool is_written(std::size_t k) const { return signature_.parameters[k].written; }
    bool is_array(std::size_t k) const { return baked_.operands[k].kind == OperandKind::array; }
    bool is_uniform(std::size_t k) const {
        return baked_.operands[k].inner == StrideClass::uniform ||
               baked_.operands[k].access == Access::uniform;
    }
    // Read once, before the loop over elements that all see the same one.
    bool is_hoisted(std::size_t k) const;

    // `line` of each array, one after the other.
    std::string for_arrays(const std::function<std::string(std::size_t)>& line) const;

    // A line with the statement of each array that has one.
    std::string statements(std::string_view indent,
                           const std::function<std::string(std::size_t)>& statement) const;

    // "kgen_load(pointer)"
    std::string load(std::size_t k, const std::string& pointer) const;
    static std::string store(const std::string& pointer, const std::string& value);

    // A call of the body, which the method has as kgen_text: `index` is the C-order index, `argument` gives each
    // array's element.
    std::string call(std::string_view index,
                     const std::function<std::string(std::size_t)>& argument) const;
    // One element: loads, body, stores; `address` gives a pointer to each array's element.
    std::string element(std::string_view indent,
                        std::string_view index,
                        const std::function<std::string(std::size_t)>& address) const;

    // Whether the body gets the element's index.
    bool counts() const { return signature_.facts.index || signature_.facts.indexer; }
    // Whether elements do not see each other's stores. Overlaps are resolved before the launch, so only a body that
    // reaches memory of its own makes them.
    bool is_independent() const;

private:
    const Signature& signature_;
    const TypeBinding& types_;
    const Baked& baked_;
};

}  // namespace kgen
