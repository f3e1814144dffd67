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

#include "signature/lexed_definition.hpp"
#include "signature/macro_definitions.hpp"

namespace kgen {

using NameSet = std::set<std::string_view>;

class BodyText {
public:
    // The arguments must outlive the object. `text` is always a text of the definition.
    BodyText(const LexedDefinition& lexed, const std::vector<Parameter>& parameters);
    BodyText(const BodyText&) = delete;
    BodyText& operator=(const BodyText&) = delete;

    // Returns the tokens of the text, without directives and without code that an #if certainly leaves out.
    const std::vector<Token>& code_of(const std::string& text) const {
        return parts_.at(&text).code;
    }
    // Whether the text contains an #if, #ifdef or #ifndef.
    bool has_conditions(const std::string& text) const;

    // Returns the macros that may expand to the name, directly or through other macros.
    NameSet macros_for(std::string_view name) const;
    bool is_macro(std::string_view name) const { return macros_.count(name) != 0; }
    // Whether an included file may define a macro of this name.
    bool may_be_unseen_macro(std::string_view name) const;
    // Returns the offset from which a macro that the text defines hides the name, or npos.
    std::size_t hidden_from(std::string_view name, const std::string& text) const;

private:
    struct Part {
        std::vector<Token> code;
        // The first definition of each macro that does not mention itself.
        std::map<std::string_view, std::size_t> hiding;
    };

    void add_macro(TokenSpan tokens, const MacroDefinition& macro, Part& part);
    void add_mentions(std::string_view macro, TokenSpan replacement, const NameSet& own);

    const LexedDefinition& lexed_;
    const std::vector<Parameter>& parameters_;
    std::map<const std::string*, Part> parts_;
    NameSet macros_;
    std::multimap<std::string_view, std::string_view>
        mentioning_;                       // name -> macro whose replacement text contains the name
    std::list<std::string> option_texts_;  // owns the text of macros that options define
};

}  // namespace kgen
