// SPDX-License-Identifier: MIT
#include "source/taken_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <embedded/prelude.hpp>

#include "dtype/dtype_table.hpp"
#include "signature/lexed_definition.hpp"
#include "signature/random_names.hpp"
#include "source/declared_names.hpp"
#include "text/list.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

using Words = std::vector<std::string_view>;

// Classes that generated text names.
constexpr std::array<std::string_view, 3> class_types = {"float16", "bfloat16", "complex"};
// An integer type of the prelude, and the words that declare it there, sorted.
struct IntegerType {
    std::string_view name, declaration;
};
constexpr std::array<IntegerType, 10> integer_types = {{{"int8_t", "char signed"},
                                                        {"int16_t", "short"},
                                                        {"int32_t", "int"},
                                                        {"int64_t", "long long"},
                                                        {"uint8_t", "char unsigned"},
                                                        {"uint16_t", "short unsigned"},
                                                        {"uint32_t", "unsigned"},
                                                        {"uint64_t", "long long unsigned"},
                                                        {"intptr_t", "long long"},
                                                        {"uintptr_t", "long long unsigned"}}};

// Returns the macros of the prelude whose names do not begin with KGEN_.
const std::set<std::string_view>& prelude_macros() {
    static const std::set<std::string_view> names = [] {
        std::set<std::string_view> found;
        constexpr std::string_view define = "#define ";
        for (std::string_view text :
             {embedded::standard_names_host_cuh, embedded::math_constants_cuh}) {
            for (std::size_t at; (at = text.find(define)) != text.npos;) {
                text.remove_prefix(at + define.size());
                found.insert(text.substr(0, text.find(' ')));
            }
        }
        return found;
    }();
    return names;
}

const IntegerType* find_integer(std::string_view name) {
    if (!name.ends_with("_t")) return nullptr;
    const auto* found = std::find_if(integer_types.begin(),
                                     integer_types.end(),
                                     [&](const IntegerType& type) { return type.name == name; });
    return found != integer_types.end() ? found : nullptr;
}

// Returns the name as the prelude's tables hold it, or nothing if the prelude has no such name.
std::string_view prelude_name(std::string_view word) {
    const auto* type = std::find(class_types.begin(), class_types.end(), word);
    if (type != class_types.end()) return *type;
    if (word == "thrust") return "thrust";
    if (const IntegerType* integer = find_integer(word)) return integer->name;
    if (word.find('_') == word.npos) return {};
    const auto* function = std::find(random_names.begin(), random_names.end(), word);
    if (function != random_names.end()) return *function;
    const auto macro = prelude_macros().find(word);
    return macro != prelude_macros().end() ? *macro : std::string_view();
}

// Whether the words from a typedef to a name declare the type as the prelude does.
bool is_prelude_type(const Words& words, const IntegerType& type) {
    std::vector<std::string_view> sorted = words;
    std::sort(sorted.begin(), sorted.end());
    const bool is_char = std::count(sorted.begin(), sorted.end(), "char") != 0;
    const bool has_other = std::any_of(sorted.begin(), sorted.end(), [](std::string_view word) {
        return word != "int" && word != "signed";
    });
    std::string declaration;
    for (const std::string_view word : sorted) {
        if ((word == "signed" && !is_char) || (word == "int" && has_other)) continue;
        declaration += fmt::format("{}{}", declaration.empty() ? "" : " ", word);
    }
    return (declaration.empty() ? "int" : declaration) == type.declaration;
}

// Splits the beginning of a text into words, up to the first character that is neither in a word nor a space.
Words leading_words(std::string_view text) {
    Words words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
        if (begin == text.npos || !is_word(text[begin])) break;
        for (at = begin; at < text.size() && is_word(text[at]);) ++at;
        words.push_back(text.substr(begin, at - begin));
    }
    return words;
}

// Whether the name, which stands before `rest` and after `words` of its statement, may be declared there as
// another type than the prelude's.
bool may_redeclare(const IntegerType& type, const Words& words, std::string_view rest) {
    static constexpr std::array<std::string_view, 5> heads = {
        "struct", "class", "union", "enum", "define"};
    if (words.empty()) return false;
    const std::string_view before = words.back();
    if (is_one_of(before, heads)) return true;
    const std::size_t next = rest.find_first_not_of(" \t\r\n");
    if (next == rest.npos) return false;
    if (before == "using")
        return rest[next] == '=' && !is_prelude_type(leading_words(rest.substr(next + 1)), type);
    const auto typed = std::find(words.rbegin(), words.rend(), "typedef");
    const bool ends = rest[next] == ';' || rest[next] == ',' || rest[next] == '[';
    return typed != words.rend() && ends && !is_prelude_type({typed.base(), words.end()}, type);
}

// Adds the prelude's names that a text may declare. Reads the text in one pass, because headers may be long.
void add_candidates(std::string_view text, std::set<std::string_view>& found) {
    Words words;  // of the statement so far
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word(text[at])) {
            if (text[at] == ';' || text[at] == '{' || text[at] == '}') words.clear();
            ++at;
            continue;
        }
        const std::size_t begin = at;
        while (at < text.size() && is_word(text[at])) ++at;
        const std::string_view word = text.substr(begin, at - begin);
        const std::string_view name = prelude_name(word);
        const IntegerType* integer = find_integer(name);
        if (!name.empty() &&
            (integer == nullptr || may_redeclare(*integer, words, text.substr(at))))
            found.insert(name);
        words.push_back(word);
    }
}

}  // namespace

std::string TakenNames::type_name(DType dtype) const {
    const std::string_view name = cpp_name(dtype);
    return fmt::format("{}{}", has(name.substr(0, name.find('<'))) ? "kgen_" : "", name);
}

std::string TakenNames::rename(const std::string& sections, DTypeSet dtypes) const {
    if (sections.empty() || (types.empty() && macros.empty())) return sections;
    std::string before, after;
    for (const std::string_view name : types) {
        before += fmt::format("#undef {0}\n#define {0} kgen_{0}\n", name);
        after += fmt::format("#undef {}\n", name);
    }
    for (const std::string_view name : macros) {
        before += fmt::format("#undef {}\n", name);
        after += fmt::format("#undef {}\n", name);
    }
    if (dtypes.has(DType::complex64) || dtypes.has(DType::complex128)) {
        constexpr std::string_view alias = "template <class T> using complex = ::kgen_complex<T>;";
        if (is_parameter("complex")) after += fmt::format("{}\n", alias);
        if (has("complex") && !has("thrust"))
            after += fmt::format("namespace thrust {{ {} }}\n", alias);
    }
    for (const MacroOption& option : options) {
        if (option.is_defined)
            after += fmt::format("#define {}{} {}\n", option.name, option.parameters, option.value);
    }
    return before + sections + after;
}

TakenNames find_taken_names(const Signature& signature, const std::vector<UserText>& headers) {
    const Definition& definition = signature.definition();
    std::set<std::string_view> candidates;
    std::vector<std::string_view> texts = {definition.preamble};
    for (const UserText& header : headers) texts.push_back(header.text);
    for (const std::string_view text : texts) add_candidates(text, candidates);
    for (const MacroOption& macro : macro_options(definition.options)) {
        const std::string_view name = prelude_name(macro.name);
        if (!name.empty()) candidates.insert(name);
    }
    TakenNames taken;
    const auto add = [&](std::string_view name) {
        (prelude_macros().count(name) != 0 ? taken.macros : taken.types).insert(name);
    };
    if (!candidates.empty()) {
        const std::vector<std::string_view> names(candidates.begin(), candidates.end());
        for (const std::string_view name : find_declared_names(texts, definition.options, names))
            add(name);
    }
    for (const Parameter& parameter : signature.parameters) {
        // Generated text names no integer type, and a parameter hides the names of functions and namespaces.
        const std::string_view name = prelude_name(parameter.name);
        if (name.empty() || name == "thrust" || find_integer(name) != nullptr ||
            is_one_of(name, random_names))
            continue;
        if (is_one_of(name, class_types) && !taken.has(name)) taken.parameters.insert(name);
        add(name);
    }
    for (const MacroOption& macro : macro_options(definition.options)) {
        const std::string_view name = prelude_name(macro.name);
        if (taken.has(name) || taken.macros.count(name) != 0) {
            std::erase_if(taken.options,
                          [&](const MacroOption& each) { return each.name == name; });
            taken.options.push_back(macro);
        }
    }
    return taken;
}

}  // namespace kgen
