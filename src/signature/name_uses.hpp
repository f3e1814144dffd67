// SPDX-License-Identifier: MIT
//
// Which names a text uses, and of which it takes the address, read from its tokens.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "signature/signature.hpp"
#include "signature/token.hpp"

namespace kgen {

// Views into the texts that were read.
struct NameUses {
    std::set<std::string_view> names;  // all but those after '.', '->' and '::'
    std::set<std::string_view> addresses;
    bool address_of_any = false;  // a macro takes the address of its argument

    bool mentions(std::string_view name) const { return names.count(name) != 0; }
};

// Adds what the tokens use.
void collect_uses(const std::vector<Token>& tokens,
                  const std::vector<Parameter>& parameters,
                  NameUses& uses);

// Adds what the replacement texts of the text's #defines use: whoever names the macro may use it.
void collect_macro_uses(const std::string& text,
                        const std::vector<Parameter>& parameters,
                        NameUses& uses);

// Adds what the options mention: they may define macros.
void collect_option_uses(const std::vector<std::string>& options,
                         const std::vector<Parameter>& parameters,
                         NameUses& uses);

// Whether it is a mathematical function that takes tens of instructions, or one of the float form's names ("expf").
bool is_long_function(std::string_view name);
// Whether it is a function of the prelude that takes numbers by value.
bool takes_values(std::string_view name);

// Whether the token names a member of what stands before it: after '.', '->' or '::'.
bool is_member(const std::vector<Token>& tokens, std::size_t at);

// Whether a value may end with this token, so that an & after it is the binary operator.
bool ends_operand(const Token& token);

}  // namespace kgen
