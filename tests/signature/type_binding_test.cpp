// SPDX-License-Identifier: MIT
#include "types/type_binding.hpp"

#include <kgen/error.hpp>

#include "support/catch.hpp"

using namespace kgen;

namespace {

using Kind = ArgumentType::Kind;

TypeBinding resolve(const std::string& inputs,
                    const std::string& outputs,
                    const std::vector<ArgumentType>& arguments) {
    return resolve_types(
        parse_signature({.name = "k", .inputs = inputs, .outputs = outputs, .operation = "z = 0"}),
        arguments);
}

const ArgumentType absent{};
ArgumentType array(DType dtype) {
    return {Kind::array, dtype};
}
ArgumentType number(DType dtype) {
    return {Kind::scalar, dtype};
}

}  // namespace

TEST_CASE("placeholders take given outputs first, then input arrays, then numbers", "[types]") {
    struct Case {
        std::string inputs, outputs;
        std::vector<ArgumentType> arguments;
        std::string binding;
    };
    const Case cases[] = {
        {"T x, T y", "T z", {array(float32), array(float32), absent}, "T = float32"},
        {"T x, T y", "T z", {array(float32), number(int32), absent}, "T = float32"},
        {"T a, T x", "T z", {number(float64), array(int8), absent}, "T = int8"},
        {"T a, T b", "T z", {number(float64), number(float64), absent}, "T = float64"},
        {"T a", "T z", {number(float64), array(float16)}, "T = float16"},
        {"T x, U y", "U z", {array(float32), array(int64), absent}, "T = float32, U = int64"},
        {"float32 x", "float64 z", {array(float32), absent}, "no placeholders"},
        {"float32 x", "float64 z", {number(int32), absent}, "no placeholders"},
    };
    for (const Case& row : cases) {
        INFO(row.inputs << " -> " << row.outputs);
        CHECK(to_text(resolve(row.inputs, row.outputs, row.arguments)) == row.binding);
    }
}

TEST_CASE("types that do not fit are refused with both sides and the way out", "[types]") {
    struct Case {
        std::string inputs, outputs;
        std::vector<ArgumentType> arguments;
        std::string message;
    };
    const Case cases[] = {
        {"T x, T y",
         "T z",
         {array(float32), array(float64), absent},
         "kernel 'k': T is float32 from argument 1 ('x') but float64 from argument 2 ('y'); "
         "convert one of them with astype"},
        {"T x",
         "T z",
         {array(float32), array(float64)},
         "kernel 'k': T is float64 from output 1 ('z') but float32 from argument 1 ('x'); convert "
         "one of them with astype"},
        {"float32 x",
         "float32 z",
         {array(float64), absent},
         "kernel 'k': argument 1 ('x') is float64, but the parameter is float32; convert it with "
         "astype(float32)"},
        {"float32 x",
         "float32 z",
         {array(float32), array(int8)},
         "kernel 'k': output 1 ('z') is int8, but the parameter is float32; pass an array of "
         "float32"},
        {"T x",
         "U z",
         {array(float32), absent},
         "kernel 'k': cannot determine U: it appears only in outputs; pass output 1 ('z') or write "
         "a dtype in place of U"},
        {"T a, T b",
         "T z",
         {number(int32), number(float64), absent},
         "kernel 'k': T is int32 from argument 1 ('a') but float64 from argument 2 ('b'); write "
         "both numbers with one type"},
        {"raw _non_const T x",
         "T z",
         {number(int32), array(int32)},
         "kernel 'k': argument 1 ('x') is _non_const and needs an array, but a number was given"},
        {"_non_const T x",
         "T z",
         {number(int32), array(int32)},
         "kernel 'k': argument 1 ('x') is _non_const and needs an array, but a number was given"},
        {"T x",
         "T z",
         {array(int32), number(int32)},
         "kernel 'k': output 1 ('z') is an output and needs an array, but a number was given"},
    };
    for (const Case& row : cases) {
        CHECK(KGEN_MESSAGE_OF(TypeError, resolve(row.inputs, row.outputs, row.arguments)) ==
              row.message);
    }
}
