// SPDX-License-Identifier: MIT
//
// LoopText: what a kernel's loop needs beside its device text in kernel_templates/skeletons/loops: the constants
// that the plan chose, and the struct of operands that the loop loads, computes and stores.
#pragma once

#include <string>
#include <string_view>

#include "plan/baked.hpp"

namespace kgen {

class LoopText {
public:
    // The fields of `baked` that most loops of its device read become constants.
    explicit LoopText(const Baked& baked);

    // Adds a constant or a type of struct kgen_plan. Names begin with kgen_.
    void constant(std::string_view name, int value);
    void type(std::string_view name, std::string_view definition);

    // Adds lines of struct kgen_operands: declarations, and a nested struct of what a thread holds of each operand.
    void member(std::string_view lines) { members_ += lines; }
    void values(std::string_view name, std::string_view lines);
    // Adds a method: one such as "kgen_find(long long kgen_at)", which returns nothing, or one that returns a `type`.
    void method(std::string_view signature, std::string_view lines) {
        function("void", signature, lines);
    }
    void function(std::string_view type, std::string_view signature, std::string_view lines);
    // Adds a method that calls a text of the user, its first parameter: "kgen_call(int kgen_e)" becomes
    // kgen_call(kgen_text, kgen_e). A method of type auto returns what the text returns.
    void calling(std::string_view type, std::string_view signature, std::string_view lines);

    // Returns struct kgen_plan and struct kgen_operands.
    std::string text() const;

private:
    std::string head_;  // "__device__ __forceinline__", on the host "KGEN_INLINE"
    std::string constants_;
    std::string types_;
    std::string members_;
    std::string methods_;
};

}  // namespace kgen
