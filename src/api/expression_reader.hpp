// SPDX-License-Identifier: MIT
//
// ExpressionReader: the words and numbers of an expression's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/dims.hpp>
#include <kgen/scalar.hpp>
#include <string>
#include <string_view>

namespace kgen {

class ExpressionReader {
protected:
    explicit ExpressionReader(std::string_view text) : text_(text) {}

    // Throws SignatureError that shows the place in the text.
    [[noreturn]] void fail(std::size_t at, std::size_t length, const std::string& problem) const;
    // Skips blanks and returns the next character, or 0 at the end.
    char next();
    bool take(std::string_view token);
    void expect(std::string_view token);
    std::string_view take_word();
    Scalar read_number();
    std::int64_t read_integer(const char* problem);
    // Reads (1000, 3), (1000,) or ().
    Dims read_shape();

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace kgen
