// SPDX-License-Identifier: MIT
//
// BodyText: the texts of a definition in the order in which the kernel's source has them, as a preprocessor sees them.
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
    // The parameters outlive the object.
    BodyText(const Definition& definition, const std::vector<Parameter>& parameters);
    BodyText(const BodyText&) = delete;
    BodyText& operator=(const BodyText&) = delete;

    // The tokens of one of the definition's texts without directives and what these certainly leave out.
    std::vector<Token> tokens_of(const std::string& text) const;
    // Whether one of its directives is an #if.
    bool has_conditions(const std::string& text) const;

    // The macros of which it is not certain that they never stand for the name.
    NameSet macros_for(std::string_view name) const;
    bool is_macro(std::string_view name) const { return macros_.count(name) != 0; }
    // Whether the name may be of a macro that an included file defines.
    bool may_be_unseen_macro(std::string_view name) const;
    // From where on in this text a macro of its own hides the name: an offset in the joined texts, as tokens have it.
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
        mentioning_;  // a name, and macros in whose replacement it is
    std::multimap<std::string_view, std::size_t>
        hiding_;  // macros that do not mention themselves, and where they are defined
    std::list<std::string> option_texts_;  // what the views of macros of options point into
    bool has_unseen_macros_ = false;
};

}  // namespace kgen
