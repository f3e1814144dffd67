// SPDX-License-Identifier: MIT
//
// KernelParts: what the skeletons of all kernels have: the head, the types, the parameter block, the
// names that all texts see.
#pragma once

#include <string>
#include <string_view>

#include "plan/parameter_block.hpp"
#include "source/kernel_text.hpp"
#include "source/source_writer.hpp"

namespace kgen {

class KernelParts {
public:
    // The arguments outlive the object.
    KernelParts(const Signature& signature, const TypeBinding& types, const Baked& baked)
        : signature_(signature), types_(types), baked_(baked), text_(signature, types, baked) {}

    const KernelText& text() const noexcept { return text_; }
    // A prefix that no other generated name has: kernels may be called anything.
    std::string symbol() const { return "kgen_kernel_" + signature_.name; }
    // The source from a skeleton, with `slots` for what only its kind has: its operands, types and texts, and the
    // launch bounds. `headers` are generate_source's.
    Source write(std::string_view skeleton,
                 Slots slots,
                 const std::vector<UserText>& headers,
                 std::string_view accumulator_symbol) const;
    // Numbers, raw parameters and `_raw_` views, as the user's texts see them in the whole function.
    std::string visible_names() const;
    // A text of the user; nothing where it is empty.
    Slot user_slot(std::string_view part, const std::string& text, std::string_view after) const;
    // "NAME (part)"
    std::string label(std::string_view part) const;

private:
    // Comment lines that say what the source is.
    std::string head() const;
    std::string placeholder_types() const;
    // Of the parameter block.
    std::string fields() const;
    std::string view_type(std::size_t k) const;
    std::string_view extent_type() const;
    std::string field(const BlockField& field) const;

    const Signature& signature_;
    const TypeBinding& types_;
    const Baked& baked_;
    KernelText text_;
};

// A skeleton's or a helper's text without its first line.
std::string_view without_licence(std::string_view text);

}  // namespace kgen
