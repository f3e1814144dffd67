// SPDX-License-Identifier: MIT
#include <limits>
#include <string>
#include <utility>

#include "cli/exit_status.hpp"
#include "cli/text/argument_text.hpp"
#include "support/catch.hpp"

using namespace kgen;
using namespace kgen::cli;

TEST_CASE("a scalar's text decides its dtype") {
    struct Case {
        const char* text;
        DType dtype;
        const char* value;  // as kgen prints it
    };
    const Case cases[] = {{"5", DType::int64, "5"},
                          {"-5", DType::int64, "-5"},
                          {"+5", DType::int64, "5"},
                          {"007", DType::int64, "7"},
                          {"-9223372036854775808", DType::int64, "-9223372036854775808"},
                          {"9223372036854775808", DType::uint64, "9223372036854775808"},
                          {"18446744073709551615", DType::uint64, "18446744073709551615"},
                          {"2.5", DType::float64, "2.5"},
                          {".5", DType::float64, "0.5"},
                          {"-1.25e3", DType::float64, "-1250.0"},
                          {"1e3", DType::float64, "1000.0"},
                          {"5.0", DType::float64, "5.0"},
                          {"inf", DType::float64, "inf"},
                          {"-inf", DType::float64, "-inf"},
                          {"nan", DType::float64, "nan"},
                          {"true", DType::bool_, "true"},
                          {"false", DType::bool_, "false"},
                          {"1+2j", DType::complex128, "(1+2j)"},
                          {"(1+2j)", DType::complex128, "(1+2j)"},
                          {"1-2.5j", DType::complex128, "(1-2.5j)"},
                          {"-1e-1+2e+1j", DType::complex128, "(-0.1+20j)"},
                          {"2j", DType::complex128, "(0+2j)"},
                          {"-2j", DType::complex128, "(0-2j)"}};
    for (const Case& row : cases) {
        INFO(row.text);
        const ArgumentText argument = parse_argument(std::string("alpha=") + row.text);
        CHECK(argument.name == "alpha");
        const auto* scalar = std::get_if<Scalar>(&argument.value);
        REQUIRE(scalar != nullptr);
        CHECK(to_text(scalar->dtype()) == to_text(row.dtype));
        CHECK(to_text(*scalar) == row.value);
    }
}

TEST_CASE("a value that ends with .npy is a file") {
    for (const std::string path : {"x.npy", "/a b/x[1].npy", "../5.npy", "a=b.npy", ".npy"}) {
        INFO(path);
        const ArgumentText argument = parse_argument("x=" + path);
        REQUIRE(std::holds_alternative<FilePath>(argument.value));
        CHECK(std::get<FilePath>(argument.value).path == path);
        CHECK(argument.text == "x=" + path);
    }
}

TEST_CASE("a value that names an .npz file may name an array in it") {
    struct Case {
        const char* text;
        const char* path;
        const char* array;
    };
    for (const Case& row : {Case{"x.npz", "x.npz", ""},
                            Case{"a b/x.npz:bias", "a b/x.npz", "bias"},
                            Case{"x.npz:a/b:c", "x.npz", "a/b:c"},
                            Case{"x.npz:", "x.npz", ""}}) {
        INFO(row.text);
        const ArgumentText argument = parse_argument(std::string("x=") + row.text);
        REQUIRE(std::holds_alternative<FilePath>(argument.value));
        CHECK(std::get<FilePath>(argument.value).path == row.path);
        CHECK(std::get<FilePath>(argument.value).array == row.array);
    }
}

TEST_CASE("a dtype with extents in brackets describes an array") {
    struct Case {
        const char* text;
        DType dtype;
        Dims shape;
        std::optional<Dims> strides;
    };
    const Case cases[] = {{"float32[2,5]", DType::float32, {2, 5}, {}},
                          {"float32[]", DType::float32, {}, {}},
                          {"bool[0]", DType::bool_, {0}, {}},
                          {"double[3]", DType::float64, {3}, {}},
                          {"int8[2,3]/strides=-3,0", DType::int8, {2, 3}, Dims{-3, 0}},
                          {"int8[]/strides=", DType::int8, {}, Dims{}}};
    for (const Case& row : cases) {
        INFO(row.text);
        const ArgumentText argument = parse_argument(std::string("x=") + row.text);
        const auto* spec = std::get_if<ArraySpec>(&argument.value);
        REQUIRE(spec != nullptr);
        CHECK(spec->dtype == row.dtype);
        CHECK(spec->shape == row.shape);
        CHECK(spec->strides == row.strides);
    }
}

TEST_CASE("an argument that does not read is refused with the reason") {
    struct Case {
        const char* text;
        const char* message;
    };
    const std::string no_value =
        "' is not a number, true, false, an .npy or .npz file, a list such as [1,2,3] or an array "
        "such as float32[2,5]";
    const Case cases[] = {
        {"x", "argument 'x' is not of the form NAME=VALUE"},
        {"=5", "argument '=5' is not of the form NAME=VALUE"},
        {"x=", "argument 'x=' is not of the form NAME=VALUE"},
        {"", "argument '' is not of the form NAME=VALUE"},
        {"x=1e999", "argument 'x=1e999': 1e999 is out of the range of float64"},
        {"x=18446744073709551616",
         "argument 'x=18446744073709551616': 18446744073709551616 fits neither int64 nor uint64; "
         "write 18446744073709551616.0 for a float64"},
        {"x=flaot32[2]",
         "argument 'x=flaot32[2]': unknown dtype 'flaot32'; did you mean 'float32'?"},
        {"x=nothing[2]",
         "argument 'x=nothing[2]': unknown dtype 'nothing'; expected one of bool, int8, int16, "
         "int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, "
         "complex64, complex128"},
        {"x=float32[2", "argument 'x=float32[2': ']' is missing after the shape"},
        {"x=float32[2,]", "argument 'x=float32[2,]': extent '' is not an integer"},
        {"x=float32[a]", "argument 'x=float32[a]': extent 'a' is not an integer"},
        {"x=float32[9223372036854775808]",
         "argument 'x=float32[9223372036854775808]': extent '9223372036854775808' is out of the "
         "range of int64"},
        {"x=float32[2]/strides=b",
         "argument 'x=float32[2]/strides=b': stride 'b' is not an integer"},
        {"x=float32[2]:8",
         "argument 'x=float32[2]:8': unexpected ':8' after the shape; strides are written "
         "/strides=4,8"}};
    for (const Case& row : cases) {
        INFO(row.text);
        CHECK(KGEN_MESSAGE_OF(UsageError, parse_argument(row.text)) == row.message);
    }
    for (const std::string text : {"abc",
                                   "True",
                                   "1 ",
                                   " 1",
                                   "1,5",
                                   "0x10",
                                   "++5",
                                   "+-5",
                                   "j",
                                   "1+j",
                                   "1+2",
                                   "1+2i",
                                   "--5",
                                   "-"}) {
        INFO(text);
        CHECK(KGEN_MESSAGE_OF(UsageError, parse_argument("x=" + text)) ==
              "argument 'x=" + text + "': '" + text + no_value);
    }
    CHECK(
        KGEN_MESSAGE_OF(ShapeError, parse_argument("x=int8[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]")) ==
        "an array has at most 16 axes, but 17 were given");
}

TEST_CASE("a list of numbers is an array, with the shape and dtype of numpy.array") {
    struct Case {
        const char* text;
        DType dtype;
        Dims shape;
        const char* elements;  // as kgen prints the array
    };
    const Case cases[] = {
        {"[1,2,3]", int64, {3}, "[1 2 3]"},
        {"[ 1 , -2 ]", int64, {2}, "[ 1 -2]"},
        {"[[1,2],[3,4],[5,6]]", int64, {3, 2}, "[[1 2]\n [3 4]\n [5 6]]"},
        {"[[[1]]]", int64, {1, 1, 1}, "[[[1]]]"},
        {"[1,2.5]", float64, {2}, "[1.  2.5]"},
        {"[1e3,nan]", float64, {2}, "[1000.   nan]"},
        {"[true,false]", bool_, {2}, "[ True False]"},
        {"[true,2]", int64, {2}, "[1 2]"},
        {"[9223372036854775808]", uint64, {1}, "[9223372036854775808]"},
        {"[-1,9223372036854775808]", float64, {2}, "[-1.00000000e+00  9.22337204e+18]"},
        {"[1,(1+2j)]", complex128, {2}, "[1.+0.j 1.+2.j]"},
        {"[]", float64, {0}, "[]"},
        {"[[],[]]", float64, {2, 0}, "[]"}};
    for (const Case& row : cases) {
        INFO(row.text);
        const ArgumentText argument = parse_argument(std::string("x=") + row.text);
        const auto* list = std::get_if<ListValue>(&argument.value);
        REQUIRE(list != nullptr);
        CHECK(to_text(list->dtype) == to_text(row.dtype));
        CHECK(list->shape == row.shape);
        const Array array = list->make_array(Device::host());
        CHECK(array.shape() == row.shape);
        CHECK(array.dtype() == row.dtype);
        CHECK(to_text(array) == row.elements);
    }
    CHECK(std::holds_alternative<ListValue>(parse_argument_or_value("[1,2]").value));
}

TEST_CASE("a list that is no array is refused with the reason") {
    const std::pair<const char*, const char*> cases[] = {
        {"[[1,2],[3]]", "the lists along axis 1 have 2 and 1 elements, expected equal numbers"},
        {"[[],[1]]", "the lists along axis 1 have 0 and 1 elements, expected equal numbers"},
        {"[1,[2]]", "a list and a number stand side by side in the list"},
        {"[[1],2]", "a list and a number stand side by side in the list"},
        {"[[1],[[2]]]", "a list and a number stand side by side in the list"},
        {"[1,2", "']' is missing at the end of the list"},
        {"[", "']' is missing at the end of the list"},
        {"[1,", "']' is missing at the end of the list"},
        {"[1,]", "a number is missing in the list before ']'"},
        {"[,1]", "a number is missing in the list before ',1]'"},
        {"[[1][2]]", "expected ',' or ']' in the list before '[2]]'"},
        {"[1]2", "unexpected '2' after the list"},
        {"[a]", "'a' is not a number, true or false"},
        {"[1 2]", "'1 2' is not a number, true or false"},
        {"[x.npy]", "'x.npy' is not a number, true or false"},
        {"[1e999]", "1e999 is out of the range of float64"},
        {"[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]",
         "the lists are nested deeper than 16 axes, the most of an array"}};
    for (const auto& [text, message] : cases) {
        const std::string argument = std::string("x=") + text;
        CHECK(KGEN_MESSAGE_OF(UsageError, parse_argument(argument)) ==
              "argument '" + argument + "': " + message);
    }
}
