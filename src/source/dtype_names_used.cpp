// SPDX-License-Identifier: MIT
#include "source/dtype_names_used.hpp"

#include <fmt/format.h>

#include "dtype/dtype_table.hpp"
#include "signature/token.hpp"
#include "source/declared_names.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

// Returns the dtypes whose names occur as words in the text, including comments and strings. The text is read
// in a single pass because headers may be long.
DTypeSet words_in(std::string_view text) {
    DTypeSet found;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word(text[at])) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        while (at < text.size() && is_word(text[at])) ++at;
        const std::string_view word = text.substr(begin, at - begin);
        // Every dtype's name except bool begins with one of these letters and ends with a digit.
        const bool is_near =
            word.back() <= '9' && std::string_view("iufbc").find(word.front()) != text.npos;
        if (!is_near) continue;
        for (const DType dtype : all_dtypes) {
            if (word == to_text(dtype)) found.add(dtype);
        }
    }
    return found;
}

// Returns the dtypes whose names occur as words in the code of the text.
DTypeSet names_in(std::string_view text) {
    DTypeSet found;
    if (words_in(text).empty()) return found;
    const TokenList list = tokenize(text);
    for (const Token& token : list.tokens) {
        if (token.kind == TokenKind::identifier) found.add(words_in(token.text));
    }
    return found;
}

}  // namespace

DTypeSet find_dtype_names(const std::vector<std::string_view>& texts,
                          const std::vector<std::string_view>& declaring,
                          const std::vector<std::string>& options,
                          DTypeSet mentioned) {
    for (const std::string_view text : texts) mentioned.add(names_in(text));
    for (const std::string& option : options) mentioned.add(names_in(option));
    std::vector<std::string_view> named;
    for (const DType dtype : all_dtypes) {
        if (mentioned.has(dtype) && dtype != DType::bool_) named.push_back(to_text(dtype));
    }
    DTypeSet used;
    if (named.empty()) return used;
    const std::set<std::string_view> declared = find_declared_names(declaring, options, named);
    for (const std::string_view name : named) {
        if (declared.count(name) == 0) used.add(*parse_dtype(name));
    }
    return used;
}

std::string dtype_aliases(DTypeSet dtypes, const std::function<std::string(DType)>& type_name) {
    std::string text;
    for (const DType dtype : all_dtypes) {
        if (!dtypes.has(dtype)) continue;
        const std::string type = type_name(dtype);
        if (type != to_text(dtype)) text += fmt::format("typedef {} {};\n", type, to_text(dtype));
    }
    return text;
}

}  // namespace kgen
