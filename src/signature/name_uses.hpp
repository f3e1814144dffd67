// SPDX-License-Identifier: MIT
//
// Finds from the tokens of a text which names it uses, and which of them it takes the address of.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "signature/lexed_definition.hpp"

namespace kgen {

// Names that texts use. The views point into the texts that were read.
struct NameUses {
    std::set<std::string_view> names;  // all except those after '.', '->' and '::'
    std::set<std::string_view> addresses;
    bool address_of_any = false;  // a macro takes the address of its argument

    bool mentions(std::string_view name) const { return names.count(name) != 0; }
};

// Adds the names that the tokens use.
void collect_uses(TokenSpan tokens, const std::vector<Parameter>& parameters, NameUses& uses);

// Adds the names that the replacement texts of all #defines use, because code that names such a macro may use
// them, and every name in an option, because options define macros in several spellings ("-DNAME=x", "-D"
// "NAME=x", "--define-macro=NAME=x").
void collect_macro_uses(const LexedDefinition& definition,
                        const std::vector<Parameter>& parameters,
                        NameUses& uses);

// Returns how long a mathematical function ("exp") or its float form ("expf") takes, in calls of exp, which are about five
// instructions; 0 for other names. Times of chains of float32 on an H100.
double function_work(std::string_view name);
// Returns the work of mathematical functions and of quotients, `quotient_work` each, because a body of much work may be bound
// by arithmetic instead of memory. A parameter may have the name of a function, such as y0.
double count_work(TokenSpan tokens, double quotient_work);
inline constexpr double operation_quotient_work = 3;  // of a quotient in the text of an element
// Whether the name is a mathematical function of device code that takes numbers by value.
bool takes_values(std::string_view name);

// Whether the word is a dtype, a placeholder of a parameter, or a word of C++'s arithmetic types, `auto` or `const`.
bool is_type_word(std::string_view word, const std::vector<Parameter>& parameters);

// Whether the token names a member: it follows '.', '->' or '::'.
bool is_member(TokenSpan tokens, std::size_t at);

// Whether an operand may end with this token, so that an & after it is the binary operator.
bool ends_operand(const Token& token);

}  // namespace kgen
