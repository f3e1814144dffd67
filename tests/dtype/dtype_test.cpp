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
                                        "complex",
                                        "uint",
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
