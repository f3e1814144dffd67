// SPDX-License-Identifier: MIT
#include "signature/output_needs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "signature/name_uses.hpp"
#include "signature/names.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

using Names = std::set<std::string_view>;

struct Statement {
    TokenSpan tokens;
    Names assigned;
    Names used;  // also those that are assigned
};

// Reads an operation as a sequence of statements.
class OperationReader {
public:
    OperationReader(const std::vector<Token>& tokens, const Signature& signature)
        : tokens_(tokens), signature_(signature) {}

    // Returns nothing if the operation has another form.
    std::optional<std::vector<Statement>> run() {
        std::vector<Statement> statements;
        std::size_t begin = 0;
        for (std::size_t k = 0; k < tokens_.size(); ++k) {
            if (tokens_[k].text != ";") continue;
            if (k > begin && !read(begin, k, statements.emplace_back())) return {};
            begin = k + 1;
        }
        if (begin < tokens_.size() && !read(begin, tokens_.size(), statements.emplace_back()))
            return {};
        return statements;
    }

private:
    std::string_view text(std::size_t k) const { return tokens_[k].text; }
    bool is_name(std::size_t k) const {
        return tokens_[k].kind == TokenKind::identifier && !is_member(tokens_, k);
    }

    bool read(std::size_t begin, std::size_t end, Statement& statement) {
        static constexpr auto refused =
            std::to_array<std::string_view>({"{", "<%", "#", "++", "--", "->"});
        static constexpr auto assignments = std::to_array<std::string_view>(
            {"=", "+=", "-=", "*=", "/=", "&=", "|=", "<<=", ">>="});
        static constexpr auto words = std::to_array<std::string_view>({"if",
                                                                       "else",
                                                                       "for",
                                                                       "while",
                                                                       "do",
                                                                       "switch",
                                                                       "case",
                                                                       "default",
                                                                       "goto",
                                                                       "return",
                                                                       "continue",
                                                                       "break",
                                                                       "asm",
                                                                       "static",
                                                                       "new",
                                                                       "delete",
                                                                       "throw",
                                                                       "operator"});
        statement.tokens = TokenSpan(tokens_).subspan(begin, end - begin);
        for (std::size_t k = begin; k < end; ++k) {
            if (is_one_of(text(k), refused) || is_one_of(text(k), words)) return false;
            if (is_one_of(text(k), assignments) && !assign(begin, k, statement)) return false;
            if (!is_name(k)) continue;
            // Other functions may write through addresses, as sincos does.
            if (k + 1 < end && text(k + 1) == "(" && !is_type(text(k)) &&
                (!takes_values(text(k)) || text(k).starts_with("sincos")))
                return false;
            statement.used.insert(text(k));
        }
        if (text(begin) == "using")
            types_.insert(statement.assigned.begin(), statement.assigned.end());
        return !statement.assigned.empty();
    }

    // Reads what the assignment at `at` assigns to: a variable or an output, but no member and no element.
    bool assign(std::size_t begin, std::size_t at, Statement& statement) const {
        std::size_t target = at;
        do {
            if (target == begin) return false;
            --target;
        } while (target + 1 == at && text(at) == "=" &&
                 (text(target) == "^" || text(target) == "%"));
        if (!is_name(target)) return false;
        const auto parameter = find_parameter(text(target));
        const std::string_view before = target == begin ? std::string_view() : text(target - 1);
        if (before == "&" || before == "&&" || before == "*") return false;
        // A declaration would hide a parameter.
        const bool declares = target > begin && is_name(target - 1);
        if (parameter < signature_.parameters.size() &&
            (declares || !signature_.parameters[parameter].output))
            return false;
        statement.assigned.insert(text(target));
        return true;
    }

    bool is_type(std::string_view word) const {
        static constexpr auto words = std::to_array<std::string_view>({"auto",
                                                                       "bool",
                                                                       "char",
                                                                       "const",
                                                                       "double",
                                                                       "float",
                                                                       "int",
                                                                       "long",
                                                                       "short",
                                                                       "signed",
                                                                       "unsigned"});
        if (is_one_of(word, words) || parse_dtype(word) || types_.contains(word)) return true;
        if (word.starts_with(wrapping_prefix)) return true;
        return std::ranges::any_of(signature_.parameters, [&](const Parameter& parameter) {
            return word == std::string_view(&parameter.placeholder, 1);
        });
    }

    std::size_t find_parameter(std::string_view name) const {
        const auto found = std::ranges::find(signature_.parameters, name, &Parameter::name);
        return static_cast<std::size_t>(found - signature_.parameters.begin());
    }

    const std::vector<Token>& tokens_;
    const Signature& signature_;
    Names types_;  // that the operation defines
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
