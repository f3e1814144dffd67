// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <kgen/compute.hpp>
#include <kgen/error.hpp>
#include <kgen/math.hpp>
#include <kgen/parse_expression.hpp>
#include <kgen/suggestion.hpp>
#include <numbers>
#include <optional>
#include <variant>
#include <vector>

#include "api/binary_operators.hpp"
#include "api/draw_call.hpp"
#include "api/expression_reader.hpp"
#include "api/row_function_names.hpp"
#include "expression/fold_numbers.hpp"
#include "expression/tape.hpp"
#include "text/error_parts.hpp"
#include "text/excerpt.hpp"
#include "text/rethrow.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

using detail::OperandView;
using Term = std::variant<Value, Scalar>;

constexpr int deepest = 200;  // nesting of brackets and signs

class Parser : ExpressionReader {
public:
    Parser(std::string_view text, std::span<const detail::NamedOperand> variables)
        : ExpressionReader(text), variables_(variables) {}

    Expression run() {
        Term term = parse(0);
        if (next() != '\0') fail(at_, 1, "expected an operator");
        if (const auto* value = std::get_if<Value>(&term))
            return detail::as_expression(OperandView(*value));
        refuse<TypeError>({ErrorKind::argument_type, {}, "an array", "a number"},
                          "the expression has no array{}",
                          excerpt(text_, 0, text_.size()));
    }

private:
    const Binary* peek_binary() {
        next();
        for (const Binary& each : binaries)
            if (text_.substr(at_).starts_with(each.text)) return &each;
        return nullptr;
    }

    Term parse(int least) {
        if (++depth_ > deepest)
            fail(at_, 1, fmt::format("more than {} levels of nesting", deepest));
        Term left = parse_unary();
        bool compared = false;
        for (const Binary* binary = peek_binary(); binary != nullptr && binary->precedence >= least;
             binary = peek_binary()) {
            const std::size_t begin = at_;
            if (binary->precedence == comparison_precedence && std::exchange(compared, true))
                fail(begin,
                     binary->text.size(),
                     "comparisons do not chain; write (a < b) & (b < c)");
            at_ += binary->text.size();
            // Powers bind from the right, and take a sign on their right.
            const bool is_power = binary->text == "**";
            Term right = parse(is_power ? unary_precedence : binary->precedence + 1);
            left = apply(
                binary->function, begin, binary->text.size(), std::move(left), std::move(right));
        }
        --depth_;
        return left;
    }

    Term parse_unary() {
        const std::size_t begin = (next(), at_);
        if (take("-")) return negate(begin, parse(unary_precedence));
        if (take("+")) return parse(unary_precedence);
        if (take("~")) return call("invert", begin, 1, list_of(parse(unary_precedence)), {});
        return parse_trailers(parse_atom());
    }

    Term negate(std::size_t begin, Term term) {
        const auto* number = std::get_if<Scalar>(&term);
        if (number == nullptr) return call("negative", begin, 1, list_of(std::move(term)), {});
        return *fold_numbers("multiply", *number, Scalar(std::int64_t{-1}));
    }

    Term parse_atom() {
        const char first = next();
        const std::size_t begin = at_;
        if (take("(")) {
            Term inner = parse(0);
            expect(")");
            return inner;
        }
        if (is_digit(first) || first == '.') return read_number();
        const std::string_view word = take_word();
        if (word.empty())
            fail(begin,
                 1,
                 first == '\0' ? "the text ends where an operand is expected"
                               : "expected an operand");
        if (next() == '(') return parse_call(word, begin, {});
        return find_name(word, begin);
    }

    Term find_name(std::string_view word, std::size_t begin) {
        for (const auto& [name, operand] : variables_) {
            if (name != word) continue;
            if (operand.is_number()) return operand.number();
            return detail::as_expression(operand);
        }
        if (word == "pi") return Scalar(std::numbers::pi);
        if (word == "e") return Scalar(std::numbers::e);
        if (word == "inf") return Scalar(std::numeric_limits<double>::infinity());
        if (word == "nan") return Scalar(std::numeric_limits<double>::quiet_NaN());
        if (word == "True") return Scalar(true);
        if (word == "False") return Scalar(false);
        std::vector<std::string_view> names;
        for (const auto& each : variables_) names.push_back(each.first);
        const std::string_view nearest = nearest_name(word, names);
        fail(begin,
             word.size(),
             fmt::format("'{}' has no value; give {}=...{}",
                         word,
                         word,
                         nearest.empty() ? "" : fmt::format(", or did you mean '{}'?", nearest)));
    }

    struct Options {
        std::optional<std::vector<int>> axes;
        bool keepdims = false;
        std::optional<DType> dtype;
    };

    // Reads a draw of random numbers: the seed, the parameters of the distribution, then a shape and perhaps a dtype, or an
    // array to be like. The draws of a text are numbered in their order.
    Term parse_draw(const Distribution& distribution, std::size_t begin) {
        const auto refuse_call = [&] {
            fail(begin, distribution.name.size(), fmt::format("expected {}", distribution.example));
        };
        expect("(");
        std::vector<Scalar> numbers;
        std::optional<Like> drawn;
        Options options;
        while (!take(")")) {
            if (drawn) {
                if (drawn->is_of_array || !read_option(options) || !options.dtype) refuse_call();
                drawn->dtype = *options.dtype;
            } else if (next() == '(') {
                drawn = Like{read_shape(), distribution.dtype};
            } else {
                const Term term = parse(0);
                if (const auto* number = std::get_if<Scalar>(&term)) {
                    numbers.push_back(*number);
                } else {
                    const Expression array =
                        detail::as_expression(OperandView(std::get<Value>(term)));
                    const detail::Tape& tape = detail::ExpressionAccess::tape(array);
                    if (tape.code.size() != 1) refuse_call();
                    drawn = like(tape.arrays[0]);
                    if (tape.has_stand_ins) drawn->device.reset();
                }
            }
            if (take(")")) break;
            expect(",");
        }
        if (!drawn) refuse_call();
        if (numbers.size() != distribution.least + 1 && numbers.size() != distribution.most + 1)
            refuse_call();
        return Value(make_draw(distribution, numbers, *drawn, draws_++));
    }

    // Reads the arguments in brackets. `first` are operands that precede them, as in x.sum().
    Term parse_call(std::string_view function, std::size_t begin, std::vector<Term> first) {
        const Distribution* distribution = first.empty() ? find_distribution(function) : nullptr;
        if (distribution != nullptr) return parse_draw(*distribution, begin);
        expect("(");
        Options options;
        while (!take(")")) {
            if (!read_option(options)) first.push_back(parse(0));
            if (take(")")) break;
            if (next() == '\0') expect(")");
            expect(",");
        }
        if (function == "astype") {
            if (first.size() != 1 || !options.dtype || !std::holds_alternative<Value>(first[0]))
                fail(begin,
                     function.size(),
                     "astype takes an array and a dtype, as in x.astype(float32)");
            return detail::convert(OperandView(std::get<Value>(first[0])), *options.dtype);
        }
        if (options.dtype) fail(begin, function.size(), "only astype takes a dtype");
        return call(function, begin, function.size(), first, options);
    }

    // Reads axis=..., keepdims=..., dtype=... or the name of a dtype.
    bool read_option(Options& options) {
        const std::size_t begin = (next(), at_);
        const std::string_view word = take_word();
        const bool assigns = next() == '=' && !text_.substr(at_).starts_with("==");
        if (assigns && word == "axis") {
            ++at_;
            options.axes = parse_axes();
            return true;
        }
        if (assigns && word == "keepdims") {
            ++at_;
            const std::string_view value = take_word();
            if (value != "True" && value != "False")
                fail(at_ - value.size(), value.size(), "expected True or False");
            options.keepdims = value == "True";
            return true;
        }
        if (assigns && word == "dtype") {
            ++at_;
            const std::size_t name_begin = (next(), at_);
            const std::string_view name = take_word();
            options.dtype = parse_dtype(name);
            if (!options.dtype)
                fail(name_begin, std::max<std::size_t>(name.size(), 1), "expected a dtype");
            return true;
        }
        if (assigns) fail(begin, word.size(), "expected axis=, keepdims= or dtype=");
        const bool is_variable = std::any_of(variables_.begin(),
                                             variables_.end(),
                                             [&](const auto& each) { return each.first == word; });
        const std::optional<DType> dtype =
            is_variable || next() == '(' ? std::nullopt : parse_dtype(word);
        if (dtype) {
            options.dtype = dtype;
            return true;
        }
        at_ = begin;
        return false;
    }

    std::optional<std::vector<int>> parse_axes() {
        const auto one = [&] {
            const std::size_t begin = (next(), at_);
            const std::int64_t axis = read_integer("expected an axis, as in axis=1 or axis=(0, 1)");
            if (axis != static_cast<int>(axis))
                fail(begin, at_ - begin, "expected an axis, as in axis=1 or axis=(0, 1)");
            return static_cast<int>(axis);
        };
        if (take("None")) return std::nullopt;
        if (!take("(")) return std::vector<int>{one()};
        std::vector<int> list;
        while (!take(")")) {
            list.push_back(one());
            if (take(")")) break;
            expect(",");
        }
        return list;
    }

    Term parse_trailers(Term term) {
        while (take(".")) {
            const std::size_t begin = at_;
            const std::string_view method = take_word();
            if (method.empty() || next() != '(')
                fail(begin,
                     std::max<std::size_t>(method.size(), 1),
                     "expected a method, as in x.sum()");
            term = parse_call(method, begin, list_of(std::move(term)));
        }
        return term;
    }

    static std::vector<Term> list_of(Term term) {
        std::vector<Term> list;
        list.push_back(std::move(term));
        return list;
    }

    Term apply(
        std::string_view function, std::size_t begin, std::size_t length, Term left, Term right) {
        const auto* a = std::get_if<Scalar>(&left);
        const auto* b = std::get_if<Scalar>(&right);
        if (a != nullptr && b != nullptr) return fold(function, begin, length, *a, *b);
        std::vector<Term> operands = list_of(std::move(left));
        operands.push_back(std::move(right));
        return call(function, begin, length, operands, {});
    }

    Term fold(std::string_view function,
              std::size_t begin,
              std::size_t length,
              const Scalar& a,
              const Scalar& b) {
        const std::optional<Scalar> folded = fold_numbers(function, a, b);
        if (!folded)
            fail(begin,
                 length,
                 "this operation of two numbers has no result; use an array on one side");
        return *folded;
    }

    // Throws the error of a call without an array.
    [[noreturn]] void refuse_numbers(std::string_view function,
                                     std::size_t begin,
                                     std::size_t length) {
        std::string problem = fmt::format("'{}' needs an array among its operands", function);
        try {
            if (!find_row_function(function)) static_cast<void>(kernel_template(function));
        } catch (const SignatureError& error) {
            problem = error.what();
        }
        fail(begin, length, problem);
    }

    Term call(std::string_view function,
              std::size_t begin,
              std::size_t length,
              const std::vector<Term>& operands,
              const Options& options) {
        std::vector<OperandView> views;
        bool has_array = false;
        for (const Term& each : operands) {
            if (const auto* value = std::get_if<Value>(&each)) {
                views.emplace_back(*value);
                has_array = true;
            } else {
                views.emplace_back(std::get<Scalar>(each));
            }
        }
        if (!has_array) refuse_numbers(function, begin, length);
        // NumPy's functions of these names take the decimals as a second operand.
        if (operands.size() == 2 && (function == "round" || function == "around"))
            function = "round_to";
        std::optional<AxesArgument> axes;
        if (options.axes) axes.emplace(std::span<const int>(*options.axes));
        try {
            return detail::call_list(function, views, {axes ? &*axes : nullptr, options.keepdims});
        } catch (const SignatureError& error) {
            fail(begin, length, error.what());
        } catch (const TypeError& error) {
            refuse<TypeError>(error.parts(), "{}{}", error.what(), excerpt(text_, begin, length));
        }
    }

    std::span<const detail::NamedOperand> variables_;
    int depth_ = 0;
    std::uint64_t draws_ = 0;
};

// Returns an array of the spec without usable memory.
Array described(const ArraySpec& spec) {
    return Array::view(reinterpret_cast<void*>(std::uintptr_t{4096}),
                       spec.dtype,
                       spec.shape,
                       {.device = Device::host(), .strides = spec.strides});
}

}  // namespace

Expression detail::parse_operands(std::string_view text, std::span<const NamedOperand> variables) {
    return Parser(text, variables).run();
}

Expression parse_expression(std::string_view text,
                            std::span<const std::pair<std::string, Argument>> variables) try {
    std::vector<Array> specs;
    specs.reserve(variables.size());
    std::vector<detail::NamedOperand> operands;
    for (const auto& [name, argument] : variables) {
        if (argument.scalar() != nullptr) {
            operands.emplace_back(name, *argument.scalar());
        } else if (argument.array() != nullptr) {
            operands.emplace_back(name, *argument.array());
        } else {
            operands.emplace_back(name, specs.emplace_back(described(*argument.spec())));
        }
    }
    return detail::parse_operands(text, operands);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
