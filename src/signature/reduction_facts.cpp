// SPDX-License-Identifier: MIT
#include "signature/reduction_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>

#include "signature/name_uses.hpp"
#include "signature/plain_folds.hpp"
#include "text/advice.hpp"
#include "text/error_parts.hpp"
#include "text/excerpt.hpp"

namespace kgen {

namespace {

class Reader {
public:
    Reader(const LexedDefinition& lexed, const Signature& signature)
        : lexed_(lexed),
          definition_(lexed.definition),
          texts_(*definition_.reduction),
          signature_(signature) {}

    ReductionFacts run() const {
        check_parameters();
        check_texts();
        ReductionFacts facts;
        facts.map = form_of("map", definition_.operation);
        facts.reduce = form_of("reduce", texts_.reduce);
        facts.has_identity = !is_blank(texts_.identity);
        facts.accumulator = named_accumulator();
        facts.has_own_accumulator = !is_blank(texts_.reduce_type) && !facts.accumulator;
        facts.accuracy = texts_.accuracy;
        const KnownFold known = find_known_fold(lexed_);
        facts.operation = known.operation;
        facts.nan_rule = known.nan_rule;
        facts.plain_map = find_plain_map(lexed_, signature_);
        facts.is_plain_sum = facts.operation == FoldOperation::sum;
        if (facts.accuracy == Accuracy::compensated && !facts.is_plain_sum) refuse_compensated();
        facts.map_place = place_facts(definition_.operation);
        facts.post_place = place_facts(texts_.post_map);
        return facts;
    }

private:
    template <typename... Parts>
    [[noreturn]] void fail(fmt::format_string<Parts...> text, Parts&&... parts) const {
        refuse<SignatureError>({ErrorKind::syntax},
                               "kernel '{}': {}",
                               definition_.name,
                               fmt::format(text, std::forward<Parts>(parts)...));
    }

    bool is_blank(const std::string& text) const { return lexed_.tokens_of(text).empty(); }

    // Returns the dtype that reduce_type names. A name that the preamble uses might mean another type. Values that are converted
    // to bool one by one are not folded like numbers.
    std::optional<DType> named_accumulator() const {
        const std::vector<Token>& type = lexed_.tokens_of(texts_.reduce_type);
        if (type.size() != 1) return std::nullopt;
        const std::string_view name = type.front().text;
        const std::optional<DType> dtype = parse_dtype(name);
        const bool is_usual =
            dtype && (name == to_text(*dtype) || name == "float" || name == "double");
        const std::vector<Token>& preamble = lexed_.tokens_of(definition_.preamble);
        const bool is_used = std::any_of(preamble.begin(), preamble.end(), [&](const Token& token) {
            return token.text == name;
        });
        return is_usual && !is_used && *dtype != DType::bool_ ? dtype : std::nullopt;
    }

    void check_parameters() const {
        for (std::size_t k = 0; k < signature_.parameters.size(); ++k) {
            const Parameter& parameter = signature_.parameters[k];
            if (parameter.output && parameter.name == "a") {
                fail(
                    "{}: the name is reserved for the folded value in the post_map; choose another",
                    describe_argument(signature_, k));
            }
            if (parameter.written && !parameter.output && !parameter.raw) {
                fail(
                    "{} is _non_const, but a reduction writes only its outputs; make it raw, or an "
                    "output",
                    describe_argument(signature_, k));
            }
        }
    }

    void check_texts() const {
        if (is_blank(definition_.operation))
            fail("the map is empty; write the value of an element, as in 'x * x'");
        if (is_blank(texts_.reduce))
            fail("the reduce is empty; write how 'a' and 'b' are folded, as in 'a + b'");
        if (signature_.output_count() > 0 && is_blank(texts_.post_map))
            fail("the post_map is empty; write the outputs from 'a', as in '{} = a'",
                 signature_.parameters[static_cast<std::size_t>(signature_.input_count)].name);
        if (signature_.output_count() == 0 && is_blank(texts_.reduce_type))
            fail("there is no output that determines the accumulator's dtype; {}",
                 advise(Advice::set_reduce_type));
    }

    TextForm form_of(std::string_view label, const std::string& text) const {
        static constexpr std::string_view beginnings[] = {
            "return", "if", "for", "while", "do", "switch", "{", "<%"};
        const std::vector<Token>& tokens = lexed_.tokens_of(text);
        const std::vector<Token> outer = outer_tokens(tokens);
        const auto semicolon = std::find_if(
            outer.begin(), outer.end(), [](const Token& token) { return token.text == ";"; });
        const bool begins_as_statement =
            !outer.empty() &&
            std::find(std::begin(beginnings), std::end(beginnings), outer.front().text) !=
                std::end(beginnings);
        if (semicolon == outer.end() && !begins_as_statement) return TextForm::expression;
        const bool returns = std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
            return token.text == "return";
        });
        if (returns) return TextForm::statements;
        const Token& shown = semicolon != outer.end() ? *semicolon : outer.front();
        fail(
            "the {} has statements, but none returns a value{}\nwrite one expression, or end with "
            "'return VALUE;'",
            label,
            excerpt(text, shown.offset, shown.text.size()));
    }

    [[noreturn]] void refuse_compensated() const {
        const std::vector<Token>& tokens = lexed_.tokens_of(texts_.reduce);
        const std::size_t begin = tokens.front().offset;
        fail("only a sum can be compensated, so the reduce must be 'a + b'{}",
             excerpt(
                 texts_.reduce, begin, tokens.back().offset + tokens.back().text.size() - begin));
    }

    PlaceFacts place_facts(const std::string& text) const {
        NameUses uses;
        collect_uses(lexed_.tokens_of(text), signature_.parameters, uses);
        collect_macro_uses(lexed_, signature_.parameters, uses);
        const auto names = [&](std::string_view name) {
            return uses.mentions(name) && !is_parameter(signature_, name);
        };
        return {.index = names("i"),
                .reduced_index = names("_J"),
                .joint_index = names("_j"),
                .output_index = names("_i"),
                .input_indexer = names("_in_ind"),
                .output_indexer = names("_out_ind")};
    }

    const LexedDefinition& lexed_;
    const Definition& definition_;
    const ReductionTexts& texts_;
    const Signature& signature_;
};

}  // namespace

void find_reduction_facts(const LexedDefinition& lexed, Signature& signature) {
    signature.reduction = Reader(lexed, signature).run();
}

}  // namespace kgen
