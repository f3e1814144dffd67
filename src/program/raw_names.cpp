// SPDX-License-Identifier: MIT
#include "program/raw_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <kgen/suggestion.hpp>
#include <memory>
#include <unordered_map>

#include "signature/token.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

// Returns an empty string if the symbol is not a mangled name.
std::string demangled(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text != nullptr ? std::string(text.get()) : std::string();
}

// Returns the offset of the parameter list in a demangled name; npos for a variable.
std::size_t find_parameters(std::string_view text) {
    constexpr std::string_view anonymous = "(anonymous namespace)";
    int depth = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const char letter = text[k];
        if (letter == '(' && text.substr(k).starts_with(anonymous)) {
            k += anonymous.size() - 1;
        } else if (letter == '(' && depth == 0) {
            return k;
        } else if (letter == '<' || letter == '(' || letter == '[' || letter == '{') {
            ++depth;
        } else if (letter == '>' || letter == ')' || letter == ']' || letter == '}') {
            --depth;
        }
    }
    return std::string_view::npos;
}

// Demangled template instances begin with their return type: "void axpby<float>(float*)".
std::string_view without_return_type(std::string_view text) {
    return text.starts_with("void ") ? text.substr(5) : text;
}

// Removes '&' and blanks at the front.
std::string_view without_address_sign(std::string_view text) {
    const std::size_t begin = text.find_first_not_of("& \t");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

}  // namespace

std::string normalized_name(std::string_view expression) {
    std::string name;
    bool blank = false;
    for (const char letter : expression) {
        if (std::isspace(static_cast<unsigned char>(letter)) != 0) {
            blank = true;
            continue;
        }
        if (blank && !name.empty() && is_word(name.back()) && is_word(letter)) name += ' ';
        blank = false;
        name += letter;
    }
    return name;
}

bool is_template_name(std::string_view name) {
    return name.find('<') != std::string_view::npos;
}

std::vector<ProgramName> program_names(const std::vector<std::string>& symbols,
                                       std::span<const LoweredName> lowered) {
    std::unordered_map<std::string_view, std::vector<std::string>> expressions;  // by symbol
    for (const LoweredName& each : lowered)
        expressions[each.symbol].emplace_back(without_address_sign(each.expression));
    std::vector<ProgramName> names;
    for (const std::string& symbol : symbols) {
        ProgramName name{.symbol = symbol, .qualified = symbol, .declaration = symbol};
        if (const auto named = expressions.find(symbol); named != expressions.end())
            name.expressions = named->second;
        const std::string text = demangled(symbol);
        if (!text.empty()) {
            name.declaration = without_return_type(text);
            name.qualified = name.declaration.substr(0, find_parameters(name.declaration));
        }
        names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end(), [](const ProgramName& a, const ProgramName& b) {
        return a.shown() != b.shown() ? a.shown() < b.shown() : a.symbol < b.symbol;
    });
    return names;
}

std::vector<const ProgramName*> find_name(std::string_view name,
                                          std::span<const ProgramName> names) {
    const std::string wanted = normalized_name(without_address_sign(name));
    std::vector<const ProgramName*> found;
    const auto search = [&](auto matches) {
        if (!found.empty()) return;
        for (const ProgramName& each : names) {
            if (matches(each)) found.push_back(&each);
        }
    };
    search([&](const ProgramName& each) {
        return std::any_of(
            each.expressions.begin(), each.expressions.end(), [&](const std::string& expression) {
                return normalized_name(expression) == wanted;
            });
    });
    search([&](const ProgramName& each) { return each.symbol == wanted; });
    search([&](const ProgramName& each) { return normalized_name(each.declaration) == wanted; });
    search([&](const ProgramName& each) { return normalized_name(each.qualified) == wanted; });
    return found;
}

std::vector<std::string> parameter_types(const std::string& symbol) {
    const std::string text = demangled(symbol);
    const std::size_t begin = find_parameters(text);
    std::vector<std::string> types;
    if (begin == std::string::npos || text.back() != ')') return types;
    std::string type;
    int depth = 0;
    for (const char letter : std::string_view(text).substr(begin + 1)) {
        if (depth == 0 && (letter == ',' || letter == ')')) {
            types.push_back(normalized_name(type));
            type.clear();
            if (letter == ')') break;
            continue;
        }
        if (letter == '<' || letter == '(' || letter == '[') ++depth;
        if (letter == '>' || letter == ')' || letter == ']') --depth;
        type += letter;
    }
    if (types.size() == 1 && types[0].empty()) types.clear();
    return types;
}

std::vector<std::string> declared_kernels(std::string_view text) {
    const TokenList list = tokenize(text);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < list.tokens.size(); ++k) {
        if (list.tokens[k].text != "__global__") continue;
        // The name precedes the first bracket that does not belong to an attribute.
        for (++k; k + 1 < list.tokens.size(); ++k) {
            const Token& token = list.tokens[k];
            if (token.text == ";" || token.text == "{") break;
            if (token.kind != TokenKind::identifier || list.tokens[k + 1].text != "(") continue;
            if (token.text.starts_with("__")) {  // __launch_bounds__(256), __cluster_dims__(2)
                int depth = 0;
                for (++k; k < list.tokens.size(); ++k) {
                    if (list.tokens[k].text == "(") ++depth;
                    if (list.tokens[k].text == ")" && --depth == 0) break;
                }
                continue;
            }
            std::string name(token.text);
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(std::move(name));
            break;
        }
    }
    return names;
}

std::string list_names(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    if (names.empty()) return "none";
    std::string text;
    for (std::size_t k = 0; k < names.size() && k < most; ++k)
        text += fmt::format("{}'{}'", k == 0 ? "" : ", ", names[k]);
    if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
    return text;
}

std::string suggest_name(std::string_view name, const std::vector<std::string>& names) {
    const std::vector<std::string_view> valid(names.begin(), names.end());
    const std::string_view nearest = nearest_name(name, valid);
    return nearest.empty() ? std::string() : fmt::format("\ndid you mean '{}'?", nearest);
}

}  // namespace kgen
