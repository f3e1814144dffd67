// SPDX-License-Identifier: MIT
#include "signature/output_needs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "signature/name_uses.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

using Names = std::set<std::string_view>;

struct Statement {
    TokenSpan tokens;
    Names assigned;
    Names used;  // also those that are assigned
};

// Reads an operation as a sequence of statements that assign values to outputs and variables. It knows every name and operator that such
// statements may have, and refuses all others, so that no statement changes what it does not name: by a reference, an address, a function or a
// macro.
class OperationReader {
public:
    OperationReader(const std::vector<Token>& tokens, const Signature& signature)
        : tokens_(tokens), signature_(signature) {}

    // Returns nothing if the operation has another form, or a parameter the name of a type.
    std::optional<std::vector<Statement>> run() {
        if (std::ranges::any_of(signature_.parameters, [&](const Parameter& parameter) {
                return is_type(parameter.name);
            }))
            return {};
        std::vector<Statement> statements;
        for (std::size_t begin = 0; begin < tokens_.size();) {
            std::size_t end = begin;
            while (end < tokens_.size() && text(end) != ";") ++end;
            if (end > begin && !read(begin, end, statements.emplace_back())) return {};
            begin = end + 1;
        }
        return statements;
    }

private:
    std::string_view text(std::size_t k) const {
        return k < tokens_.size() ? tokens_[k].text : std::string_view();
    }
    bool is_name(std::size_t k) const {
        return k < tokens_.size() && tokens_[k].kind == TokenKind::identifier;
    }
    bool is_assignment(std::size_t k) const {
        static constexpr auto assignments = std::to_array<std::string_view>(
            {"=", "+=", "-=", "*=", "/=", "&=", "|=", "<<=", ">>="});
        return is_one_of(text(k), assignments);
    }
    // Whether the token is what the assignment behind it assigns to. `^=` and `%=` are two tokens each.
    bool is_target(std::size_t k) const {
        const bool is_split = text(k + 1) == "^" || text(k + 1) == "%";
        return is_name(k) && (is_split ? text(k + 2) == "=" : is_assignment(k + 1));
    }

    bool read(std::size_t begin, std::size_t end, Statement& statement) {
        statement.tokens = TokenSpan(tokens_).subspan(begin, end - begin);
        if (text(begin) == "using") return read_alias(begin, end, statement);
        std::vector<std::size_t> open;  // brackets
        for (std::size_t k = begin; k < end; ++k) {
            if (is_name(k) ? !read_name(begin, k, open.empty(), statement)
                           : !read_other(begin, k, open))
                return false;
        }
        return !statement.assigned.empty() && open.empty();
    }

    bool read_name(std::size_t begin, std::size_t k, bool is_outside, Statement& statement) {
        const std::string_view name = text(k);
        const bool is_called = text(k + 1) == "(";
        if (k > begin && text(k - 1) == ".") {
            // A member function with arguments may change the object.
            return !is_target(k) && (!is_called || text(k + 2) == ")");
        }
        const bool follows_type = k > begin && is_type(text(k - 1));
        if (is_type(name)) {
            // A variable may have the name of a type: `float T = a`, `float w = 0, T(a)`.
            const bool declares = is_called && follows_type;
            const bool is_listed = is_outside && k > begin && text(k - 1) == ",";
            return !is_target(k) && !declares && !is_listed && text(k + 1) != ";";
        }
        if (name == "static_cast") return text(k + 1) == "<";
        statement.used.insert(name);
        if (is_target(k)) return assign(begin, k, statement);
        const bool is_variable = variables_.contains(name) || find_parameter(name) != nullptr;
        if (is_called) {
            // sincos writes through addresses. A type before the name begins a declaration.
            const bool declares = k > begin && is_name(k - 1);
            return !is_variable && !declares && takes_values(name) && !name.starts_with("sincos");
        }
        static constexpr auto known =
            std::to_array<std::string_view>({"i", "n", "_ind", "true", "false"});
        const bool is_constant = !follows_type && std::ranges::none_of(name, [](char letter) {
            return letter >= 'a' && letter <= 'z';
        });
        return is_variable || is_constant || is_one_of(name, known);
    }

    // Reads `using NAME = TYPE`, whose name is the type of later declarations and casts.
    bool read_alias(std::size_t begin, std::size_t end, Statement& statement) {
        const std::string_view name = text(begin + 1);
        if (!is_target(begin + 1) || find_parameter(name) != nullptr || !is_type(begin + 3, end))
            return false;
        types_.insert(name);
        statement.assigned.insert(name);
        return true;
    }

    bool assign(std::size_t begin, std::size_t k, Statement& statement) {
        static constexpr auto expressions = std::to_array<std::string_view>({"(", ",", "?", ":"});
        const std::string_view name = text(k);
        const Parameter* const parameter = find_parameter(name);
        const bool is_first = k == begin;
        const bool declares = !is_first && is_type(begin, k);
        if (!is_first && !declares && !is_assignment(k - 1) && !is_one_of(text(k - 1), expressions))
            return false;
        if (parameter != nullptr ? declares || !parameter->output || parameter->raw
                                 : !declares && !variables_.contains(name) &&
                                       !(text(k - 1) == "," && is_type(text(begin))))
            return false;
        if (parameter == nullptr) variables_.insert(name);
        statement.assigned.insert(name);
        return true;
    }

    // Reads a token that is no name. `open` holds the brackets that are not closed.
    bool read_other(std::size_t begin, std::size_t k, std::vector<std::size_t>& open) const {
        static constexpr auto operators = std::to_array<std::string_view>(
            {"+",  "-",  "/",  "%",  "|",  "^",  "~", "!", "<", ">", "<=",
             ">=", "==", "!=", "||", "<<", ">>", "?", ":", ",", "."});
        const std::string_view token = text(k);
        if (tokens_[k].kind == TokenKind::number) return true;
        if (tokens_[k].kind != TokenKind::punctuation) return false;
        // Whatever is assigned to has a name.
        if (is_assignment(k)) {
            const bool is_split = k > begin + 1 && (text(k - 1) == "^" || text(k - 1) == "%");
            return k > begin && is_target(is_split ? k - 2 : k - 1);
        }
        if (is_one_of(token, operators)) return true;
        // An address, a reference or a pointer has no operand before it, or a type.
        if (token == "&" || token == "&&" || token == "*")
            return k > begin && ends_value(begin, k - 1);
        if (token == "(" || token == "[") {
            open.push_back(k);
            return token == "(" ? opens_values(begin, k) : opens_index(begin, k);
        }
        if (token != ")" && token != "]") return false;
        if (open.empty() || (text(open.back()) == "(") != (token == ")")) return false;
        open.pop_back();
        return true;
    }

    std::size_t opening_of(std::size_t begin, std::size_t closing) const {
        int depth = 0;
        for (std::size_t k = closing; k > begin; --k) {
            depth += text(k) == ")" ? 1 : text(k) == "(" ? -1 : 0;
            if (depth == 0) return k;
        }
        return begin;
    }
    // Whether the brackets that end at `closing` hold the words of a type, as those of a cast do.
    bool is_cast(std::size_t begin, std::size_t closing) const {
        for (std::size_t k = opening_of(begin, closing) + 1; k < closing; ++k) {
            if (!is_type(text(k))) return false;
        }
        return true;
    }
    bool ends_value(std::size_t begin, std::size_t k) const {
        if (text(k) == ")") return !is_cast(begin, k) || is_name(opening_of(begin, k) - 1);
        return text(k) == "]" || tokens_[k].kind == TokenKind::number ||
               (is_name(k) && !is_type(text(k)));
    }
    // Whether a round bracket holds a part of an expression, a cast, or the arguments of a function or a cast.
    bool opens_values(std::size_t begin, std::size_t k) const {
        if (k == begin) return true;
        if (text(k - 1) == ")")
            return is_cast(begin, k - 1) && !is_name(opening_of(begin, k - 1) - 1);
        return text(k - 1) != "]";
    }
    // Whether a square bracket follows a raw parameter, or a member function such as _ind.get().
    bool opens_index(std::size_t begin, std::size_t k) const {
        if (k == begin) return false;
        if (text(k - 1) == ")") return k > begin + 3 && text(k - 2) == "(" && text(k - 4) == ".";
        if (text(k - 2) == ".") return text(k - 1) == "shape" || text(k - 1) == "strides";
        const Parameter* const parameter = find_parameter(text(k - 1));
        return parameter != nullptr && parameter->raw;
    }

    bool is_type(std::string_view word) const {
        static constexpr auto more =
            std::to_array<std::string_view>({"complex", "ptrdiff_t", "size_t"});
        return is_type_word(word, signature_.parameters) || is_one_of(word, more) ||
               types_.contains(word) || word.starts_with(wrapping_prefix);
    }

    // Whether the tokens [begin, end) are a type, such as `const complex<float>`.
    bool is_type(std::size_t begin, std::size_t end) const {
        for (std::size_t k = begin; k < end; ++k) {
            if (!is_type(text(k)) && text(k) != "<" && text(k) != ">") return false;
        }
        return begin < end;
    }

    const Parameter* find_parameter(std::string_view name) const {
        const auto found = std::ranges::find(signature_.parameters, name, &Parameter::name);
        return found == signature_.parameters.end() ? nullptr : &*found;
    }

    const std::vector<Token>& tokens_;
    const Signature& signature_;
    Names types_;      // that the operation defines
    Names variables_;  // that it has declared so far
};

// Returns what an output needs, from the last statement that assigns to it back to the first.
OutputNeeds needs_of(const std::vector<Statement>& statements,
                     const Signature& signature,
                     std::string_view output) {
    Names needed = {output};
    OutputNeeds needs;
    for (std::size_t k = statements.size(); k-- > 0;) {
        const Statement& statement = statements[k];
        const bool serves = std::ranges::any_of(
            statement.assigned, [&](std::string_view name) { return needed.contains(name); });
        if (!serves) continue;
        needed.insert(statement.used.begin(), statement.used.end());
        needs.token_count += statement.tokens.size() + 1;
        needs.work += count_work(statement.tokens, operation_quotient_work);
    }
    for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
        if (needed.contains(signature.parameters[k].name)) needs.parameters |= ParameterSet{1} << k;
    }
    return needs;
}

}  // namespace

void find_output_needs(const LexedDefinition& lexed, Signature& signature) {
    const Definition& definition = lexed.definition;
    if (definition.reduction || definition.rows || signature.output_count() < 2 ||
        signature.parameters.size() > most_in_set)
        return;
    if (!definition.preamble.empty() || !definition.loop_prep.empty() ||
        !definition.after_loop.empty() || !definition.options.empty() || signature.facts.draws ||
        signature.facts.keeps_state)
        return;
    for (const Parameter& parameter : signature.parameters) {
        if (parameter.by_reference || (parameter.written && (!parameter.output || parameter.raw)))
            return;
    }
    const auto statements = OperationReader(lexed.tokens_of(definition.operation), signature).run();
    if (!statements) return;
    std::vector<OutputNeeds> all;
    for (const Parameter& parameter : signature.parameters) {
        if (parameter.output) all.push_back(needs_of(*statements, signature, parameter.name));
        if (parameter.output && all.back().token_count == 0) return;
    }
    signature.output_needs = std::move(all);
}

}  // namespace kgen
