// SPDX-License-Identifier: MIT
//
// The meaning of a reduction's strings, and the exact message for each mistake in them.
#include <kgen/error.hpp>
#include <optional>
#include <string>
#include <vector>

#include "signature/signature.hpp"
#include "support/catch.hpp"
#include "types/accumulator.hpp"

using namespace kgen;

namespace {

Definition sum_of_squares() {
    return {.name = "k",
            .inputs = "T x",
            .outputs = "T y",
            .operation = "x * x",
            .reduction = ReductionTexts{.reduce = "a + b", .post_map = "y = a", .identity = "0"}};
}

// Returns a copy of the definition with some texts changed.
template <typename Change>
Definition with(Change change) {
    Definition definition = sum_of_squares();
    change(definition, *definition.reduction);
    return definition;
}

ReductionFacts facts_of(const Definition& definition) {
    return *parse_signature(definition).reduction;
}

std::string refusal_of(const Definition& definition) {
    return KGEN_MESSAGE_OF(SignatureError, parse_signature(definition));
}

}  // namespace

TEST_CASE("a reduction's texts are read as what they are", "[signature][reduction]") {
    const Signature signature = parse_signature(sum_of_squares());
    CHECK(to_text(signature) == "T x -> T y");
    REQUIRE(signature.reduction);
    const ReductionFacts& facts = *signature.reduction;
    CHECK(facts.map == TextForm::expression);
    CHECK(facts.reduce == TextForm::expression);
    CHECK(facts.has_identity);
    CHECK_FALSE(facts.has_own_accumulator);
    CHECK(facts.accuracy == Accuracy::plain);
    CHECK(signature.facts.token_count == 6);
    CHECK(signature.facts.work == 0);

    for (const char* empty : {"", "  \n\t", "// none", "/* none */"}) {
        INFO(empty);
        const Definition definition = with([&](Definition&, ReductionTexts& texts) {
            texts.identity = empty;
            texts.reduce_type = empty;
        });
        CHECK_FALSE(facts_of(definition).has_identity);
        CHECK_FALSE(facts_of(definition).has_own_accumulator);
    }
    CHECK(facts_of(with([](auto&, auto& texts) {
              texts.reduce_type = "struct pair";
          })).has_own_accumulator);
}

TEST_CASE("map and reduce are expressions or statements that return", "[signature][reduction]") {
    struct Case {
        std::string text;
        TextForm form;
    };
    const Case cases[] = {
        {"x * x", TextForm::expression},
        {"[&] { T t = x; return t * t; }()", TextForm::expression},
        {"f(x, ';')", TextForm::expression},
        {"x // not; here", TextForm::expression},
        {"(T{x})", TextForm::expression},
        {"\n#define P x;\nP2(x)", TextForm::expression},
        {"return x * x", TextForm::statements},
        {"return x * x;", TextForm::statements},
        {"T t = x; return t * t", TextForm::statements},
        {"if (x < 0) return -x; else return x;", TextForm::statements},
        {"for (;;) { return x; }", TextForm::statements},
        {"while (true) { return x; }", TextForm::statements},
        {"do { return x; } while (true);", TextForm::statements},
        {"switch (x) { default: return x; }", TextForm::statements},
        {"{ return x; }", TextForm::statements},
        {"/* so */ <% return x; %>", TextForm::statements},
    };
    for (const Case& row : cases) {
        INFO(row.text);
        CHECK(facts_of(with([&](auto& definition, auto&) {
                  definition.operation = row.text;
              })).map == row.form);
        CHECK(facts_of(with([&](auto&, auto& texts) { texts.reduce = row.text; })).reduce ==
              row.form);
    }
}

TEST_CASE("map and post_map show which places they use", "[signature][reduction]") {
    struct Case {
        std::string text;
        bool index, reduced_index, input_indexer, output_indexer;
    };
    const Case cases[] = {
        {"x * x", false, false, false, false},
        {"x * i", true, false, false, false},
        {"x * _J", false, true, false, false},
        {"x / _in_ind.size()", false, false, true, false},
        {"x / _out_ind.get()[0]", false, false, false, true},
        {"i + _J + _in_ind.size() + _out_ind.size()", true, true, true, true},
        {"p.i + q->_J /* _in_ind */", false, false, false, false},
    };
    for (const Case& row : cases) {
        INFO(row.text);
        const auto check = [&](const PlaceFacts& place) {
            CHECK(place.index == row.index);
            CHECK(place.reduced_index == row.reduced_index);
            CHECK(place.input_indexer == row.input_indexer);
            CHECK(place.output_indexer == row.output_indexer);
        };
        const ReductionFacts of_map =
            facts_of(with([&](auto& definition, auto&) { definition.operation = row.text; }));
        check(of_map.map_place);
        CHECK_FALSE(of_map.post_place.index);
        const ReductionFacts of_post =
            facts_of(with([&](auto&, auto& texts) { texts.post_map = row.text; }));
        check(of_post.post_place);
        CHECK_FALSE(of_post.map_place.reduced_index);
    }
}

TEST_CASE("a reduction's texts use what their macros use", "[signature][reduction]") {
    CHECK(facts_of(with([](auto& definition, auto&) {
              definition.operation = "PLACE";
              definition.preamble = "#define PLACE \\\n _J\n";
          })).map_place.reduced_index);
    CHECK(facts_of(with([](auto& definition, auto& texts) {
              texts.post_map = "y = a / SIZE";
              definition.options = {"-DSIZE=_in_ind.size()"};
          })).post_place.input_indexer);
    // Names that are local to a function do not count as names in the map.
    CHECK_FALSE(facts_of(with([](auto& definition, auto&) {
                    definition.preamble = "__device__ int f(int i) { return i; }";
                })).map_place.index);
    const Signature signature = parse_signature(with([](auto& definition, auto& texts) {
        definition.operation = "exp(x)";
        texts.reduce = "log(exp(a) + exp(b))";
        texts.post_map = "y = sin(a)";
    }));
    // Three exponentials and a logarithm of twice their work.
    CHECK(signature.facts.work == 5);
    CHECK_FALSE(signature.facts.keeps_state);
    CHECK_FALSE(signature.facts.shared_memory);
}

TEST_CASE("places in memory are seen in every text", "[signature][reduction]") {
    const Signature signature = parse_signature(with([](auto& definition, auto& texts) {
        definition.inputs = "T x, T z, T w";
        definition.operation = "f(&x) + _raw_z[0]";
        texts.post_map = "g(&y, a)";
    }));
    CHECK(signature.parameters[0].by_reference);
    CHECK_FALSE(signature.parameters[0].viewed);
    CHECK(signature.parameters[1].viewed);
    CHECK_FALSE(signature.parameters[2].by_reference);
    CHECK(signature.parameters[3].by_reference);
}

TEST_CASE("texts that make no reduction are refused", "[signature][reduction][errors]") {
    CHECK(refusal_of(with([](auto& definition, auto&) { definition.operation = " "; })) ==
          "kernel 'k': the map is empty; write the value of an element, as in 'x * x'");
    CHECK(refusal_of(with([](auto&, auto& texts) { texts.reduce = "/* */"; })) ==
          "kernel 'k': the reduce is empty; write how 'a' and 'b' are folded, as in 'a + b'");
    CHECK(refusal_of(with([](auto&, auto& texts) { texts.post_map = ""; })) ==
          "kernel 'k': the post_map is empty; write the outputs from 'a', as in 'y = a'");
    CHECK(
        refusal_of(with([](auto& definition, auto&) { definition.outputs = ""; })) ==
        "kernel 'k': there is no output that determines the accumulator's dtype; set reduce_type");
    CHECK(refusal_of(with([](auto& definition, auto&) { definition.outputs = "T y, T a"; })) ==
          "kernel 'k': output 2 ('a'): the name is reserved for the folded value in the post_map; "
          "choose another");
    CHECK(refusal_of(
              with([](auto& definition, auto&) { definition.inputs = "T x, _non_const T w"; })) ==
          "kernel 'k': argument 2 ('w') is _non_const, but a reduction writes only its outputs; "
          "make it raw, or an output");
    CHECK(refusal_of(with([](auto& definition, auto&) { definition.operation = "x * x;"; })) ==
          "kernel 'k': the map has statements, but none returns a value\n  x * x;\n       ^\nwrite "
          "one expression, or end with 'return VALUE;'");
    CHECK(refusal_of(with([](auto&, auto& texts) { texts.reduce = "if (a < b) { a = b; }"; })) ==
          "kernel 'k': the reduce has statements, but none returns a value\n  if (a < b) { a = b; "
          "}\n  ^~\nwrite one expression, or end with 'return VALUE;'");
}

TEST_CASE("names that are an output's alone are free elsewhere", "[signature][reduction]") {
    CHECK_NOTHROW(parse_signature(with([](auto& definition, auto& texts) {
        definition.inputs = "T a, raw _non_const T b";
        definition.outputs = "T n";
        definition.operation = "a";
        texts.post_map = "n = a";
    })));
    CHECK_NOTHROW(parse_signature(with([](auto& definition, auto& texts) {
        definition.outputs = "";
        texts.reduce_type = "float";
        texts.post_map = "";
    })));
    CHECK(refusal_of(with([](auto& definition, auto&) { definition.inputs = "T i"; })) ==
          "kernel 'k': parameter name 'i' is reserved for the element index\n  T i\n    ^");
    const Signature own = parse_signature(with([](auto& definition, auto&) {
        definition.inputs = "T _J, T _in_ind";
        definition.operation = "_J + _in_ind + _j + _out_ind.get()[0]";
    }));
    CHECK_FALSE(own.reduction->map_place.reduced_index);
    CHECK_FALSE(own.reduction->map_place.input_indexer);
    CHECK(own.reduction->map_place.joint_index);
    CHECK(own.reduction->map_place.output_indexer);
}

TEST_CASE("only sums are compensated", "[signature][reduction][errors]") {
    const auto compensated = [](const std::string& reduce) {
        return with([&](auto&, ReductionTexts& texts) {
            texts.reduce = reduce;
            texts.accuracy = Accuracy::compensated;
        });
    };
    for (const char* sum : {"a + b", "b+a", " a /* and */ +\nb // so"}) {
        INFO(sum);
        CHECK(facts_of(compensated(sum)).accuracy == Accuracy::compensated);
    }
    CHECK(refusal_of(compensated("max(a, b)")) ==
          "kernel 'k': only a sum can be compensated, so the reduce must be 'a + b'\n"
          "  max(a, b)\n"
          "  ^~~~~~~~~");
    CHECK(refusal_of(compensated(" a + a ")) ==
          "kernel 'k': only a sum can be compensated, so the reduce must be 'a + b'\n"
          "   a + a \n"
          "   ^~~~~");
}

TEST_CASE("every text of a reduction must close and hold no NUL",
          "[signature][reduction][errors]") {
    struct Case {
        std::string label;
        std::string Definition::*text;
        std::string ReductionTexts::*reduction_text;
    };
    const Case cases[] = {
        {"map", &Definition::operation, nullptr},
        {"reduce", nullptr, &ReductionTexts::reduce},
        {"post_map", nullptr, &ReductionTexts::post_map},
        {"identity", nullptr, &ReductionTexts::identity},
        {"reduce_type", nullptr, &ReductionTexts::reduce_type},
        {"preamble", &Definition::preamble, nullptr},
    };
    for (const Case& row : cases) {
        INFO(row.label);
        Definition definition = sum_of_squares();
        std::string& text = row.text != nullptr ? definition.*row.text
                                                : (*definition.reduction).*row.reduction_text;
        text = "x)";
        CHECK(refusal_of(definition) == "kernel 'k': the " + row.label +
                                            " is not balanced at line 1, column 2: this ')' closes "
                                            "nothing\n  x)\n   ^");
        text = std::string("x\ny\0", 4);
        CHECK(refusal_of(definition) ==
              "kernel 'k': the " + row.label + " has a NUL byte at line 2, column 2");
        text = std::string((1 << 20) + 1, 'x');
        CHECK(refusal_of(definition) ==
              "kernel 'k': the " + row.label + " has 1048577 bytes, at most 1048576 are allowed");
    }
}

TEST_CASE("the accumulator follows the first output's dtype", "[types][reduction]") {
    struct Case {
        DType output;
        DType accumulator;
    };
    const Case cases[] = {
        {bool_, uint64},
        {int8, int64},
        {int16, int64},
        {int32, int64},
        {int64, int64},
        {uint8, uint64},
        {uint16, uint64},
        {uint32, uint64},
        {uint64, uint64},
        {float16, float32},
        {bfloat16, float32},
        {float32, float32},
        {float64, float64},
        {complex64, complex64},
        {complex128, complex128},
    };
    REQUIRE(std::size(cases) == dtype_count);
    const Signature plain = parse_signature(sum_of_squares());
    const Signature compensated = parse_signature(
        with([](auto&, ReductionTexts& texts) { texts.accuracy = Accuracy::compensated; }));
    const Signature own =
        parse_signature(with([](auto&, ReductionTexts& texts) { texts.reduce_type = "pair"; }));
    for (const Case& row : cases) {
        INFO(to_text(row.output));
        CHECK(default_accumulator(row.output) == row.accumulator);
        const TypeBinding types{.dtypes = {float32, row.output}, .placeholders = {}};
        const std::size_t item = item_size(row.accumulator);
        const bool is_floating = kind_of(row.accumulator) == DTypeKind::real ||
                                 kind_of(row.accumulator) == DTypeKind::complex;
        CHECK(accumulator_bytes(plain, types) == item);
        CHECK(accumulator_bytes(compensated, types) == (is_floating ? 2 * item : item));
        CHECK(accumulator_bytes(own, types) == 0);
    }
}

TEST_CASE("a reduce_type that is a dtype's name is known without a compiler",
          "[signature][reduction]") {
    struct Case {
        const char* text;
        const char* preamble;
        std::optional<DType> accumulator;
    };
    const Case cases[] = {
        {"int64", "", int64},
        {" float32 /* exact */", "", float32},
        {"float", "struct other {};", float32},
        {"double", "", float64},
        {"complex64", "", complex64},
        {"bool", "", std::nullopt},
        {"T", "", std::nullopt},
        {"long long", "", std::nullopt},
        {"pair", "struct pair { float a, b; };", std::nullopt},
        {"int64", "#define int64 pair", std::nullopt},
        {"", "", std::nullopt},
    };
    for (const Case& row : cases) {
        INFO(row.text << ", " << row.preamble);
        const Signature signature = parse_signature(with([&](auto& definition, auto& texts) {
            texts.reduce_type = row.text;
            definition.preamble = row.preamble;
        }));
        CHECK(signature.reduction->accumulator == row.accumulator);
        CHECK(signature.reduction->has_own_accumulator == (!row.accumulator && *row.text != 0));
    }
}
