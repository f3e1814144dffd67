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

#include "signature/signature.hpp"
#include "signature/token.hpp"

namespace kgen {

class BodyText {
public:
    // The parameters outlive the object.
    BodyText(const Definition& definition, const std::vector<Parameter>& parameters);
    BodyText(const BodyText&) = delete;
    BodyText& operator=(const BodyText&) = delete;

    // The tokens of one of the definition's texts without directives and what these certainly leave out.
    std::vector<Token> tokens_of(const std::string& text) const;
    // Whether it has an #if.
    bool has_conditions(const std::string& text) const;
    bool is_macro(const Token& token) const { return macros_.count(token.text) != 0; }
    // Whether the token is of a macro, of which it is not certain that it never stands for `name`.
    bool may_expand_to(const Token& token, std::string_view name) const;
    // Whether a macro of the name itself is defined in this text before the token, so that it does not mean the parameter.
    bool is_replaced(const Token& token, const std::string& text) const;

private:
    struct Macro {
        std::size_t offset = 0;  // in the joined text
        std::vector<std::string_view> parameters;
        std::vector<Token> replacement;
    };
    using Names = std::set<std::string_view>;
    struct Range {
        std::size_t begin, end;
    };

    void add_macro(const std::vector<Token>& tokens, std::size_t define);
    void add_option_macros(const std::vector<std::string>& options);
    // Whether no macro of an included file is expected to have the name.
    bool is_known(std::string_view name) const;
    bool may_expand(std::string_view macro, std::string_view name, Names& visited) const;

    const std::vector<Parameter>& parameters_;
    std::string joined_;
    std::map<const std::string*, Range> ranges_;
    std::vector<Token> code_;
    std::multimap<std::string_view, Macro> macros_;
    std::list<std::string> option_texts_;  // names and values that macros_ points into
    bool has_unseen_macros_ = false;       // those of included files
};

// Whether the token names a member of what stands before it: after '.', '->' or '::'.
bool is_member(const std::vector<Token>& tokens, std::size_t at);

}  // namespace kgen
