// SPDX-License-Identifier: MIT
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>
#include <set>
#include <string>
#include <vector>

#include "dtype/dtype_table.hpp"
#include "support/catch.hpp"

using namespace kgen;

namespace {

struct SizeOfType {
    template <typename T>
    std::size_t operator()() const {
        return sizeof(T);
    }
};

struct DTypeOfType {
    template <typename T>
    DType operator()() const {
        return dtype_of<T>();
    }
};

std::string parsed(std::string_view name) {
    const auto dtype = parse_dtype(name);
    return dtype ? std::string(to_text(*dtype)) : "none";
}

}  // namespace

TEST_CASE("each dtype has its NumPy name, device name, kind and size", "[dtype]") {
    struct Row {
        DType dtype;
        std::string_view name;
        std::string_view device_name;
        DTypeKind kind;
        std::size_t size;
    };
    const Row rows[] = {
        {bool_, "bool", "bool", DTypeKind::boolean, 1},
        {int8, "int8", "signed char", DTypeKind::signed_integer, 1},
        {int16, "int16", "short", DTypeKind::signed_integer, 2},
        {int32, "int32", "int", DTypeKind::signed_integer, 4},
        {int64, "int64", "long long", DTypeKind::signed_integer, 8},
        {uint8, "uint8", "unsigned char", DTypeKind::unsigned_integer, 1},
        {uint16, "uint16", "unsigned short", DTypeKind::unsigned_integer, 2},
        {uint32, "uint32", "unsigned int", DTypeKind::unsigned_integer, 4},
        {uint64, "uint64", "unsigned long long", DTypeKind::unsigned_integer, 8},
        {float16, "float16", "float16", DTypeKind::real, 2},
        {bfloat16, "bfloat16", "bfloat16", DTypeKind::real, 2},
        {float32, "float32", "float", DTypeKind::real, 4},
        {float64, "float64", "double", DTypeKind::real, 8},
        {complex64, "complex64", "complex<float>", DTypeKind::complex, 8},
        {complex128, "complex128", "complex<double>", DTypeKind::complex, 16},
    };
    CHECK(std::size(rows) == dtype_count);
    for (const Row& row : rows) {
        INFO(row.name);
        CHECK(to_text(row.dtype) == row.name);
        CHECK(cpp_name(row.dtype) == row.device_name);
        CHECK(kind_of(row.dtype) == row.kind);
        CHECK(item_size(row.dtype) == row.size);
        CHECK(visit_dtype(row.dtype, SizeOfType{}) == row.size);
        CHECK(visit_dtype(row.dtype, DTypeOfType{}) == row.dtype);
        CHECK(parse_dtype(row.name) == row.dtype);
        CHECK(parse_dtype(row.device_name) == row.dtype);
    }
}

TEST_CASE("C, CUDA and NumPy names are read", "[dtype]") {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"int", "int32"},
        {"unsigned", "uint32"},
        {"unsigned int", "uint32"},
        {"long", "int64"},
        {"long long", "int64"},
        {"unsigned long long", "uint64"},
        {"unsigned long long int", "uint64"},
        {"short", "int16"},
        {"char", "int8"},
        {"signed char", "int8"},
        {"unsigned char", "uint8"},
        {"float", "float32"},
        {"double", "float64"},
        {"half", "float16"},
        {"__nv_bfloat16", "bfloat16"},
        {"size_t", "uint64"},
        {"ptrdiff_t", "int64"},
        {"uint8_t", "uint8"},
        {"complex<float>", "complex64"},
        {"thrust::complex<double>", "complex128"},
        {"std::complex<float>", "complex64"},
        {"bool_", "bool"},
        {"single", "float32"},
        {"intp", "int64"},
        {"f4", "float32"},
        {"c16", "complex128"},
        {"uint", "uint64"},
        {"complex", "complex128"},
        {"byte", "int8"},
        {"ubyte", "uint8"},
        {"ushort", "uint16"},
        {"intc", "int32"},
        {"uintc", "uint32"},
        {"int_", "int64"},
        {"uintp", "uint64"},
        {"ulong", "uint64"},
        {"longlong", "int64"},
        {"ulonglong", "uint64"},
        {"csingle", "complex64"},
        {"cdouble", "complex128"},
    };
    for (const auto& [name, expected] : rows) {
        INFO(name);
        CHECK(parsed(name) == expected);
    }
}

TEST_CASE("space between the tokens of a name does not matter, inside a word it does", "[dtype]") {
    CHECK(parsed("  float32\t") == "float32");
    CHECK(parsed("unsigned   \n char") == "uint8");
    CHECK(parsed("thrust :: complex < float >") == "complex64");
    CHECK(parsed("float 32") == "none");
    CHECK(parsed("longlong") == "int64");  // NumPy's "longlong", not C's "long long"
    CHECK(parsed("unsignedchar") == "none");
}

TEST_CASE("NumPy's codes are read with a byte order, and big-endian ones are not", "[dtype]") {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"?", "bool"},       {"b1", "bool"},        {"b", "int8"},      {"i1", "int8"},
        {"h", "int16"},      {"i2", "int16"},       {"i", "int32"},     {"i4", "int32"},
        {"l", "int64"},      {"q", "int64"},        {"i8", "int64"},    {"B", "uint8"},
        {"u1", "uint8"},     {"H", "uint16"},       {"u2", "uint16"},   {"I", "uint32"},
        {"u4", "uint32"},    {"L", "uint64"},       {"Q", "uint64"},    {"u8", "uint64"},
        {"e", "float16"},    {"f2", "float16"},     {"f", "float32"},   {"f4", "float32"},
        {"d", "float64"},    {"f8", "float64"},     {"F", "complex64"}, {"c8", "complex64"},
        {"D", "complex128"}, {"c16", "complex128"},
    };
    for (const auto& [code, expected] : rows) {
        INFO(code);
        for (const char order : {'<', '=', '|'})
            CHECK(parsed(order + std::string(code)) == expected);
        const std::string swapped = '>' + std::string(code);
        const bool has_order = item_size(*parse_dtype(expected)) > 1;
        CHECK(parsed(swapped) == (has_order ? "none" : std::string(expected)));
        CHECK(parse_big_endian(swapped).has_value() == has_order);
        if (has_order) CHECK(to_text(*parse_big_endian(swapped)) == expected);
    }
    for (const std::string_view name :
         {"<", ">", "<f3", ">f3", "<float32", "<V2", "!f4", "<>f4", "<x"}) {
        INFO(name);
        CHECK(parsed(name) == "none");
        CHECK_FALSE(parse_big_endian(name).has_value());
    }
}

TEST_CASE("what names no dtype reads as nothing", "[dtype]") {
    for (const std::string_view name : {"",
                                        " ",
                                        "T",
                                        "f",
                                        "float33",
                                        "float3",
                                        "Float32",
                                        "float32x",
                                        "float*",
                                        "complex<int>",
                                        "complex<float",
                                        "long double",
                                        "void",
                                        "float128"}) {
        INFO(name);
        CHECK(parsed(name) == "none");
    }
}

TEST_CASE("every listed name is read, and none is listed twice", "[dtype]") {
    const std::vector<std::string_view> names = dtype_names();
    CHECK(names.front() == "bool");
    CHECK(std::set<std::string_view>(names.begin(), names.end()).size() == names.size());
    for (const std::string_view name : names) {
        INFO(name);
        CHECK(parse_dtype(name).has_value());
    }
}

TEST_CASE("shapes print as NumPy's do", "[dtype]") {
    CHECK(to_text(Dims{}) == "()");
    CHECK(to_text(Dims{3}) == "(3,)");
    CHECK(to_text(Dims{3, 4}) == "(3, 4)");
    CHECK(to_text(Dims{-8, 0, 5000000000}) == "(-8, 0, 5000000000)");
}
