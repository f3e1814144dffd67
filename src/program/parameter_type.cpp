// SPDX-License-Identifier: MIT
#include "program/parameter_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <vector>

#include "dtype/dtype_table.hpp"
#include "program/base_type.hpp"
#include "signature/token.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

using Form = ParameterType::Form;
// Words in the declaration of a parameter that do not affect which arguments it accepts.
constexpr std::array<std::string_view, 10> empty_words = {"__restrict__",
                                                          "__restrict",
                                                          "restrict",
                                                          "__grid_constant__",
                                                          "__device__",
                                                          "register",
                                                          "typename",
                                                          "struct",
                                                          "class",
                                                          "enum"};
constexpr std::array<std::string_view, 15> built_in_words = {"bool",
                                                             "char",
                                                             "wchar_t",
                                                             "char8_t",
                                                             "char16_t",
                                                             "char32_t",
                                                             "short",
                                                             "int",
                                                             "long",
                                                             "signed",
                                                             "unsigned",
                                                             "float",
                                                             "double",
                                                             "void",
                                                             "__int128"};

std::string joined(TokenSpan tokens) {
    std::string text;
    for (const Token& token : tokens) {
        const bool parts = !text.empty() && (text.back() == ',' ||
                                             (is_word(text.back()) && is_word(token.text.front())));
        if (parts) text += ' ';
        text += token.text;
    }
    return text;
}

class TypeReader {
public:
    TypeReader(TokenSpan tokens,
               TypeSpelling spelling,
               const std::function<bool(std::string_view)>& is_redefined)
        : tokens_(tokens), spelling_(spelling), is_redefined_(is_redefined) {}

    ParameterType read() {
        ParameterType unknown;
        unknown.text = joined(tokens_);
        const std::optional<BaseType> base = read_base();
        if (!base || !read_declarator()) return unknown;
        return make(*base);
    }

private:
    bool at_end() const { return at_ == tokens_.size(); }
    std::string_view text() const { return at_end() ? std::string_view() : tokens_[at_].text; }
    bool is_identifier() const { return !at_end() && tokens_[at_].kind == TokenKind::identifier; }
    bool is_known(std::string_view word) const { return !is_redefined_ || !is_redefined_(word); }

    // Returns the index of the token after the '>' that closes the current '<'.
    std::size_t behind_angles() const {
        int depth = 0;
        for (std::size_t k = at_; k < tokens_.size(); ++k) {
            const std::string_view word = tokens_[k].text;
            if (word == "<" || word == "(" || word == "{") ++depth;
            if ((word == ">" || word == ")" || word == "}") && --depth == 0) return k + 1;
        }
        return tokens_.size();
    }

    std::optional<BaseType> read_base() {
        std::vector<std::string_view> words;
        std::optional<BaseType> named;
        for (; is_identifier() || text() == "::";) {
            const std::string_view word = text();
            if (word == "const" || word == "volatile") {
                (word == "const" ? is_const_ : is_volatile_) = true;
                ++at_;
            } else if (is_one_of(word, empty_words)) {
                ++at_;
            } else if (is_one_of(word, built_in_words) && is_known(word)) {
                words.push_back(word);
                ++at_;
            } else if (named) {
                return std::nullopt;  // probably a macro
            } else {
                named = read_name();
            }
        }
        if (named && !words.empty()) return std::nullopt;
        return named || words.empty() ? named : built_in_type(words);
    }

    // Reads ns::name<arguments>::name.
    BaseType read_name() {
        const std::size_t begin = at_;
        std::size_t last = at_;  // the word after the last "::"
        TokenSpan arguments;
        while (is_identifier() || text() == "::") {
            if (is_identifier()) last = at_;
            ++at_;
            if (text() == "<") {
                const std::size_t end = behind_angles();
                arguments = tokens_.subspan(at_ + 1, end - std::min(end, at_ + 2));
                at_ = end;
            }
            if (text() != "::" && tokens_[at_ - 1].text != "::") break;
        }
        const TokenSpan all = tokens_.subspan(begin, at_ - begin);
        BaseType unknown{.text = joined(all)};
        if (!arguments.empty()) {
            const std::string scope = joined(tokens_.subspan(begin, last - begin));
            return template_type(scope, tokens_[last].text, arguments).value_or(unknown);
        }
        const std::string& name = unknown.text;
        if (is_known(name)) {
            if (auto type = vector_type(name)) return *type;
            if (auto type = header_type(name)) return *type;
            if (spelling_ == TypeSpelling::source) {
                if (auto type = source_type(name)) return *type;
            }
        }
        may_be_alias_ = spelling_ == TypeSpelling::source;
        return unknown;
    }

    std::optional<BaseType> template_type(const std::string& scope,
                                          std::string_view name,
                                          TokenSpan arguments) {
        if (spelling_ == TypeSpelling::source) may_be_alias_ = true;
        if (scope == "kgen::" && name == "array") return read_view(arguments);
        if ((name != "complex" && name != "kgen_complex") || !is_known(name)) return std::nullopt;
        const std::string part = joined(arguments);
        if (part != "float" && part != "double") return std::nullopt;
        BaseType type = part == "float" ? number_type("", DType::complex64)
                                        : number_type("", DType::complex128);
        type.text = name == "kgen_complex" ? std::string(to_text(*type.number))
                                           : fmt::format("{}complex<{}>", scope, part);
        const bool is_aligned =
            scope.starts_with("thrust::") || scope.starts_with("cuda::") || name == "kgen_complex";
        if (!is_aligned) type.alignment /= 2;  // like std::complex and most user-defined classes
        return type;
    }

    // Reads T and rank of kgen::array<T, rank>. Returns the type of an element.
    std::optional<BaseType> read_view(TokenSpan arguments) {
        std::size_t comma = arguments.size();
        int depth = 0;
        for (std::size_t k = 0; k < arguments.size(); ++k) {
            const std::string_view word = arguments[k].text;
            if (word == "<" || word == "(") ++depth;
            if (word == ">" || word == ")") --depth;
            if (word == "," && depth == 0) comma = k;
        }
        if (comma + 2 != arguments.size()) return std::nullopt;
        const std::string_view rank = arguments[comma + 1].text;
        const auto read = std::from_chars(rank.data(), rank.data() + rank.size(), rank_);
        if (read.ec != std::errc() || rank_ < 0 || rank_ > 127) return std::nullopt;
        if (is_element_) return std::nullopt;  // views of views are not described
        TypeReader element(arguments.subspan(0, comma), spelling_, is_redefined_);
        element.is_element_ = true;
        std::optional<BaseType> base = element.read_base();
        if (!base || !element.read_declarator()) return std::nullopt;
        is_view_ = true;
        is_const_ = element.levels_.empty() ? element.is_const_ : element.levels_.back();
        may_be_alias_ = element.may_be_alias_;
        std::string text = element.full_text(*base);
        if (!element.levels_.empty()) base = element.pointer_element();
        base->text = fmt::format("kgen::array<{}, {}>", text, rank_);
        if (base->bytes != 0) keep_size(base->elements, base->bytes);
        return base;
    }

    static void keep_size(DTypeSet& elements, std::size_t bytes) {
        for (const DType dtype : all_dtypes) {
            if (item_size(dtype) != bytes) elements.remove(dtype);
        }
    }

    // Reads pointers and references after the base type. Returns false for others, such as functions.
    bool read_declarator() {
        bool is_array = false;
        if (text() == "(") {  // float (*)[4]
            ++at_;
            if (text() != "*" && text() != "&") return false;
            read_stars();
            if (text() != ")") return false;
            ++at_;
            if (text() != "[") return false;
            is_array = true;
        } else {
            read_stars();
        }
        while (is_array && text() == "[") {
            while (!at_end() && text() != "]") ++at_;
            if (!at_end()) ++at_;
        }
        if (is_array) array_text_ = joined(tokens_);
        return at_end();
    }

    void read_stars() {
        for (; !at_end(); ++at_) {
            if (text() == "*" || text() == "&" || text() == "&&") {
                levels_.push_back(false);
                is_reference_ = text() != "*";
            } else if (text() == "const" && !levels_.empty()) {
                levels_.back() = true;
            } else if (text() != "volatile" && !is_one_of(text(), empty_words)) {
                return;
            }
        }
    }

    // Returns the element type of a pointer to pointers: an integer array holds the addresses.
    static BaseType pointer_element() {
        return {"", {DType::int64, DType::uint64}, sizeof(void*), alignof(void*), std::nullopt};
    }

    std::string full_text(const BaseType& base) const {
        if (!array_text_.empty()) return array_text_;
        std::string text = is_view_ || !is_const_ ? base.text : "const " + base.text;
        if (is_volatile_) text = "volatile " + text;
        for (std::size_t k = 0; k < levels_.size(); ++k) {
            text += is_reference_ && k + 1 == levels_.size() ? '&' : '*';
            if (levels_[k] && k + 1 < levels_.size()) text += " const";
        }
        return text;
    }

    ParameterType make(BaseType base) const {
        ParameterType type;
        type.text = full_text(base);
        bool is_read = is_const_;
        if (is_view_ && levels_.empty()) {
            type.form = Form::view;
            type.rank = static_cast<std::int8_t>(rank_);
        } else if (levels_.empty()) {
            type.number = base.number;
            if (base.number) type.form = Form::number;
            return type;
        } else {
            type.form = Form::pointer;
            if (levels_.size() > 1) {
                is_read = levels_[levels_.size() - 2];
                base = pointer_element();
            } else if (is_view_) {
                base = {};  // a view in memory
                is_read = false;
            }
        }
        type.elements = base.elements;
        // If every dtype is accepted, every alignment is too.
        if (base.elements == DTypeSet::all()) base.alignment = 1;
        type.alignment = static_cast<std::uint8_t>(base.alignment);
        if (is_read) {
            type.use = MemoryUse::reads;
        } else if (!may_be_alias_) {
            type.use = MemoryUse::writes;
        }
        return type;
    }

    TokenSpan tokens_;
    TypeSpelling spelling_;
    const std::function<bool(std::string_view)>& is_redefined_;
    std::size_t at_ = 0;
    bool is_const_ = false;
    bool is_volatile_ = false;
    bool may_be_alias_ = false;  // the base may be an alias of a const type
    bool is_element_ = false;    // reads the element type of a view
    bool is_view_ = false;
    bool is_reference_ = false;  // the last level is a reference
    int rank_ = 0;
    std::vector<bool> levels_;  // for each pointer or reference: whether it is const itself
    std::string array_text_;
};

}  // namespace

ParameterType read_parameter_type(std::string_view text,
                                  TypeSpelling spelling,
                                  const std::function<bool(std::string_view)>& is_redefined) {
    std::string plain(text);
    for (const std::string_view scope :
         {"(anonymous namespace)::", "{anonymous}::", "<unnamed>::"}) {
        for (std::size_t at; (at = plain.find(scope)) != std::string::npos;)
            plain.erase(at, scope.size());
    }
    const TokenList list = tokenize(plain);
    return TypeReader(list.tokens, spelling, is_redefined).read();
}

}  // namespace kgen
