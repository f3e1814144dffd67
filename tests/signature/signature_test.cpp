// SPDX-License-Identifier: MIT
#include "signature/signature.hpp"

#include <kgen/error.hpp>
#include <random>

#include "signature/token.hpp"
#include "support/catch.hpp"

using namespace kgen;

namespace {

Signature parse(const std::string& inputs,
                const std::string& outputs,
                const std::string& operation = "out = out0 = out1 = out2 = x = y = 0") {
    return parse_signature(
        {.name = "k", .inputs = inputs, .outputs = outputs, .operation = operation});
}

std::vector<std::string> texts(const std::string& source) {
    std::vector<std::string> list;
    for (const Token& token : tokenize(source).tokens) list.emplace_back(token.text);
    return list;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("tokens are those of C++", "[signature]") {
    CHECK(texts("z=x+y[i-1];") == Texts{"z", "=", "x", "+", "y", "[", "i", "-", "1", "]", ";"});
    CHECK(texts("a&&b & c->d::e ++f") ==
          Texts{"a", "&&", "b", "&", "c", "->", "d", "::", "e", "++", "f"});
    CHECK(texts("1.5e-3f 0x1p+2 1'000 .5 2.") == Texts{"1.5e-3f", "0x1p+2", "1'000", ".5", "2."});
    CHECK(texts("\"a\\\"b\" 'c' '\\'' R\"x(})\" )x\" L\"w\"") ==
          Texts{"\"a\\\"b\"", "'c'", "'\\''", "R\"x(})\" )x\"", "L\"w\""});
    CHECK(texts("a // b {\nc /* { \n */ d") == Texts{"a", "c", "d"});
    CHECK(texts("a // b \\\n c\nd") == Texts{"a", "d"});
    CHECK(texts("<% %> <: :> f<::g>") == Texts{"<%", "%>", "<:", ":>", "f", "<", "::", "g", ">"});
    CHECK(texts("") == Texts{});
}

TEST_CASE("texts that do not close are found where they open", "[signature]") {
    struct Case {
        std::string text;
        std::string reason;
        std::size_t offset;
    };
    const Case cases[] = {
        {"f(x", "this '(' is not closed", 1},
        {"x)", "this ')' closes nothing", 1},
        {"{ ( } )", "this '}' closes nothing", 4},
        {"a[1", "this '[' is not closed", 1},
        {"x = \"a", "this string is not closed", 4},
        {"x = 'a\n'", "this character is not closed", 4},
        {"/* a", "this comment is not closed", 0},
        {"R\"(a", "this string is not closed", 0},
        {"#if 0\nx", "this #if has no #endif", 0},
        {"x\n#endif\n", "this #endif has no #if", 2},
        {"#else\n", "this #else has no #if", 0},
        {"<% x }>", "", 0},
        {"x <: 1 )", "this ')' closes nothing", 7},
    };
    for (const Case& row : cases) {
        INFO(row.text);
        const std::vector<TokenError> errors = find_imbalance(tokenize(row.text));
        if (row.reason.empty()) {
            CHECK(errors.empty());
            continue;
        }
        REQUIRE(errors.size() == 1);
        CHECK(errors[0].reason == row.reason);
        CHECK(errors[0].offset == row.offset);
    }
    for (const char* balanced : {"f(\")\")",
                                 "c = '}'",
                                 "a // )\n",
                                 "/* ( */",
                                 "R\"(})\"",
                                 "#if A\n#else\n#endif\n",
                                 "x[<:1:>]",
                                 "#define OPEN (\n",
                                 "#if 0\nit's off\n#endif\n",
                                 "#error don't\n"}) {
        INFO(balanced);
        CHECK(find_imbalance(tokenize(balanced)).empty());
    }
}

TEST_CASE("parameters are read with their qualifiers and types", "[signature]") {
    const Signature signature = parse(
        "T x, raw float32 y, raw _non_const U w, const int z, unsigned  long\tlong q", "T out");
    CHECK(to_text(signature) ==
          "T x, raw float32 y, raw _non_const U w, int32 z, uint64 q -> T out");
    CHECK(signature.input_count == 5);
    CHECK(signature.parameters[0].placeholder == 'T');
    CHECK(signature.parameters[1].raw);
    CHECK_FALSE(signature.parameters[1].written);
    CHECK(signature.parameters[2].written);
    CHECK(signature.parameters[5].output);
    CHECK(signature.parameters[5].written);
    CHECK(to_text(parse("", "T x")) == "-> T x");
    CHECK(to_text(parse("raw T x", "")) == "raw T x -> ()");
    CHECK(to_text(parse("complex<float> x", "thrust::complex<double> y")) ==
          "complex64 x -> complex128 y");
}

TEST_CASE("what a signature prints is read as the same signature", "[signature]") {
    std::mt19937 random(7);
    const char* types[] = {"T", "U", "float32", "int8", "bool", "complex128", "bfloat16"};
    const char* qualifiers[] = {"", "raw ", "_non_const ", "raw _non_const "};
    for (int round = 0; round < 300; ++round) {
        std::string inputs;
        std::string outputs;
        for (unsigned k = 0; k < random() % 4; ++k) {
            inputs += (k == 0 ? "" : ", ") + std::string(qualifiers[random() % 4]) +
                      types[random() % 7] + " in" + std::to_string(k);
        }
        for (unsigned k = 0; k < 1 + random() % 3; ++k) {
            outputs += (k == 0 ? "" : ", ") + std::string(random() % 2 == 0 ? "raw " : "") +
                       types[random() % 7] + " out" + std::to_string(k);
        }
        CHECK(to_text(parse(inputs, outputs)) ==
              inputs + (inputs.empty() ? "-> " : " -> ") + outputs);
    }
}

TEST_CASE("bodies show what they use", "[signature]") {
    struct Case {
        std::string operation;
        bool index, count, indexer, by_reference, viewed;
    };
    const Case cases[] = {
        {"z = x", false, false, false, false, false},
        {"z = i", true, false, false, false, false},
        {"z = x * n", false, true, false, false, false},
        {"z = _ind.size()", false, false, true, false, false},
        {"z = s.i + p->n", false, false, false, false, false},
        {"z = 'i'; // n _ind", false, false, false, false, false},
        {"z = f(\"i\")", false, false, false, false, false},
        {"z = y & x", false, false, false, false, false},
        {"z = x && y", false, false, false, false, false},
        {"z = (y >> 3) & x", false, false, false, false, false},
        {"z = f(y) & x", false, false, false, false, false},
        {"z = (y) & x", false, false, false, false, false},
        {"z = [&x] { return x; }()", false, false, false, false, false},
        {"z = *(float*)&x", false, false, false, true, false},
        {"z = *(const A::B<int>*)&x", false, false, false, true, false},
        {"z = *(&x)", false, false, false, true, false},
        {"z = f(& ( x ))", false, false, false, true, false},
        {"z = 0; return &x", false, false, false, true, false},
        {"z = _raw_x[i]", true, false, false, true, true},
    };
    for (const Case& row : cases) {
        INFO(row.operation);
        const Signature signature = parse("T x, T y", "T z", row.operation);
        CHECK(signature.facts.index == row.index);
        CHECK(signature.facts.count == row.count);
        CHECK(signature.facts.indexer == row.indexer);
        CHECK(signature.parameters[0].by_reference == row.by_reference);
        CHECK(signature.parameters[0].viewed == row.viewed);
    }
    CHECK_FALSE(parse("T n", "T z", "z = n").facts.count);
}

TEST_CASE("bodies show whether indices and sizes only wrap", "[signature]") {
    struct Case {
        std::string operation;
        bool index, size;
    };
    const Case cases[] = {
        {"z = i % 7", true, false},
        {"z = x * i % 7 + i % 2", true, false},
        {"z = _ind.get()[0] % 13 + i % 3", true, false},
        {"z = i", false, false},
        {"z = i % 0", false, false},
        {"z = i % 7.0", false, false},
        {"z = i % 7u", false, false},
        {"z = i % x", false, false},
        {"z = i % 7 + i", false, false},
        {"z = _ind.get()[0]", false, false},
        {"z = _ind.size() % 7", false, false},
        {"static int k; z = i % 7", false, false},
        {"z = r[i % r.size()]", false, true},
        {"z = r[x % r.size()] + r[0]", false, true},
        {"z = r[0]", false, false},
        {"z = r.size() % 7", false, false},
        {"z = r[x % r.size()] + r.size()", false, false},
        {"z = r[x % r.shape[0]]", false, false},
        {"auto& q = r; z = r[x % r.size()]", false, false},
    };
    for (const Case& row : cases) {
        INFO(row.operation);
        const Signature signature = parse("T x, raw T r", "T z", row.operation);
        CHECK(signature.facts.index_wraps == row.index);
        CHECK(signature.parameters[1].wraps == row.size);
    }
    Definition definition{.name = "k",
                          .inputs = "raw T r",
                          .outputs = "T z",
                          .operation = "z = r[i % r.size()] + MORE"};
    definition.preamble = "#define MORE r.size()\n";
    CHECK_FALSE(parse_signature(definition).parameters[0].wraps);
    definition.preamble = "";
    definition.options = {"-DMORE=r.size()"};
    CHECK_FALSE(parse_signature(definition).parameters[0].wraps);
}

TEST_CASE("bodies use what their macros use", "[signature]") {
    const auto facts = [](const Definition& definition) {
        return parse_signature(definition).facts;
    };
    Definition definition{.name = "k", .inputs = "T x", .outputs = "T z", .operation = "z = INDEX"};
    definition.preamble = "#define INDEX \\\n (i + n)\nint j = 0;";
    CHECK(facts(definition).index);
    CHECK(facts(definition).count);
    definition.preamble = "// #define INDEX i\n";
    CHECK_FALSE(facts(definition).index);
    definition.options = {"-DINDEX=_ind.size()"};
    CHECK(facts(definition).indexer);
    definition.options = {"--define-macro=INDEX=i"};
    CHECK(facts(definition).index);
    definition.options.clear();
    definition.preamble = "#define ADDRESS(a) (&a)\n";
    CHECK(parse_signature(definition).parameters[0].by_reference);
}
