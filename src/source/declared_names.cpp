// SPDX-License-Identifier: MIT
#include "source/declared_names.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "signature/code_tokens.hpp"
#include "signature/macro_definitions.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

constexpr std::array<std::string_view, 4> class_words = {"struct", "class", "union", "enum"};
// Words that may precede a type, and words whose brackets do not hold the parameters of a function.
constexpr std::array<std::string_view, 14> specifiers = {"static",
                                                         "inline",
                                                         "const",
                                                         "constexpr",
                                                         "extern",
                                                         "volatile",
                                                         "typename",
                                                         "__device__",
                                                         "__host__",
                                                         "__global__",
                                                         "__constant__",
                                                         "__shared__",
                                                         "__forceinline__",
                                                         "__noinline__"};
constexpr std::array<std::string_view, 8> attributes = {"alignas",
                                                        "__align__",
                                                        "__attribute__",
                                                        "__declspec",
                                                        "__launch_bounds__",
                                                        "decltype",
                                                        "noexcept",
                                                        "static_assert"};
constexpr std::array<std::string_view, 6> declarator_ends = {";", "=", ",", "(", "[", "{"};

// Reads the statements of a text that are outside of functions and classes.
class Walker : CodeTokens {
public:
    Walker(const std::vector<Token>& tokens,
           const std::vector<TokenUse>& uses,
           const std::vector<std::string_view>& names,
           std::set<std::string_view>& global,
           std::set<std::string_view>& in_namespaces)
        : CodeTokens(tokens, uses), names_(names), global_(global), in_namespaces_(in_namespaces) {
        for (const MacroDefinition& macro : find_macros(tokens)) {
            if (uses[macro.name] == TokenUse::directive) note(tokens[macro.name].text, global_);
        }
    }

    void walk() {
        for (std::size_t k = 0; k < size();) k = step(k);
    }

private:
    void note(std::string_view word, std::set<std::string_view>& found) const {
        const auto name = std::find(names_.begin(), names_.end(), word);
        if (name != names_.end()) found.insert(*name);
    }
    void note(std::string_view word) const {
        note(word, named_scopes_ > 0 ? in_namespaces_ : global_);
    }

    // Returns the position behind the '>' that matches the '<' at k. Returns k + 1 if that '<' is not a
    // bracket. In that case no other '<' up to the end of the statement is a bracket either.
    std::size_t behind_angles(std::size_t k) {
        if (k < no_angles_before_) return k + 1;
        int depth = 0;
        std::size_t at = k;
        for (; at < size(); ++at) {
            const std::string_view word = text(at);
            if (word == ";" || opens_block(word) || closes_block(word)) break;
            if (word == "<") ++depth;
            if (word == ">" && --depth == 0) return at + 1;
        }
        no_angles_before_ = at;
        return k + 1;
    }

    std::size_t step(std::size_t k) {
        const std::string_view word = text(k);
        if (k == begin_) is_function_ = is_enumeration_ = false;
        if (word == ";") return begin_ = k + 1;
        if (closes_block(word)) {
            if (!scopes_.empty()) {
                named_scopes_ -= scopes_.back() ? 1 : 0;
                scopes_.pop_back();
            }
            return begin_ = k + 1;
        }
        if (opens_block(word)) return step_into(k);
        if (is_opening(word)) {
            is_function_ |= word == "(" && k > begin_ && is_identifier(k - 1) &&
                            !is_one_of(text(k - 1), attributes);
            return behind_bracket(k);
        }
        if (word == "<") {
            const std::size_t end = behind_angles(k);
            if (text(begin_) == "template" && k == begin_ + 1) begin_ = end;
            return end;
        }
        if (word == "enum") is_enumeration_ = text(k + 1) != "class" && text(k + 1) != "struct";
        if (word == "=" && text(begin_) != "using") {  // an initialiser declares no names
            while (k < size() && text(k) != ";" && text(k) != ",") k = behind(k);
            return k;
        }
        if (is_identifier(k) && declares(k)) note(word);
        return k + 1;
    }

    // Handles the '{' at k: enters a namespace, or skips any other block.
    std::size_t step_into(std::size_t k) {
        if (const std::optional<OpenedScope> scope = opened_scope(*this, begin_, k)) {
            const bool is_named = !scope->name.empty() && !scope->is_inline;
            scopes_.push_back(is_named);
            named_scopes_ += is_named ? 1 : 0;
            return begin_ = k + 1;
        }
        const std::size_t end = behind_bracket(k);
        for (std::size_t at = k; is_enumeration_ && at + 1 < end; ++at) {
            if (opens_block(text(at)) || text(at) == ",") note(text(at + 1));
        }
        if (is_function_ && text(begin_) != "typedef") begin_ = end;
        return end;
    }

    // Whether the statement declares the name at k, rather than uses it.
    bool declares(std::size_t k) const {
        const std::string_view before = k > begin_ ? text(k - 1) : std::string_view();
        const std::string_view next = text(k + 1);
        const std::string_view first = text(begin_);
        if (is_one_of(before, class_words) || before == "namespace") return true;
        if (first == "using")
            return next == "=" ? k == begin_ + 1 : before == "::" && (next == ";" || next == ",");
        if (first == "typedef") {
            const bool is_tag = before == ")" && next == "{";
            return is_tag || next == ";" || next == "," || next == "[";
        }
        if (is_one_of(first, class_words) && before == ")")  // as in struct __align__(4) NAME
            return next == "{" || next == ":" || next == ";";
        const bool follows_type =
            (k > begin_ && is_identifier(k - 1) && !is_one_of(before, specifiers)) ||
            before == "*" || before == "&" || before == ">" || before == "}" || before == ",";
        return follows_type && is_one_of(next, declarator_ends);
    }

    const std::vector<std::string_view>& names_;
    std::set<std::string_view>& global_;
    std::set<std::string_view>& in_namespaces_;
    std::vector<bool> scopes_;  // for each open scope, whether it is a named namespace
    std::size_t begin_ = 0;     // where the current statement begins
    bool is_function_ = false;  // whether the statement, as far as it was read, is a function
    bool is_enumeration_ =
        false;  // whether the statement, as far as it was read, is an enumeration
    int named_scopes_ = 0;
    std::size_t no_angles_before_ = 0;
};

bool uses_namespaces(std::string_view text) {
    for (std::size_t at = find_word(text, "using"); at != std::string_view::npos;
         at = find_word(text, "using", at + 1)) {
        const std::size_t next = text.find_first_not_of(" \t\r\n", at + 5);
        if (next != std::string_view::npos && text.substr(next).starts_with("namespace"))
            return true;
    }
    return false;
}

}  // namespace

std::set<std::string_view> find_declared_names(const std::vector<std::string_view>& texts,
                                               const std::vector<std::string>& options,
                                               const std::vector<std::string_view>& names) {
    std::set<std::string_view> global;
    std::set<std::string_view> in_namespaces;
    bool has_directive = false;
    for (const std::string_view text : texts) {
        has_directive = has_directive || uses_namespaces(text);
        std::vector<std::string_view> there;
        std::copy_if(names.begin(), names.end(), std::back_inserter(there), [&](auto name) {
            return find_word(text, name) != std::string_view::npos;
        });
        if (there.empty()) continue;
        const TokenList list = tokenize(text);
        const std::vector<TokenUse> uses = find_active(list.tokens, TextPlace::header, {}, {});
        Walker(list.tokens, uses, there, global, in_namespaces).walk();
    }
    if (has_directive) global.merge(in_namespaces);
    for (const MacroOption& macro : macro_options(options)) {
        const auto name = std::find(names.begin(), names.end(), macro.name);
        if (name != names.end() && macro.is_defined) global.insert(*name);
    }
    return global;
}

}  // namespace kgen
