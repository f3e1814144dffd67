// SPDX-License-Identifier: MIT
#include <array>

#include "dtype/dtype_table.hpp"
#include "text/word.hpp"

namespace kgen {
namespace {

// In the order of KGEN_DTYPES. A word with different meanings in NumPy and C has C's meaning ("int" is int32,
// "float" is float32). "uint" is no word of C, and 64 bits wide in NumPy. "long" has 64 bits, as on every system that kgen supports.
// clang-format off
constexpr auto dtype_rows = [] {
using enum DTypeKind;
using enum dlpack::TypeCode;
return std::to_array<DTypeRow>({
    {"bool", "bool", boolean, "b1", code_bool, {"bool_"}},
    {"int8", "signed char", signed_integer, "i1", code_int, {"char", "int8_t", "byte"}},
    {"int16", "short", signed_integer, "i2", code_int, {"short int", "int16_t"}},
    {"int32", "int", signed_integer, "i4", code_int, {"signed int", "signed", "int32_t", "intc"}},
    {"int64", "long long", signed_integer, "i8", code_int,
     {"long", "long int", "long long int", "ptrdiff_t", "int64_t", "intp", "int_", "longlong"}},
    {"uint8", "unsigned char", unsigned_integer, "u1", code_uint, {"uint8_t", "ubyte"}},
    {"uint16", "unsigned short", unsigned_integer, "u2", code_uint,
     {"unsigned short int", "uint16_t", "ushort"}},
    {"uint32", "unsigned int", unsigned_integer, "u4", code_uint,
     {"unsigned", "uint32_t", "uintc"}},
    {"uint64", "unsigned long long", unsigned_integer, "u8", code_uint,
     {"unsigned long", "unsigned long int", "unsigned long long int", "size_t", "uint64_t", "uintp",
      "ulonglong", "ulong", "uint"}},
    {"float16", "float16", real, "f2", code_float, {"half", "__half"},
     {11, "65504", 1e3, "__half"}},
    {"bfloat16", "bfloat16", real, "V2", code_bfloat, {"__nv_bfloat16"},
     {8, "3.38953e+38", 1e6, "__nv_bfloat16"}},
    {"float32", "float", real, "f4", code_float, {"single"}, {24, "3.40282e+38", 1e6}},
    {"float64", "double", real, "f8", code_float, {}, {53, "1.79769e+308", 1e8}},
    {"complex64", "complex<float>", complex, "c8", code_complex,
     {"thrust::complex<float>", "std::complex<float>", "csingle"}},
    {"complex128", "complex<double>", complex, "c16", code_complex,
     {"thrust::complex<double>", "std::complex<double>", "cdouble", "complex"}},
});
}();
// clang-format on
static_assert(dtype_rows.size() == dtype_count);

// Calls `is_last(name, dtype)` with NumPy's names, then with other names, until it returns true.
template <typename IsLast>
void find_name(IsLast&& is_last) {
    for (const DType dtype : all_dtypes) {
        if (is_last(to_text(dtype), dtype)) return;
    }
    for (const DType dtype : all_dtypes) {
        if (cpp_name(dtype) != to_text(dtype) && is_last(cpp_name(dtype), dtype)) return;
        for (const std::string_view alias : row_of(dtype).aliases) {
            if (!alias.empty() && is_last(alias, dtype)) return;
        }
    }
    for (const DType dtype : all_dtypes) {
        const std::string_view code = row_of(dtype).npy_code;
        if (code.front() != 'V' && is_last(code, dtype)) return;
    }
}

constexpr bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Whether two names are the same tokens. Only space between two words is significant.
bool same_tokens(std::string_view text, std::string_view name) noexcept {
    std::size_t at = 0;
    char previous = 0;
    const auto skip_space = [&] {
        const std::size_t start = at;
        while (at < text.size() && is_space(text[at])) ++at;
        return at != start;
    };
    skip_space();
    for (const char wanted : name) {
        if (wanted == ' ') {
            if (!skip_space()) return false;
        } else {
            const bool spaced = skip_space();
            if (spaced && is_word(previous) && is_word(wanted)) return false;
            if (at == text.size() || text[at] != wanted) return false;
            ++at;
        }
        previous = wanted;
    }
    skip_space();
    return at == text.size();
}

// Returns the dtype of a NumPy code without its byte order: a kind and a size ("f4"), or one character ("f").
std::optional<DType> parse_code(std::string_view code) noexcept {
    using enum DType;
    struct Character {
        char code;
        DType dtype;
    };
    static constexpr Character characters[] = {{'?', bool_},
                                               {'b', int8},
                                               {'h', int16},
                                               {'i', int32},
                                               {'l', int64},
                                               {'q', int64},
                                               {'B', uint8},
                                               {'H', uint16},
                                               {'I', uint32},
                                               {'L', uint64},
                                               {'Q', uint64},
                                               {'e', float16},
                                               {'f', float32},
                                               {'d', float64},
                                               {'F', complex64},
                                               {'D', complex128}};
    for (const auto& [letter, dtype] : characters) {
        if (code.size() == 1 && code.front() == letter) return dtype;
    }
    for (const DType dtype : all_dtypes) {
        const std::string_view each = row_of(dtype).npy_code;
        if (each.front() != 'V' && each == code) return dtype;
    }
    return std::nullopt;
}

}  // namespace

std::optional<DType> parse_big_endian(std::string_view name) noexcept {
    if (!name.starts_with('>')) return std::nullopt;
    const std::optional<DType> dtype = parse_code(name.substr(1));
    return dtype && item_size(*dtype) > 1 ? dtype : std::nullopt;
}

const DTypeRow& row_of(DType dtype) noexcept {
    return dtype_rows[static_cast<std::size_t>(dtype)];
}

DTypeKind kind_of(DType dtype) noexcept {
    return row_of(dtype).kind;
}

std::string_view to_text(DType dtype) noexcept {
    return row_of(dtype).name;
}

std::string_view cpp_name(DType dtype) noexcept {
    return row_of(dtype).cpp_name;
}

bool is_narrow_float(DType dtype) noexcept {
    return kind_of(dtype) == DTypeKind::real && cpp_name(dtype) == to_text(dtype);
}

std::optional<DType> parse_dtype(std::string_view name) noexcept {
    // A byte order, as in "<f4", means nothing to a dtype of one byte. The machines of kgen are little-endian.
    if (name.starts_with('<') || name.starts_with('=') || name.starts_with('|') ||
        (name.starts_with('>') && !parse_big_endian(name))) {
        return parse_code(name.substr(1));
    }
    std::optional<DType> found;
    find_name([&](std::string_view each, DType dtype) {
        if (same_tokens(name, each)) found = dtype;
        return found.has_value();
    });
    return found;
}

std::vector<std::string_view> dtype_names() {
    std::vector<std::string_view> names;
    find_name([&](std::string_view each, DType) {
        names.push_back(each);
        return false;
    });
    return names;
}

}  // namespace kgen
