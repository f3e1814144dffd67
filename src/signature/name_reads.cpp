// SPDX-License-Identifier: MIT
#include "signature/name_reads.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "signature/code_tokens.hpp"
#include "signature/name_uses.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

// How one occurrence of a variable's name uses the variable.
enum class Use : std::uint8_t {
    none,    // not evaluated: sizeof(y), (void)y
    read,    // read, perhaps to update it: y += x
    write,   // overwritten: y = ..
    unsure,  // perhaps written: f(y), auto& other = y
};

// Whether to look for reads on the right side of an assignment to the variable.
enum class Nested : std::uint8_t { no, yes };

class BodyReader : CodeTokens {
public:
    BodyReader(const std::vector<Token>& tokens,
               std::string_view name,
               const TakesValues& takes_values)
        : CodeTokens(tokens),
          tokens_(tokens),
          name_(name),
          takes_values_(takes_values),
          around_(tokens.size()) {
        std::vector<Around> open = {{none, false}};
        for (std::size_t k = 0; k < size(); ++k) {
            if (is_closing(text(k)) && open.size() > 1) open.pop_back();
            around_[k] = open.back();
            if (is_opening(text(k)))
                open.push_back({k, open.back().is_unevaluated || leaves_unevaluated(k)});
        }
    }

    bool reads_only() const {
        bool reads = false;
        for (std::size_t k = 0; k < tokens_.size(); ++k) {
            if (!is_name(k)) continue;
            const Use use = use_of(k);
            if (use == Use::write || use == Use::unsure) return false;
            if (use == Use::read) reads = true;
        }
        return reads;
    }

    // Goes through the statements that every element runs, up to the first that names the variable.
    bool begins_with_read() const {
        for (std::size_t begin = 0; begin < tokens_.size();) {
            const std::size_t end = end_of_statement(begin);
            for (std::size_t k = begin; k < end; ++k) {
                if (tokens_[k].text == "goto") return false;
                if (is_name(k)) return is_read_in_statement(begin, end);
            }
            begin = end;
        }
        return false;
    }

    // Whether an assignment to the variable begins the first statement that names it. Statements before it must
    // not end the element.
    bool begins_with_write() const {
        for (std::size_t begin = 0; begin < tokens_.size();) {
            const std::size_t end = end_of_statement(begin);
            for (std::size_t k = begin; k < end; ++k) {
                if (is_one_of(text(k), leaving)) return false;
                if (is_name(k)) return is_write_at(k, begin, end);
            }
            begin = end;
        }
        return false;
    }

private:
    static constexpr auto leaving = std::to_array<std::string_view>(
        {"goto", "return", "continue", "break", "throw", "asm", "__asm__", "co_return"});
    bool is_write_at(std::size_t k, std::size_t begin, std::size_t end) const {
        if (place_of(k).first != begin || use_of(k) != Use::write) return false;
        for (std::size_t other = k + 1; other < end; ++other) {
            if (is_name(other) || is_one_of(text(other), leaving)) return false;
        }
        return true;
    }

    bool is_name(std::size_t k) const { return text(k) == name_ && !is_member(tokens_, k); }

    static bool is_control(std::string_view word) {
        static constexpr auto words = std::to_array<std::string_view>(
            {"if", "else", "for", "while", "do", "switch", "case", "default", "try", "{", "<%"});
        return is_one_of(word, words);
    }
    std::size_t end_of_statement(std::size_t begin) const {
        for (std::size_t k = begin; k < size();) {
            if (text(k) == ";") return k + 1;
            const bool is_block = opens_block(text(k)) && is_control(text(begin));
            k = behind(k);
            if (is_block) return k;
        }
        return size();
    }

    bool is_read_in_statement(std::size_t begin, std::size_t end) const {
        static constexpr auto with_condition =
            std::to_array<std::string_view>({"if", "while", "switch"});
        if (is_one_of(text(begin), with_condition)) {
            while (begin < end && text(begin) != "(") ++begin;
            if (begin == end) return false;
            end = behind_bracket(begin);
        } else if (is_control(text(begin))) {
            return false;
        }
        return first_use_in(begin, end, Nested::yes) == Use::read;
    }
    // Returns the first use of the variable in an expression, or `unsure` if a branch may skip it.
    Use first_use_in(std::size_t begin, std::size_t end, Nested nested) const {
        static constexpr auto branches =
            std::to_array<std::string_view>({"?", "&&", "||", "and", "or", "{", "<%"});
        for (std::size_t k = begin; k < end; ++k) {
            if (is_one_of(text(k), branches)) return Use::unsure;
            if (!is_name(k)) continue;
            const Use use = use_of(k);
            if (use == Use::none) continue;
            if (use != Use::write || nested == Nested::no) return use;
            // The right side is evaluated before the assignment.
            const std::size_t from = assignment_of(k) + 1;
            std::size_t to = from;
            while (to < end && !is_closing(text(to)) && text(to) != ",") to = behind(to);
            return first_use_in(from, std::min(to, end), Nested::no) == Use::read ? Use::read
                                                                                  : Use::write;
        }
        return Use::none;
    }

    // Tokens of the name and of all brackets around it that only group.
    struct Place {
        std::size_t first, last;
    };
    Place place_of(std::size_t k) const {
        Place place{k, k};
        while (text(place.first - 1) == "(" && text(place.last + 1) == ")" &&
               !is_identifier(place.first - 2) && text(place.first - 2) != ")" &&
               text(place.first - 2) != "]" && text(place.first - 2) != ">") {
            --place.first;
            ++place.last;
        }
        return place;
    }
    std::size_t assignment_of(std::size_t k) const { return place_of(k).last + 1; }

    Use use_of(std::size_t k) const {
        static constexpr auto changing = std::to_array<std::string_view>(
            {"++", "--", "+=", "-=", "*=", "/=", "&=", "|=", "<<=", ">>=", "%", "^"});
        static constexpr auto unsure_before =
            std::to_array<std::string_view>({"[", "{", "<%", "<:", ":"});
        static constexpr auto unsure_after =
            std::to_array<std::string_view>({".", "->", "[", "<:", "(", "{", "<%", ":"});
        if (around_[k].is_unevaluated || text(k - 1) == "sizeof") return Use::none;
        const auto [first, last] = place_of(k);
        const std::string_view before = text(first - 1);
        const std::string_view after = text(last + 1);
        const bool is_behind_word = is_identifier(first - 1) && ends_operand(tokens_[first - 1]);
        if (after == "=") return is_assigned(first) ? Use::write : Use::unsure;
        if (is_behind_word || is_one_of(after, unsure_after)) return Use::unsure;
        if (before == "++" || before == "--" || is_one_of(after, changing)) return Use::read;
        if (is_one_of(before, unsure_before)) return Use::unsure;
        if (before == "&" && (first < 2 || !is_operand_end(first - 2))) return Use::unsure;
        if (first > 0 && tokens_[first - 1].kind == TokenKind::literal) return Use::unsure;
        const bool begins_argument = before == "(" || before == ",";
        const bool ends_argument = after == ")" || after == ",";
        if (begins_argument && ends_argument)
            return is_passed_by_value(first) ? Use::read : Use::unsure;
        if (before == "=" && first > 2 && text(first - 3).starts_with("&")) return Use::unsure;
        const bool is_alone = before.empty() || before == ";" || before == "}";
        if ((is_alone && after == ";") || (before == ")" && text(first - 2) == "void"))
            return Use::none;
        return Use::read;
    }

    // Whether an '=' after the name assigns to the variable, rather than initializes another one of this
    // name.
    bool is_assigned(std::size_t first) const {
        static constexpr auto before = std::to_array<std::string_view>(
            {"", ";", "{", "}", "<%", "%>", "(", ")", ",", "=", ":", "?", "else", "do", "return"});
        return is_one_of(text(first - 1), before);
    }
    bool is_operand_end(std::size_t k) const {
        return text(k) == ")" ||
               (tokens_[k].kind != TokenKind::punctuation && ends_operand(tokens_[k])) ||
               text(k) == "]";
    }
    // Whether the operand in the brackets is not evaluated, as in sizeof(y).
    bool leaves_unevaluated(std::size_t open) const {
        static constexpr auto words = std::to_array<std::string_view>(
            {"sizeof", "decltype", "alignof", "noexcept", "typeid", "typeof", "static_assert"});
        std::string_view head = text(open - 1);
        while (head.starts_with('_')) head.remove_prefix(1);
        while (head.ends_with('_')) head.remove_suffix(1);
        return text(open) == "(" && is_one_of(head, words);
    }
    // Whether the brackets around the argument belong to a cast, a condition, or a function that takes its
    // parameters by value.
    bool is_passed_by_value(std::size_t argument) const {
        static constexpr auto conditions =
            std::to_array<std::string_view>({"if", "while", "switch", "return"});
        const std::size_t open = around_[argument].bracket;
        if (open == none || open == 0 || text(open) != "(") return false;
        const std::string_view head = text(open - 1);
        if (is_identifier(open - 1)) return is_one_of(head, conditions) || takes_values_(head);
        if (head == ")") return text(open - 3) == "(" && takes_values_(text(open - 2));
        return head == ">" && text(open - 3) == "<" && text(open - 4) == "static_cast";
    }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    struct Around {
        std::size_t bracket = none;  // the innermost open bracket
        bool is_unevaluated = false;
    };

    const std::vector<Token>& tokens_;
    std::string_view name_;
    const TakesValues& takes_values_;
    std::vector<Around> around_;  // one for each token
};

}  // namespace

bool reads_only(const std::vector<Token>& tokens,
                std::string_view name,
                const TakesValues& takes_values) {
    return BodyReader(tokens, name, takes_values).reads_only();
}

bool begins_with_write(const std::vector<Token>& tokens, std::string_view name) {
    return BodyReader(tokens, name, [](std::string_view) { return false; }).begins_with_write();
}

bool begins_with_read(const std::vector<Token>& tokens,
                      std::string_view name,
                      const TakesValues& takes_values) {
    return BodyReader(tokens, name, takes_values).begins_with_read();
}

}  // namespace kgen
