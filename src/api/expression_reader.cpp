// SPDX-License-Identifier: MIT
#include "api/expression_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <complex>
#include <kgen/error.hpp>

#include "text/error_parts.hpp"
#include "text/excerpt.hpp"
#include "text/word.hpp"

namespace kgen {

void ExpressionReader::fail(std::size_t at, std::size_t length, const std::string& problem) const {
    refuse<SignatureError>(
        {ErrorKind::syntax, "expression"}, "expression: {}{}", problem, excerpt(text_, at, length));
}

char ExpressionReader::next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
}

bool ExpressionReader::take(std::string_view token) {
    next();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
}

void ExpressionReader::expect(std::string_view token) {
    if (!take(token)) fail(at_, 1, fmt::format("expected '{}'", token));
}

std::string_view ExpressionReader::take_word() {
    next();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
}

Scalar ExpressionReader::read_number() {
    const std::size_t begin = at_;
    double real = 0;
    const char* const first = text_.data() + at_;
    const char* const last = text_.data() + text_.size();
    const auto [end, problem] = std::from_chars(first, last, real);
    if (problem != std::errc()) fail(begin, 1, "expected a number");
    at_ += static_cast<std::size_t>(end - first);
    if (at_ < text_.size() && text_[at_] == 'j') {
        ++at_;
        return Scalar(std::complex<double>(0, real));
    }
    if (at_ < text_.size() && is_word(text_[at_]))
        fail(begin, at_ - begin + 1, "expected a number");
    std::int64_t whole = 0;
    const auto [whole_end, no_integer] = std::from_chars(first, end, whole);
    if (no_integer == std::errc() && whole_end == end) return Scalar(whole);
    std::uint64_t large = 0;  // such as a seed of 64 bits
    const auto [large_end, no_large] = std::from_chars(first, end, large);
    if (no_large == std::errc() && large_end == end) return Scalar(large);
    return Scalar(real);
}

std::int64_t ExpressionReader::read_integer(const char* problem) {
    const std::size_t begin = (next(), at_);
    const bool is_negative = take("-");
    const std::string_view word = take_word();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
        fail(begin, std::max<std::size_t>(word.size(), 1), problem);
    return is_negative ? -value : value;
}

Dims ExpressionReader::read_shape() {
    Dims shape;
    expect("(");
    while (!take(")")) {
        shape.push_back(read_integer("expected an extent, as in (1000, 3)"));
        if (take(")")) break;
        expect(",");
    }
    return shape;
}

}  // namespace kgen
