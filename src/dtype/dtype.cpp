// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string>

#include "dtype/dtype_names.hpp"
#include "text/word.hpp"

namespace kgen {
namespace {

struct DTypeRow {
    DType dtype;
    DTypeKind kind;
    std::size_t item_size;
    std::string_view name;      // NumPy's
    std::string_view cpp_name;  // in device code
};

// In the order of the enumerators of DType.
constexpr std::array<DTypeRow, dtype_count> dtype_rows{{
    {DType::bool_, DTypeKind::boolean, 1, "bool", "bool"},
    {DType::int8, DTypeKind::signed_integer, 1, "int8", "signed char"},
    {DType::int16, DTypeKind::signed_integer, 2, "int16", "short"},
    {DType::int32, DTypeKind::signed_integer, 4, "int32", "int"},
    {DType::int64, DTypeKind::signed_integer, 8, "int64", "long long"},
    {DType::uint8, DTypeKind::unsigned_integer, 1, "uint8", "unsigned char"},
    {DType::uint16, DTypeKind::unsigned_integer, 2, "uint16", "unsigned short"},
    {DType::uint32, DTypeKind::unsigned_integer, 4, "uint32", "unsigned int"},
    {DType::uint64, DTypeKind::unsigned_integer, 8, "uint64", "unsigned long long"},
    {DType::float16, DTypeKind::real, 2, "float16", "float16"},
    {DType::bfloat16, DTypeKind::real, 2, "bfloat16", "bfloat16"},
    {DType::float32, DTypeKind::real, 4, "float32", "float"},
    {DType::float64, DTypeKind::real, 8, "float64", "double"},
    {DType::complex64, DTypeKind::complex, 8, "complex64", "complex<float>"},
    {DType::complex128, DTypeKind::complex, 16, "complex128", "complex<double>"},
}};

struct DTypeAlias {
    std::string_view name;
    DType dtype;
};

// Other spellings of the dtypes. A word with different meanings in NumPy and C has C's meaning ("int" is
// int32, "float" is float32). "long" has 64 bits, as on every system that kgen supports.
constexpr DTypeAlias dtype_aliases[] = {
    // C and C++
    {"char", DType::int8},
    {"signed char", DType::int8},
    {"unsigned char", DType::uint8},
    {"short", DType::int16},
    {"short int", DType::int16},
    {"unsigned short", DType::uint16},
    {"unsigned short int", DType::uint16},
    {"int", DType::int32},
    {"signed int", DType::int32},
    {"signed", DType::int32},
    {"unsigned", DType::uint32},
    {"unsigned int", DType::uint32},
    {"long", DType::int64},
    {"long int", DType::int64},
    {"unsigned long", DType::uint64},
    {"unsigned long int", DType::uint64},
    {"long long", DType::int64},
    {"long long int", DType::int64},
    {"unsigned long long", DType::uint64},
    {"unsigned long long int", DType::uint64},
    {"float", DType::float32},
    {"double", DType::float64},
    {"size_t", DType::uint64},
    {"ptrdiff_t", DType::int64},
    {"int8_t", DType::int8},
    {"int16_t", DType::int16},
    {"int32_t", DType::int32},
    {"int64_t", DType::int64},
    {"uint8_t", DType::uint8},
    {"uint16_t", DType::uint16},
    {"uint32_t", DType::uint32},
    {"uint64_t", DType::uint64},
    // CUDA and Thrust
    {"half", DType::float16},
    {"__half", DType::float16},
    {"__nv_bfloat16", DType::bfloat16},
    {"complex<float>", DType::complex64},
    {"complex<double>", DType::complex128},
    {"thrust::complex<float>", DType::complex64},
    {"thrust::complex<double>", DType::complex128},
    {"std::complex<float>", DType::complex64},
    {"std::complex<double>", DType::complex128},
    // Other names in NumPy
    {"bool_", DType::bool_},
    {"byte", DType::int8},
    {"ubyte", DType::uint8},
    {"ushort", DType::uint16},
    {"intc", DType::int32},
    {"uintc", DType::uint32},
    {"intp", DType::int64},
    {"uintp", DType::uint64},
    {"int_", DType::int64},
    {"longlong", DType::int64},
    {"ulonglong", DType::uint64},
    {"ulong", DType::uint64},
    {"single", DType::float32},
    {"csingle", DType::complex64},
    {"cdouble", DType::complex128},
    // NumPy's codes of kind and size in bytes
    {"b1", DType::bool_},
    {"i1", DType::int8},
    {"i2", DType::int16},
    {"i4", DType::int32},
    {"i8", DType::int64},
    {"u1", DType::uint8},
    {"u2", DType::uint16},
    {"u4", DType::uint32},
    {"u8", DType::uint64},
    {"f2", DType::float16},
    {"f4", DType::float32},
    {"f8", DType::float64},
    {"c8", DType::complex64},
    {"c16", DType::complex128},
};

const DTypeRow& row_of(DType dtype) noexcept {
    return dtype_rows[static_cast<std::size_t>(dtype)];
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

}  // namespace

DTypeKind kind_of(DType dtype) noexcept {
    return row_of(dtype).kind;
}

std::size_t item_size(DType dtype) noexcept {
    return row_of(dtype).item_size;
}

std::string_view to_text(DType dtype) noexcept {
    return row_of(dtype).name;
}

std::string_view cpp_name(DType dtype) noexcept {
    return row_of(dtype).cpp_name;
}

std::optional<DType> parse_dtype(std::string_view name) noexcept {
    for (const DTypeRow& row : dtype_rows) {
        if (same_tokens(name, row.name)) return row.dtype;
    }
    for (const DTypeAlias& alias : dtype_aliases) {
        if (same_tokens(name, alias.name)) return alias.dtype;
    }
    return std::nullopt;
}

std::vector<std::string_view> dtype_names() {
    std::vector<std::string_view> names;
    names.reserve(std::size(dtype_rows) + std::size(dtype_aliases));
    for (const DTypeRow& row : dtype_rows) names.push_back(row.name);
    for (const DTypeAlias& alias : dtype_aliases) names.push_back(alias.name);
    return names;
}

}  // namespace kgen
