// SPDX-License-Identifier: MIT
#include "source/prelude.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <embedded/prelude.hpp>
#include <set>
#include <string_view>

#include "device/device_traits.hpp"
#include "dtype/dtype_table.hpp"
#include "signature/lexed_definition.hpp"
#include "signature/names.hpp"
#include "signature/random_names.hpp"
#include "source/dtype_names_used.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

// Prefixes of names that begin with two underscores but are not intrinsics. Other sections declare these
// names.
constexpr std::array<std::string_view, 12> other_underscored = {"__sync",
                                                                "__shfl",
                                                                "__ballot",
                                                                "__any",
                                                                "__all",
                                                                "__activemask",
                                                                "__match",
                                                                "__reduce",
                                                                "__ld",
                                                                "__st",
                                                                "__threadfence",
                                                                "__restrict"};

// The set of identifiers that the user's texts mention.
class Mentions {
public:
    explicit Mentions(const LexedDefinition& lexed) : files_(lexed.includes_files) {
        for (const LexedText& each : lexed.texts) collect(*each.text, each.tokens);
        for (std::size_t k = 0; k < lexed.options.size(); ++k)
            collect(lexed.definition.options[k], lexed.options[k]);
    }
    explicit Mentions(const std::vector<std::string_view>& texts) {
        for (const std::string_view text : texts) collect(text, tokenize(text).tokens);
    }

    bool word(std::string_view name) const { return words_.count(name) != 0; }
    bool prefix(std::string_view start) const {
        const auto at = words_.lower_bound(start);
        return at != words_.end() && at->substr(0, start.size()) == start;
    }
    template <std::size_t count>
    bool any_word(const std::array<std::string_view, count>& names) const {
        return std::any_of(
            names.begin(), names.end(), [&](std::string_view name) { return word(name); });
    }
    template <std::size_t count>
    bool any_prefix(const std::array<std::string_view, count>& starts) const {
        return std::any_of(
            starts.begin(), starts.end(), [&](std::string_view start) { return prefix(start); });
    }
    // Returns whether the texts mention a name such as __expf. It begins with two underscores and does not
    // end with two.
    bool intrinsic() const {
        return std::any_of(words_.lower_bound("__"), words_.end(), [](std::string_view word) {
            return word.starts_with("__") && !word.ends_with("__") &&
                   !starts_with_one_of(word, other_underscored);
        });
    }
    // Returns whether the texts may call a function: a name precedes a '(', or a text defines a macro.
    bool call() const { return call_; }
    // Returns whether the texts include files. Such files may mention any name.
    bool files() const { return files_; }

private:
    void collect(std::string_view text, const std::vector<Token>& tokens) {
        for (std::size_t k = 0; k < tokens.size(); ++k) {
            if (tokens[k].kind != TokenKind::identifier) continue;
            words_.insert(tokens[k].text);
            const bool before_bracket = k + 1 < tokens.size() && tokens[k + 1].text == "(";
            if (before_bracket && !is_keyword(tokens[k].text)) call_ = true;
        }
        // A macro may name a function that is called where the macro is used.
        if (text.find("#define") != std::string_view::npos) call_ = true;
    }

    std::set<std::string_view> words_;
    bool call_ = false;
    bool files_ = false;
};

constexpr std::array<std::string_view, 10> base_words = {"int8_t",
                                                         "int16_t",
                                                         "int32_t",
                                                         "int64_t",
                                                         "uint8_t",
                                                         "uint16_t",
                                                         "uint32_t",
                                                         "uint64_t",
                                                         "intptr_t",
                                                         "uintptr_t"};
constexpr std::array<std::string_view, 4> base_prefixes = {"M_", "FLT_", "DBL_", "CUDART_"};
constexpr std::array<std::string_view, 8> special_prefixes = {
    "erfinv", "erfcinv", "erfcx", "normcdf", "cyl_bessel_", "norm", "rnorm", "rhypot"};
// Prefixes of the names of functions that kgen takes from libmvec. They match longer names too, such as `sinf` and
// `sinpi`.
constexpr std::array<std::string_view, 6> vector_math_prefixes = {
    "cos", "sin", "pow", "__cos", "__sin", "__pow"};
constexpr std::array<std::string_view, 2> extreme_words = {"kgen_maximum", "kgen_minimum"};
constexpr std::array<std::string_view, 3> tan_words = {"tan", "tanf", "__tanf"};
// Prefixes of the names of functions that are inline code, which loops vectorise.
constexpr std::array<std::string_view, 17> own_function_prefixes = {"acos",
                                                                    "asin",
                                                                    "atan",
                                                                    "cbrt",
                                                                    "cosh",
                                                                    "erf",
                                                                    "exp",
                                                                    "hypot",
                                                                    "log",
                                                                    "pow",
                                                                    "rcbrt",
                                                                    "sinh",
                                                                    "tanh",
                                                                    "__exp",
                                                                    "__log",
                                                                    "__pow",
                                                                    "__tanh"};
constexpr std::array<std::string_view, 8> intrinsic_prefixes = {
    "__", "clock", "umin", "umax", "llmin", "llmax", "ull", "mul"};
constexpr std::array<std::string_view, 6> raw_intrinsic_prefixes = {
    "clock", "umin", "umax", "llmin", "llmax", "ull"};
constexpr std::array<std::string_view, 12> vector_types = {"char",
                                                           "uchar",
                                                           "short",
                                                           "ushort",
                                                           "int",
                                                           "uint",
                                                           "long",
                                                           "ulong",
                                                           "longlong",
                                                           "ulonglong",
                                                           "float",
                                                           "double"};

// Returns whether the texts mention a vector type or a function that makes one, such as float4 or make_int2.
// The name of a vector type ends in a digit from 1 to 4, and no dtype has such a name.
bool mentions_vector_type(const Mentions& mentions) {
    if (mentions.prefix("make_")) return true;
    for (const std::string_view type : vector_types) {
        for (const char digit : {'1', '2', '3', '4'}) {
            if (mentions.word(std::string(type) + digit)) return true;
        }
    }
    return false;
}

void append_section(std::string& text, std::string_view section) {
    constexpr std::string_view licence = "// SPDX-License-Identifier: MIT\n";
    if (section.substr(0, licence.size()) == licence) section.remove_prefix(licence.size());
    text += section;
}

DTypeSet named_dtypes(const Definition& definition,
                      const Mentions& mentions,
                      const std::vector<UserText>& headers) {
    DTypeSet mentioned;
    for (int k = 0; k < dtype_count; ++k) {
        const auto dtype = static_cast<DType>(k);
        if (mentions.word(to_text(dtype))) mentioned.add(dtype);
    }
    std::vector<std::string_view> texts;
    for (const UserText& header : headers) texts.push_back(header.text);
    std::vector<std::string_view> declaring = texts;
    declaring.push_back(definition.preamble);
    return find_dtype_names(texts, declaring, definition.options, mentioned);
}

// Returns the sections of the dtypes that are classes.
std::string class_sections(DTypeSet dtypes, bool functions_of_complex) {
    std::string text;
    for (const DType dtype : all_dtypes) {
        if (dtypes.has(dtype) && is_narrow_float(dtype))
            append_section(
                text, find_file(embedded::prelude, fmt::format("{}.cuh", to_text(dtype)))->text);
    }
    if (!text.empty()) append_section(text, embedded::narrow_float_cuh);
    if (dtypes.has(DType::complex64) || dtypes.has(DType::complex128)) {
        append_section(text, embedded::complex_cuh);
        if (functions_of_complex) append_section(text, embedded::complex_functions_cuh);
    }
    return text;
}

bool has_classes(DTypeSet dtypes) {
    return !class_sections(dtypes, false).empty();
}

// Returns the types of a raw program. The names in their sections are renamed so that they begin with kgen_.
std::string named_types(DTypeSet named) {
    std::string text;
    if (has_classes(named)) {
        // The macros rename the names. They are undefined again after the sections.
        std::vector<std::string> names;
        for (const DType dtype : all_dtypes) {
            if (is_narrow_float(dtype)) names.emplace_back(cpp_name(dtype));
        }
        names.insert(names.end(), {"complex", "thrust"});
        for (const std::string& name : names) text += fmt::format("#define {0} kgen_{0}\n", name);
        std::string_view rest = embedded::standard_names_host_cuh;  // macros such as M_PI
        for (std::size_t at; (at = rest.find("#define ")) != std::string_view::npos;) {
            const std::string_view line = rest.substr(at, rest.find('\n', at) - at);
            names.emplace_back(line.substr(8, line.find(' ', 8) - 8));
            text.append(line).append("\n");
            rest.remove_prefix(at + line.size());
        }
        text += class_sections(named, true);
        for (const std::string& name : names) text += fmt::format("#undef {}\n", name);
    }
    return text + dtype_aliases(named, [](DType dtype) {
               const bool is_class = is_narrow_float(dtype) || kind_of(dtype) == DTypeKind::complex;
               return (is_class ? "kgen_" : "") + std::string(cpp_name(dtype));
           });
}

}  // namespace

std::string select_prelude(const Signature& signature,
                           const TypeBinding& types,
                           const Baked& baked,
                           const std::vector<UserText>& headers,
                           const TakenNames& taken) {
    const Mentions mentions(*signature.lexed);
    const DTypeSet named = named_dtypes(signature.definition(), mentions, headers);
    DTypeSet used = named;
    for (const DType dtype : types.dtypes) used.add(dtype);
    if (mentions.word("complex") && (!taken.has("complex") || taken.is_parameter("complex")))
        used.add(DType::complex64);
    const std::string classes = class_sections(used, mentions.call());
    const bool has_class = !classes.empty();
    const bool host = traits(baked.device).language == SourceLanguage::cpp;
    const bool atomics = mentions.prefix("atomic") || mentions.prefix("__threadfence");
    const bool narrow_index = host && baked.narrow_index;
    bool viewed = signature.facts.indexer || narrow_index || baked.output_rank > 0 ||
                  mentions.word("_in_ind") || mentions.word("_out_ind");
    bool wraps = false;
    for (std::size_t k = 0; k < baked.operands.size(); ++k) {
        viewed = viewed || baked.operands[k].viewed || signature.parameters[k].raw;
        wraps = wraps || baked.operands[k].view_wraps;
    }
    const bool files = mentions.files();
    const bool intrinsics = host && (files || mentions.any_prefix(intrinsic_prefixes));
    const bool special = host && (files || mentions.any_prefix(special_prefixes));
    const bool math = host && (mentions.call() || has_class || atomics || intrinsics || special);
    const bool extremes = mentions.any_word(extreme_words);
    const bool quotient = mentions.word("kgen_quotient");
    const bool random = mentions.any_word(random_names) ||
                        std::any_of(headers.begin(), headers.end(), [](const UserText& header) {
                            return names_random_function(header.text);
                        });
    const bool base = host || extremes || quotient || random || has_class || atomics || viewed ||
                      files || mentions.any_word(base_words) || mentions.any_prefix(base_prefixes);

    const bool tan = mentions.any_word(tan_words);

    struct Section {
        bool needed;
        std::string_view text;
    };
    const Section sections[] = {
        {base && !host, embedded::base_cuda_cuh},
        {base && host, embedded::base_host_cuh},
        {base && host, embedded::standard_names_host_cuh},
        {math && (files || special || mentions.any_prefix(own_function_prefixes)),
         embedded::own_functions_host_cuh},
        {math && (tan || mentions.any_prefix(vector_math_prefixes)),
         embedded::vector_math_host_cuh},
        {math && tan, embedded::vector_tan_host_cuh},
        {math, embedded::math_host_cuh},
        {special, embedded::special_host_cuh},
        {intrinsics, embedded::intrinsics_host_cuh},
        {host && (files || mentions_vector_type(mentions)), embedded::vector_types_host_cuh},
        {mentions.prefix("CUDART_"), embedded::math_constants_cuh},
        {has_class, classes},
        {extremes, embedded::extremes_cuh},
        {quotient, embedded::quotient_cuh},
        {random, embedded::random_cuh},
        {atomics && !host, embedded::atomics_cuda_cuh},
        {atomics && host, embedded::atomics_host_cuh},
        {viewed, embedded::raw_view_cuh},
        {wraps, embedded::wrapping_view_host_cuh},
        {narrow_index, embedded::narrow_index_host_cuh},
    };
    std::string text;
    for (const Section& section : sections) {
        if (section.needed) append_section(text, section.text);
    }
    text = taken.rename(text, has_class ? used : DTypeSet());
    return text + dtype_aliases(named, [&](DType dtype) { return taken.type_name(dtype); });
}

std::string select_raw_prelude(const std::vector<std::string_view>& texts,
                               bool has_includes,
                               DTypeSet named) {
    const Mentions mentions(texts);
    const bool intrinsics = mentions.intrinsic() || mentions.any_prefix(raw_intrinsic_prefixes);
    const bool special = mentions.any_prefix(special_prefixes);
    const bool atomics = mentions.prefix("atomic") || mentions.prefix("__threadfence");
    const bool math =
        has_includes || mentions.call() || intrinsics || special || atomics || has_classes(named);
    std::string text;
    append_section(text, embedded::base_host_cuh);
    if (math && (special || mentions.any_prefix(own_function_prefixes)))
        append_section(text, embedded::own_functions_host_cuh);
    const bool tan = mentions.any_word(tan_words);
    if (math && (tan || mentions.any_prefix(vector_math_prefixes)))
        append_section(text, embedded::vector_math_host_cuh);
    if (math && tan) append_section(text, embedded::vector_tan_host_cuh);
    if (math) append_section(text, embedded::math_host_cuh);
    if (special) append_section(text, embedded::special_host_cuh);
    if (intrinsics) append_section(text, embedded::intrinsics_host_cuh);
    if (mentions_vector_type(mentions)) append_section(text, embedded::vector_types_host_cuh);
    if (mentions.prefix("CUDART_")) append_section(text, embedded::math_constants_cuh);
    if (atomics) append_section(text, embedded::atomics_host_cuh);
    return text + named_types(named);
}

std::string select_dtype_prelude(DTypeSet named) {
    std::string text;
    if (has_classes(named)) {
        text += "#define KGEN_OWN_PROGRAM 1\n";
        append_section(text, embedded::base_cuda_cuh);
    }
    return text + named_types(named);
}

}  // namespace kgen
