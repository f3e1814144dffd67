// SPDX-License-Identifier: MIT
//
// KernelParts: the parts that the skeletons of all kernels have: the head, the types, the parameter block and
// the names that all texts see.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "plan/parameter_block.hpp"
#include "source/kernel_text.hpp"
#include "source/source_writer.hpp"

namespace kgen {

class KernelParts {
public:
    // The arguments must outlive the object. `headers` has the same meaning as in generate_source.
    KernelParts(const Signature& signature,
                const TypeBinding& types,
                const Baked& baked,
                const std::vector<UserText>& headers)
        : signature_(signature),
          types_(types),
          baked_(baked),
          headers_(headers),
          taken_(find_taken_names(signature, headers)),
          text_(signature, types, baked, taken_) {}
    KernelParts(const KernelParts&) = delete;
    KernelParts& operator=(const KernelParts&) = delete;

    const KernelText& text() const noexcept { return text_; }
    // Returns the name of the entry point. It has a prefix that no other generated name has, because kernels
    // may have any name.
    std::string symbol() const { return "kgen_kernel_" + signature_.name; }
    // Fills the skeleton and returns the source. `slots` holds the parts that only one kind of kernel has:
    // its operands, types and texts, and the launch bounds. `helpers` follows the text of the loop, before the user's
    // texts, so that the members of a batch share it.
    Source write(std::string_view skeleton,
                 Slots slots,
                 std::string_view accumulator_symbol,
                 std::string_view helpers = {}) const;
    // Returns the fields of the parameter block.
    std::string fields() const;
    // Returns the parameters and operands of each part, in a namespace of its own.
    std::string declared_parts() const;
    // Returns the declarations of numbers, raw parameters and `_raw_` views, which the user's texts see in
    // the whole function.
    std::string visible_names() const;
    // Returns a slot with a text of the user, or an empty slot if the text is empty.
    Slot user_slot(std::string_view part, const std::string& text, std::string_view after) const;
    // Returns the namespace of a part, which is also the name of its parameters in the block.
    static std::string part_name(std::size_t part) { return fmt::format("kgen_part_{}", part); }
    // Returns the label of a text: "NAME (part)".
    std::string label(std::string_view part) const;

private:
    // Returns comment lines that describe the source.
    std::string head() const;
    std::string placeholder_types() const;
    std::string view_type(std::size_t k) const;
    std::string field(const BlockField& field) const;

    const Signature& signature_;
    const TypeBinding& types_;
    const Baked& baked_;
    const std::vector<UserText>& headers_;
    TakenNames taken_;
    KernelText text_;
};

// Returns the text of a skeleton or a helper without its first line, the licence.
std::string_view without_licence(std::string_view text);

}  // namespace kgen
