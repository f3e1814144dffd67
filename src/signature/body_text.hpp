// SPDX-License-Identifier: MIT
//
// BodyText: the texts of a definition, in the order in which they stand in the kernel's source, as a
// preprocessor sees them.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "signature/macro_definitions.hpp"
#include "signature/signature.hpp"
#include "signature/token.hpp"

namespace kgen {

using NameSet = std::set<std::string_view>;

class BodyText {
public:
    // `parameters` must outlive the object.
    BodyText(const Definition& definition, const std::vector<Parameter>& parameters);
    BodyText(const BodyText&) = delete;
    BodyText& operator=(const BodyText&) = delete;

    // Returns the tokens of one of the definition's texts, without directives and without code that is
    // certainly left out by an #if.
    std::vector<Token> tokens_of(const std::string& text) const;
    // Whether the text contains an #if, #ifdef or #ifndef.
    bool has_conditions(const std::string& text) const;

    // Returns the macros that may expand to the name, directly or through other macros.
    NameSet macros_for(std::string_view name) const;
    bool is_macro(std::string_view name) const { return macros_.count(name) != 0; }
    // Whether an included file may define a macro of this name.
    bool may_be_unseen_macro(std::string_view name) const;
    // Returns the offset from which a macro that this text defines hides the name, or the end of the joined
    // texts. Like the offsets of tokens it counts from the start of the joined texts.
    std::size_t hidden_from(std::string_view name, const std::string& text) const;

private:
    struct Range {
        std::size_t begin, end;
    };

    void add_macro(const std::vector<Token>& tokens, const MacroDefinition& macro);
    void add_option_macros(const std::vector<std::string>& options);
    void add_mentions(std::string_view macro,
                      const std::vector<Token>& replacement,
                      const NameSet& own);

    const std::vector<Parameter>& parameters_;
    std::string joined_;
    std::map<const std::string*, Range> ranges_;
    std::vector<Token> code_;
    NameSet macros_;
    std::multimap<std::string_view, std::string_view>
        mentioning_;  // name -> macro whose replacement text contains the name
    std::multimap<std::string_view, std::size_t>
        hiding_;  // macro that does not mention itself -> offset of its definition
    std::list<std::string> option_texts_;  // owns the text of macros that options define
    bool has_unseen_macros_ = false;
};

}  // namespace kgen
