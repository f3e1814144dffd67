// SPDX-License-Identifier: MIT
#include "program/declared_parameters.hpp"

#include <algorithm>
#include <array>

#include "device/device_traits.hpp"
#include "program/host_raw_scan.hpp"
#include "signature/names.hpp"
#include "source/declared_names.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

using Tokens = std::vector<Token>;

bool opens(const Token& token) {
    return token.text == "(" || token.text == "[" || token.text == "{" || token.text == "<";
}
bool closes(const Token& token) {
    return token.text == ")" || token.text == "]" || token.text == "}" || token.text == ">";
}

// Returns the index of the token after the bracket that closes the one at k.
std::size_t behind_bracket(const Tokens& tokens, std::size_t k) {
    int depth = 0;
    for (; k < tokens.size(); ++k) {
        if (opens(tokens[k])) ++depth;
        if (closes(tokens[k]) && --depth <= 0) return k + 1;
    }
    return k;
}

// Removes attributes: [[maybe_unused]], alignas(8), __attribute__((aligned(8))).
Tokens without_attributes(const Tokens& tokens) {
    Tokens kept;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
        const std::string_view word = tokens[k].text;
        const bool has_brackets =
            word == "alignas" || word == "__align__" || word == "__attribute__";
        if (has_brackets && k + 1 < tokens.size()) {
            k = behind_bracket(tokens, k + 1) - 1;
        } else if (word == "[" && k + 1 < tokens.size() && tokens[k + 1].text == "[") {
            k = behind_bracket(tokens, k) - 1;
        } else {
            kept.push_back(tokens[k]);
        }
    }
    return kept;
}

// Whether the word may precede or follow a type name without being one.
bool is_beside_type(std::string_view word) {
    static constexpr std::array<std::string_view, 12> words = {"const",
                                                               "volatile",
                                                               "struct",
                                                               "class",
                                                               "union",
                                                               "enum",
                                                               "typename",
                                                               "register",
                                                               "__restrict__",
                                                               "__restrict",
                                                               "restrict",
                                                               "__grid_constant__"};
    return is_one_of(word, words);
}

// Returns the index of the parameter's name; tokens.size() if it has none.
std::size_t find_name(const Tokens& tokens) {
    const std::size_t none = tokens.size();
    const auto may_name = [&](std::size_t k) {
        return tokens[k].kind == TokenKind::identifier && !is_keyword(tokens[k].text) &&
               !is_beside_type(tokens[k].text);
    };
    // float (*x)[4], void (*f)(int): the name is the last word in the first brackets.
    for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
        if (tokens[k].text == "<") k = behind_bracket(tokens, k) - 1;
        if (k + 1 >= tokens.size() || tokens[k].text != "(") continue;
        const std::size_t last = behind_bracket(tokens, k) - 2;
        return last > k && last < none && may_name(last) ? last : none;
    }
    std::size_t end = tokens.size();
    for (std::size_t k = 0; k < tokens.size(); ++k) {
        if (tokens[k].text == "<") k = behind_bracket(tokens, k) - 1;
        if (k < tokens.size() && tokens[k].text == "[") {
            end = k;
            break;
        }
    }
    if (end < 2 || !may_name(end - 1) || tokens[end - 2].text == "::") return none;
    // The last word is a name only if a type precedes it: in `const Params x`, but not in `const Params`.
    const bool has_type = std::any_of(
        tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(end) - 1, [](const Token& t) {
            return t.kind == TokenKind::identifier && !is_beside_type(t.text);
        });
    return has_type ? end - 1 : none;
}

DeclaredParameter read_parameter(const Tokens& all) {
    const Tokens tokens = without_attributes(all);
    const std::size_t name = find_name(tokens);
    DeclaredParameter parameter;
    if (name < tokens.size()) parameter.name = tokens[name].text;
    bool had_extent = false;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
        if (k == name) continue;
        if (!parameter.type.empty()) parameter.type += ' ';
        // float x[] and float x[4] mean float*. After "(*x)" an extent belongs to the type that x points to.
        if (tokens[k].text == "[" && !had_extent) {
            had_extent = true;
            const bool is_last = behind_bracket(tokens, k) == tokens.size();
            if (is_last && k > 0 && tokens[k - 1].text != ")") {
                parameter.type += '*';
                break;
            }
        }
        parameter.type += tokens[k].text;
    }
    return parameter;
}

}  // namespace

std::vector<DeclaredParameter> read_parameter_list(std::string_view text) {
    const TokenList list = tokenize(text);
    std::vector<DeclaredParameter> parameters;
    Tokens each;
    int depth = 0;
    for (const Token& token : list.tokens) {
        if (opens(token)) ++depth;
        if (closes(token)) --depth;
        if (depth == 0 && token.text == ",") {
            parameters.push_back(read_parameter(each));
            each.clear();
        } else {
            each.push_back(token);
        }
    }
    const bool is_empty = each.empty() || (each.size() == 1 && each[0].text == "void");
    if (!parameters.empty() || !is_empty) parameters.push_back(read_parameter(each));
    return parameters;
}

std::string_view unqualified_name(std::string_view name) {
    name = name.substr(0, name.find_first_of("<("));
    const std::size_t last = name.rfind("::");
    if (last != std::string_view::npos) name.remove_prefix(last + 2);
    const std::size_t begin = name.find_first_not_of("& \t\n");
    if (begin == std::string_view::npos) return {};
    return name.substr(begin, name.find_last_not_of(" \t\n") + 1 - begin);
}

std::vector<DeclaredKernel> find_declared_kernels(const std::vector<UserText>& texts,
                                                  std::string_view name,
                                                  DeviceKind device,
                                                  const std::vector<std::string>& options) {
    static const auto* const cuda_macros =
        new std::vector<std::string>{"__CUDACC__", "__CUDACC_RTC__"};
    const bool is_cuda = traits(device).language == SourceLanguage::cuda;
    const auto& macros = is_cuda ? *cuda_macros : host_macros();
    const std::string_view wanted = unqualified_name(name);
    const auto has_word = [](std::string_view text, std::string_view word) {
        return !word.empty() && find_word(text, word) != std::string_view::npos;
    };
    std::vector<DeclaredKernel> found;
    MacroNames kernel_words;
    // Reads the main source (text 0) last, because it may use macros of the other texts.
    for (std::size_t k = texts.size(); k-- > 0;) {
        const std::string& text = texts[k].text;
        if (!has_word(text, wanted) && !has_word(text, "__global__")) continue;
        const TextPlace place = k == 0 ? TextPlace::source : TextPlace::header;
        const ScannedProgram scanned = scan_program(text, place, options, macros, kernel_words);
        kernel_words.insert(scanned.kernel_words.begin(), scanned.kernel_words.end());
        const auto take = [&](const std::vector<ScannedKernel>& kernels, bool is_template) {
            for (const ScannedKernel& each : kernels) {
                if (unqualified_name(each.name) != wanted) continue;
                found.push_back({each.name, is_template, read_parameter_list(each.parameters)});
            }
        };
        take(scanned.kernels, false);
        take(scanned.kernel_templates, true);
    }
    return found;
}

ParameterType read_declared_type(const DeclaredParameter& parameter,
                                 const std::vector<UserText>& texts,
                                 const std::vector<std::string>& options) {
    std::vector<std::string_view> all;
    for (const UserText& text : texts) all.push_back(text.text);
    return read_parameter_type(parameter.type, TypeSpelling::source, [&](std::string_view word) {
        return !find_declared_names(all, options, {word}).empty();
    });
}

}  // namespace kgen
