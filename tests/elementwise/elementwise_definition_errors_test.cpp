// SPDX-License-Identifier: MIT
//
// Strings that do not define a kernel, and the exact message for each mistake.
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

struct Definition {
    std::string inputs;
    std::string outputs;
    std::string operation;
    std::string message;
    std::string name = "f";
    ElementwiseOptions options = {};
};

void check_definitions(const std::vector<Definition>& rows) {
    for (const Definition& row : rows) {
        INFO("inputs '" << row.inputs << "', outputs '" << row.outputs << "', operation '"
                        << row.operation << "'");
        CHECK(KGEN_MESSAGE_OF(SignatureError,
                              ElementwiseKernel(
                                  row.inputs, row.outputs, row.operation, row.name, row.options)) ==
              row.message);
    }
}

std::string with_nul(const std::string& before, const std::string& after) {
    return before + std::string(1, '\0') + after;
}

}  // namespace

TEST_CASE("a list of ten thousand parameters is refused by their number") {
    std::string inputs = "T x0";
    for (int k = 1; k < 10'000; ++k) inputs += ", T x" + std::to_string(k);
    CHECK(KGEN_MESSAGE_OF(SignatureError, ElementwiseKernel(inputs, "T y", "y = x0", "f")) ==
          "kernel 'f': 10001 parameters, at most 128 are allowed");
}

TEST_CASE("a parameter list that does not read is refused with its place") {
    check_definitions({
        {"float3 x",
         "T z",
         "z = x",
         "kernel 'f': unknown type 'float3' in input 1\n  float3 x\n  ^~~~~~\ndid you mean "
         "'float32'?"},
        {"T x, flaot32 y",
         "T z",
         "z = x",
         "kernel 'f': unknown type 'flaot32' in input 2\n  T x, flaot32 y\n       ^~~~~~~\ndid you "
         "mean 'float32'?"},
        {"T x",
         "complex65 z",
         "z = x",
         "kernel 'f': unknown type 'complex65' in output 1\n  complex65 z\n  ^~~~~~~~~\ndid you "
         "mean 'complex64'?"},
        {"Tensor x",
         "T z",
         "z = x",
         "kernel 'f': unknown type 'Tensor' in input 1\n  Tensor x\n  ^~~~~~\nexpected one letter "
         "or one of bool, int8, int16, int32, int64, "
         "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, "
         "complex128"},
        {"T", "T z", "z = 1", "kernel 'f': input 1 has no name: expected 'TYPE NAME'\n  T\n  ^"},
        {"T x, float32",
         "T z",
         "z = x",
         "kernel 'f': input 2 has no name: expected 'TYPE NAME'\n  T x, float32\n       ^~~~~~~"},
        {"raw x",
         "T z",
         "z = 1",
         "kernel 'f': input 1 has no type: expected 'TYPE NAME'\n  raw x\n      ^"},
        {"T x,, T y", "T z", "z = x", "kernel 'f': input 2 is empty\n  T x,, T y\n      ^"},
        {"T x,", "T z", "z = x", "kernel 'f': input 2 is empty\n  T x,\n      ^"},
        {"T x, T x",
         "T z",
         "z = x",
         "kernel 'f': parameter 'x' is defined twice: input 1 and input 2"},
        {"T x, T y",
         "T y",
         "y = x",
         "kernel 'f': parameter 'y' is defined twice: input 2 and output 1"},
        {"T i",
         "T z",
         "z = i",
         "kernel 'f': parameter name 'i' is reserved for the element index\n  T i\n    ^"},
        {"T kgen_x",
         "T z",
         "z = 1",
         "kernel 'f': parameter name 'kgen_x' is reserved: names that begin with 'kgen_' belong to "
         "kgen\n"
         "  T kgen_x\n"
         "    ^~~~~~"},
        {"T for",
         "T z",
         "z = 1",
         "kernel 'f': parameter name 'for' is a keyword of C++\n  T for\n    ^~~"},
        {"T 2x",
         "T z",
         "z = 1",
         "kernel 'f': '2x' in input 1 is not an identifier\n  T 2x\n    ^~"},
        {"T x-y",
         "T z",
         "z = 1",
         "kernel 'f': 'x-y' in input 1 is not an identifier\n  T x-y\n    ^~~"},
        {"T *x",
         "T z",
         "z = 1",
         "kernel 'f': '*x' in input 1 is not an identifier\n  T *x\n    ^~"},
        {"T x; T y",
         "T z",
         "z = 1",
         "kernel 'f': there is a ';' in input 1\n  T x; T y\n     ^\nparameters are separated by "
         "','"},
        {"rwa float32 x",
         "T z",
         "z = 1",
         "kernel 'f': unknown qualifier 'rwa' in input 1\n  rwa float32 x\n  ^~~\ndid you mean "
         "'raw'?"},
        {"volatile T x",
         "T z",
         "z = 1",
         "kernel 'f': unknown qualifier 'volatile' in input 1\n  volatile T x\n  "
         "^~~~~~~~\nexpected raw, const or _non_const"},
        {"raw raw T x",
         "T z",
         "z = 1",
         "kernel 'f': 'raw' is given twice in input 1\n  raw raw T x\n      ^~~"},
        {"const _non_const T x",
         "T z",
         "z = 1",
         "kernel 'f': input 1 is both const and _non_const\n  const _non_const T x\n        "
         "^~~~~~~~~~"},
        {"T x",
         "const T z",
         "z = 1",
         "kernel 'f': output 1 is const, but outputs are written\n  const T z\n  ^~~~~\nremove "
         "'const', or make it an input"},
        {"T x", "x z", "z = 1", "kernel 'f': 'x' is both a parameter name and a placeholder"},
        {"", "", "", "kernel 'f': it has no parameters; declare an input or an output"},
    });
}

TEST_CASE("a kernel's name must be an identifier") {
    const std::string rule =
        " is not an identifier: expected letters, digits and '_', not beginning with a digit";
    check_definitions({
        {"T x", "T z", "z = x", "kernel name ''" + rule, ""},
        {"T x", "T z", "z = x", "kernel name 'a b'" + rule, "a b"},
        {"T x", "T z", "z = x", "kernel name 'a\\n'" + rule, "a\n"},
        {"T x", "T z", "z = x", "kernel name '\\na'" + rule, "\na"},
        {"T x", "T z", "z = x", "kernel name '1st'" + rule, "1st"},
        {"T x", "T z", "z = x", "kernel name 'a\\0b'" + rule, with_nul("a", "b")},
        {"T x", "T z", "z = x", "kernel name 'caf\xc3\xa9'" + rule, "caf\xc3\xa9"},
        {"T x", "T z", "z = x", "kernel name 'f(int)'" + rule, "f(int)"},
        {"T x", "T z", "z = x", "kernel name 'while' is a keyword of C++", "while"},
    });
}

TEST_CASE("a body must close what it opens, and close nothing else") {
    const std::string at = "kernel 'f': the operation is not balanced at line 1, column ";
    check_definitions({
        {"T x", "T z", "z = x }", at + "7: this '}' closes nothing\n  z = x }\n        ^"},
        {"T x", "T z", "} z = x; {", at + "1: this '}' closes nothing\n  } z = x; {\n  ^"},
        {"T x",
         "T z",
         "if (x) { z = x",
         at + "8: this '{' is not closed\n  if (x) { z = x\n         ^"},
        {"T x", "T z", "z = (x", at + "5: this '(' is not closed\n  z = (x\n      ^"},
        {"T x", "T z", "z = (x]", at + "7: this ']' closes nothing\n  z = (x]\n        ^"},
        {"T x", "T z", "z = x %>", at + "7: this '%>' closes nothing\n  z = x %>\n        ^~"},
        {"T x",
         "T z",
         "z = x /* }",
         at + "7: this comment is not closed\n  z = x /* }\n        ^~"},
        {"T x",
         "T z",
         "const char* s = \"}; z = x",
         at + "17: this string is not closed\n  const char* s = \"}; z = x\n                  "
              "^~~~~~~~~"},
        {"T x",
         "T z",
         "char c = '}; z = x",
         at + "10: this character is not closed\n  char c = '}; z = x\n           ^~~~~~~~~"},
        {"T x",
         "T z",
         "\nz = x;\n#endif",
         "kernel 'f': the operation is not balanced at line 3, column 1: this #endif has no #if\n  "
         "#endif\n  ^"},
        {"T x",
         "T z",
         "\n#if 1\nz = x;",
         "kernel 'f': the operation is not balanced at line 2, column 1: this #if has no #endif\n  "
         "#if 1\n  ^"},
        {"T x",
         "T z",
         "z = x;\n#line 5\n",
         "kernel 'f': the operation is not balanced at line 2, column 1: a #line would move the "
         "positions of errors\n  #line 5\n  ^"},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the preamble is not balanced at line 2, column 13: this '}' closes nothing\n "
         " int g() { } }\n              ^",
         "f",
         {.preamble = "int f();\nint g() { } }"}},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the loop_prep is not balanced at line 1, column 1: this '}' closes nothing\n "
         " }\n  ^",
         "f",
         {.loop_prep = "}"}},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the after_loop is not balanced at line 1, column 1: this '{' is not closed\n "
         " {\n  ^",
         "f",
         {.after_loop = "{"}},
    });
    // Text that only looks like a bracket is not counted as one.
    for (const char* operation : {"const char* s = \"}\"; z = x",
                                  "char c = '}'; z = x",
                                  "z = x; // }",
                                  "z = x; /* } */",
                                  "const char* s = R\"(})\"; z = x",
                                  "<% z = x; %>",
                                  "char c = '\\''; z = x; // }",
                                  "int k = 1'000'000; z = x",
                                  "const char* s = \"\\\"}\"; z = x"}) {
        INFO(operation);
        CHECK_NOTHROW(ElementwiseKernel("T x", "T z", operation, "f"));
    }
}

TEST_CASE("a NUL byte is refused in every string") {
    check_definitions({
        {with_nul("T x", ""),
         "T z",
         "z = x",
         "kernel 'f': the input list has a NUL byte at line 1, column 4"},
        {"T x",
         with_nul("T ", "z"),
         "z = x",
         "kernel 'f': the output list has a NUL byte at line 1, column 3"},
        {"T x",
         "T z",
         with_nul("z = x;\n  ", ""),
         "kernel 'f': the operation has a NUL byte at line 2, column 3"},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the preamble has a NUL byte at line 1, column 1",
         "f",
         {.preamble = with_nul("", "")}},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the loop_prep has a NUL byte at line 1, column 2",
         "f",
         {.loop_prep = with_nul(";", ";")}},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the after_loop has a NUL byte at line 1, column 2",
         "f",
         {.after_loop = with_nul(";", ";")}},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the option list has a NUL byte at line 1, column 4",
         "f",
         {.options = {"-DA", with_nul("-DB", "")}}},
    });
}
