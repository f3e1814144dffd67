// SPDX-License-Identifier: MIT
#include "source/dtype_names_used.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dtype/dtype_names.hpp"
#include "signature/token.hpp"
#include "source/declared_names.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

bool mentions(std::string_view text, std::string_view name) {
    if (find_word(text, name) == std::string_view::npos) return false;
    const TokenList list = tokenize(text);
    return std::any_of(list.tokens.begin(), list.tokens.end(), [&](const Token& token) {
        return token.kind == TokenKind::identifier && token.text == name;
    });
}

}  // namespace

DTypeSet find_dtype_names(const std::vector<std::string_view>& texts,
                          const std::vector<std::string_view>& declaring,
                          const std::vector<std::string>& options) {
    std::vector<std::string_view> named;
    for (int k = 0; k < dtype_count; ++k) {
        const std::string_view name = to_text(static_cast<DType>(k));
        const auto has_it = [&](std::string_view text) { return mentions(text, name); };
        if (name != "bool" && (std::any_of(texts.begin(), texts.end(), has_it) ||
                               std::any_of(options.begin(), options.end(), has_it))) {
            named.push_back(name);
        }
    }
    DTypeSet used;
    if (named.empty()) return used;
    const std::set<std::string_view> declared = find_declared_names(declaring, options, named);
    for (const std::string_view name : named) {
        if (declared.count(name) == 0) used.add(*parse_dtype(name));
    }
    return used;
}

std::string dtype_aliases(DTypeSet dtypes, std::string_view prefix) {
    std::string text;
    for (int k = 0; k < dtype_count; ++k) {
        const auto dtype = static_cast<DType>(k);
        if (!dtypes.has(dtype)) continue;
        const bool is_class = dtype == DType::float16 || dtype == DType::bfloat16;
        const bool is_complex = kind_of(dtype) == DTypeKind::complex;
        if (is_class && prefix.empty()) continue;
        text += fmt::format("typedef {}{} {};\n",
                            is_class || is_complex ? prefix : "",
                            cpp_name(dtype),
                            to_text(dtype));
    }
    return text;
}

}  // namespace kgen
