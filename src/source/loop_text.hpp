// SPDX-License-Identifier: MIT
//
// LoopText: the generated text that a loop needs in addition to its device text in
// kernel_templates/skeletons/loops. It holds the constants that the plan chose, and the struct of operands
// that the loop loads, computes and stores.
#pragma once

#include <string>
#include <string_view>

#include "plan/baked.hpp"

namespace kgen {

class LoopText {
public:
    // Turns the fields of `baked` that most loops of its device read into constants.
    explicit LoopText(const Baked& baked);

    // Add a constant or a type to struct kgen_plan. Names begin with kgen_.
    void constant(std::string_view name, int value);
    void constant(std::string_view name, std::string_view expression);
    void type(std::string_view name, std::string_view definition);

    // Add lines to struct kgen_operands: declarations, or a nested struct of the values that a thread holds
    // of each operand.
    void member(std::string_view lines) { members_ += lines; }
    void values(std::string_view name, std::string_view lines);
    // Add a method to struct kgen_operands. `signature` has no return type: "kgen_find(long long kgen_at)".
    // The method returns void if it is added by method(), and `type` if it is added by function().
    void method(std::string_view signature, std::string_view lines) {
        function("void", signature, lines);
    }
    void function(std::string_view type, std::string_view signature, std::string_view lines);
    // Adds a method that calls a text of the user. The text becomes its first parameter: "kgen_call(int
    // kgen_e)" becomes kgen_call(kgen_text, kgen_e). A method of type auto returns the result of the text.
    void calling(std::string_view type, std::string_view signature, std::string_view lines);

    // Returns struct kgen_plan and struct kgen_operands.
    std::string text() const;

private:
    std::string head_;  // "__device__ __forceinline__"; on the host "KGEN_INLINE"
    std::string constants_;
    std::string types_;
    std::string members_;
    std::string methods_;
};

}  // namespace kgen
