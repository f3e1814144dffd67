// SPDX-License-Identifier: MIT
#include "signature/plain_folds.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace kgen {

namespace {

std::string joined(TokenSpan tokens) {
    std::string text;
    for (const Token& token : tokens) {
        if (!text.empty()) text += ' ';
        text += token.text;
    }
    return text;
}

// Whether the program may declare the name itself: its preamble or an option mentions it, or it includes files.
bool may_declare(const LexedDefinition& lexed, std::string_view name) {
    const auto mentions = [&](TokenSpan tokens) {
        return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
            return token.text == name || begins_directive(token);
        });
    };
    const bool in_options = std::any_of(lexed.options.begin(),
                                        lexed.options.end(),
                                        [&](const auto& each) { return mentions(each); });
    return lexed.includes_files || in_options ||
           mentions(lexed.tokens_of(lexed.definition.preamble));
}

bool is_integer(DType dtype) {
    const DTypeKind kind = kind_of(dtype);
    return kind == DTypeKind::signed_integer || kind == DTypeKind::unsigned_integer;
}

// Reads a map from its first token on.
class MapReader {
public:
    MapReader(const LexedDefinition& lexed, const Signature& signature)
        : lexed_(lexed),
          tokens_(lexed.tokens_of(lexed.definition.operation)),
          signature_(signature) {}

    PlainMap read() {
        PlainMap map;
        PlainTerm term;
        if (!read_term(term)) return {};
        map.terms.push_back(term);
        if (reads("!=")) {
            map.asks_truth = true;
            return term.cast.empty() && reads_zero() && at_end() ? map : PlainMap{};
        }
        while (reads("+")) {
            if (!read_term(term)) return {};
            map.terms.push_back(term);
        }
        return at_end() ? map : PlainMap{};
    }

private:
    bool at_end() const { return at_ == tokens_.size(); }
    std::string_view text() const { return at_end() ? std::string_view() : tokens_[at_].text; }
    bool reads(std::string_view expected) {
        if (text() != expected) return false;
        ++at_;
        return true;
    }
    // Whether the next token is a word of a type: of C++, a dtype or a placeholder.
    bool is_type() const {
        static constexpr std::string_view words[] = {
            "bool", "char", "short", "int", "long", "signed", "unsigned"};
        if (std::find(std::begin(words), std::end(words), text()) != std::end(words)) return true;
        const std::optional<DType> dtype = parse_dtype(text());
        const bool is_dtype = dtype && to_text(*dtype) == text() && is_integer(*dtype);
        const bool is_placeholder = std::any_of(
            signature_.parameters.begin(), signature_.parameters.end(), [&](const Parameter& each) {
                return !each.dtype && text().size() == 1 && text()[0] == each.placeholder;
            });
        return (is_dtype || is_placeholder) && !may_declare(lexed_, text());
    }
    bool reads_input(PlainTerm& term) {
        for (std::size_t k = 0; k < static_cast<std::size_t>(signature_.input_count); ++k) {
            const Parameter& parameter = signature_.parameters[k];
            if (parameter.raw || parameter.name != text()) continue;
            term.parameter = k;
            ++at_;
            return true;
        }
        return false;
    }
    // x, (TYPE)x, (TYPE)(x) or TYPE(x)
    bool read_term(PlainTerm& term) {
        term = {};
        if (reads_input(term)) return true;
        if (reads("(")) {
            while (is_type())
                term.cast += (term.cast.empty() ? "" : " ") + std::string(tokens_[at_++].text);
            if (term.cast.empty() || !reads(")")) return false;
            if (reads_input(term)) return true;
        } else {
            if (!is_type()) return false;
            term.cast = tokens_[at_++].text;
        }
        return reads("(") && reads_input(term) && reads(")");
    }
    // 0 or TYPE(0)
    bool reads_zero() {
        if (reads("0")) return true;
        if (!is_type()) return false;
        ++at_;
        return reads("(") && reads("0") && reads(")");
    }

    const LexedDefinition& lexed_;
    TokenSpan tokens_;
    const Signature& signature_;
    std::size_t at_ = 0;
};

struct KnownText {
    std::string_view text;
    FoldOperation operation;
    NanRule nan_rule = NanRule::other;
};

}  // namespace

KnownFold find_known_fold(const LexedDefinition& lexed) {
    using enum FoldOperation;
    constexpr NanRule kept = NanRule::kept, skipped = NanRule::skipped;
    static constexpr KnownText known[] = {
        {"a + b", sum},
        {"b + a", sum},
        {"max ( a , b )", largest, skipped},
        {"a > b ? a : b", largest},
        {"a < b ? b : a", largest},
        {"b > a ? b : a", largest},
        {"a > b || a != a ? a : b", largest, kept},
        {"kgen_maximum ( a , b )", largest, kept},
        {"min ( a , b )", least, skipped},
        {"a < b ? a : b", least},
        {"a > b ? b : a", least},
        {"b < a ? b : a", least},
        {"a < b || a != a ? a : b", least, kept},
        {"kgen_minimum ( a , b )", least, kept},
        {"a | b", bits_or},
        {"a & b", bits_and},
        {"a ^ b", bits_xor},
        {"a || b", logical_or},
        {"a && b", logical_and},
    };
    const std::string text = joined(lexed.tokens_of(lexed.definition.reduction->reduce));
    for (const KnownText& each : known) {
        if (each.text != text) continue;
        const std::string_view name = each.text.substr(0, 3);
        const bool is_call = name == "max" || name == "min";
        if (is_call && may_declare(lexed, name)) break;
        return {each.operation, each.nan_rule};
    }
    return {};
}

PlainMap find_plain_map(const LexedDefinition& lexed, const Signature& signature) {
    return MapReader(lexed, signature).read();
}

}  // namespace kgen
