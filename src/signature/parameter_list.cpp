// SPDX-License-Identifier: MIT
#include "signature/parameter_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <kgen/error.hpp>
#include <kgen/suggestion.hpp>

#include "dtype/dtype_table.hpp"
#include "signature/names.hpp"
#include "text/error_parts.hpp"
#include "text/excerpt.hpp"

namespace kgen {

namespace {

struct Word {
    std::string_view text;
    std::size_t offset;
};

class ListParser {
public:
    ListParser(const std::string& kernel, std::string_view list, bool output)
        : kernel_(kernel), list_(list), output_(output) {}

    std::vector<Parameter> run() {
        std::vector<Parameter> parameters;
        if (split_words(0, list_.size()).empty()) return parameters;
        std::size_t begin = 0;
        while (true) {
            const std::size_t comma = std::min(list_.find(',', begin), list_.size());
            ++position_;
            parameters.push_back(read(begin, comma));
            if (comma == list_.size()) return parameters;
            begin = comma + 1;
        }
    }

private:
    std::string subject() const {
        return fmt::format("{} {}", output_ ? "output" : "input", position_);
    }

    [[noreturn]] void fail(const std::string& what,
                           std::size_t offset,
                           std::size_t length,
                           const std::string& remedy = {}) const {
        refuse<SignatureError>({ErrorKind::syntax,
                                output_ ? "outputs" : "inputs",
                                {},
                                std::string(list_.substr(offset, length))},
                               "kernel '{}': {}{}{}{}",
                               kernel_,
                               what,
                               excerpt(list_, offset, length),
                               remedy.empty() ? "" : "\n",
                               remedy);
    }

    std::vector<Word> split_words(std::size_t begin, std::size_t end) const {
        std::vector<Word> words;
        std::size_t at = begin;
        while (at < end) {
            if (std::isspace(static_cast<unsigned char>(list_[at])) != 0) {
                ++at;
                continue;
            }
            std::size_t stop = at;
            while (stop < end && std::isspace(static_cast<unsigned char>(list_[stop])) == 0) ++stop;
            words.push_back({list_.substr(at, stop - at), at});
            at = stop;
        }
        return words;
    }

    Parameter read(std::size_t begin, std::size_t end) const {
        std::vector<Word> words = split_words(begin, end);
        if (words.empty()) fail(subject() + " is empty", begin, end - begin);
        if (words.size() == 1) {
            fail(subject() + " has no name: expected 'TYPE NAME'",
                 words[0].offset,
                 words[0].text.size());
        }
        Parameter parameter;
        parameter.output = output_;
        parameter.written = output_;
        const std::size_t first = read_qualifiers(words, parameter);
        const Word& name = words.back();
        parameter.name = read_name(name);
        read_type(words, first, parameter);
        return parameter;
    }

    // Returns the index of the first word that is not a qualifier.
    std::size_t read_qualifiers(const std::vector<Word>& words, Parameter& parameter) const {
        bool is_const = false;
        bool non_const = false;
        std::size_t k = 0;
        for (; k + 1 < words.size(); ++k) {
            const Word& word = words[k];
            bool* flag = word.text == "raw"          ? &parameter.raw
                         : word.text == "const"      ? &is_const
                         : word.text == "_non_const" ? &non_const
                                                     : nullptr;
            if (flag == nullptr) break;
            if (*flag) {
                fail(fmt::format("'{}' is given twice in {}", word.text, subject()),
                     word.offset,
                     word.text.size());
            }
            *flag = true;
            if (is_const && output_) {
                fail(subject() + " is const, but outputs are written",
                     word.offset,
                     word.text.size(),
                     "remove 'const', or make it an input");
            }
            if (is_const && non_const) {
                fail(subject() + " is both const and _non_const", word.offset, word.text.size());
            }
        }
        if (non_const) parameter.written = true;
        if (k + 1 == words.size()) {
            fail(subject() + " has no type: expected 'TYPE NAME'",
                 words[k].offset,
                 words[k].text.size());
        }
        return k;
    }

    std::string read_name(const Word& word) const {
        const std::string_view name = word.text;
        const auto refuse = [&](const std::string& what) { fail(what, word.offset, name.size()); };
        if (!is_identifier(name)) {
            refuse(fmt::format("'{}' in {} is not an identifier", printable(name), subject()));
        }
        if (name.size() > longest_name) {
            refuse(fmt::format("the name of {} has {} letters, at most {} are allowed",
                               subject(),
                               name.size(),
                               longest_name));
        }
        if (name == "i") refuse("parameter name 'i' is reserved for the element index");
        for (const std::string_view prefix : {"kgen_", "KGEN_"}) {
            if (!name.starts_with(prefix)) continue;
            refuse(fmt::format(
                "parameter name '{}' is reserved: names that begin with '{}' belong to kgen",
                name,
                prefix));
        }
        if (is_keyword(name) && !is_later_keyword(name))
            refuse(fmt::format("parameter name '{}' is a keyword of C++", name));
        return std::string(name);
    }

    void read_type(const std::vector<Word>& words, std::size_t first, Parameter& parameter) const {
        const std::size_t begin = words[first].offset;
        const Word& last = words[words.size() - 2];
        const std::size_t length = last.offset + last.text.size() - begin;
        std::string type;
        for (std::size_t k = first; k + 1 < words.size(); ++k) {
            if (!type.empty()) type += ' ';
            type += words[k].text;
        }
        if (type.size() == 1 && std::isalpha(static_cast<unsigned char>(type[0])) != 0) {
            if (type == "i")
                fail("placeholder 'i' is reserved for the element index", begin, length);
            parameter.placeholder = type[0];
            return;
        }
        parameter.dtype = parse_dtype(type);
        if (parameter.dtype) return;
        if (const std::optional<DType> swapped = parse_big_endian(type)) {
            fail(fmt::format(
                     "type '{}' in {} is big-endian, and arrays have the machine's byte order",
                     type,
                     subject()),
                 begin,
                 length,
                 fmt::format("write '{}'", to_text(*swapped)));
        }
        for (const Word& word : words) {
            const std::size_t semicolon = word.text.find(';');
            if (semicolon == std::string_view::npos) continue;
            fail(fmt::format("there is a ';' in {}", subject()),
                 word.offset + semicolon,
                 1,
                 "parameters are separated by ','");
        }
        const std::vector<std::string_view> names = dtype_names();
        const std::string_view first_word = words[first].text;
        const bool ends_in_type = last.text.size() == 1 || parse_dtype(last.text);
        if (words.size() - first > 2 && ends_in_type) {
            static constexpr std::string_view qualifiers[] = {"raw", "const", "_non_const"};
            const std::string_view meant = nearest_name(first_word, qualifiers);
            fail(fmt::format("unknown qualifier '{}' in {}", printable(first_word), subject()),
                 begin,
                 first_word.size(),
                 meant.empty() ? "expected raw, const or _non_const"
                               : fmt::format("did you mean '{}'?", meant));
        }
        const std::string_view meant = nearest_name(type, names);
        fail(fmt::format("unknown type '{}' in {}", printable(type), subject()),
             begin,
             length,
             meant.empty() ? "expected one letter or one of " + numpy_names()
                           : fmt::format("did you mean '{}'?", meant));
    }

    static std::string numpy_names() {
        std::string list;
        for (const DType dtype : all_dtypes) {
            list += (list.empty() ? "" : ", ") + std::string(to_text(dtype));
        }
        return list;
    }

    const std::string& kernel_;
    std::string_view list_;
    bool output_;
    int position_ = 0;
};

}  // namespace

std::vector<Parameter> parse_parameters(const std::string& kernel,
                                        std::string_view list,
                                        ParameterRole role) {
    return ListParser(kernel, list, role == ParameterRole::output).run();
}

}  // namespace kgen
