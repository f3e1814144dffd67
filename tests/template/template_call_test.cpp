// SPDX-License-Identifier: MIT
//
// KernelTemplate: which form a call uses, and the message if no form fits.
#include <kgen/kgen.hpp>
#include <random>
#include <thread>

#include "support/devices.hpp"
#include "template/overload_choice.hpp"
#include "template/template_library.hpp"

using namespace kgen;

namespace {

// A template whose forms give different results. Each form can be recognized by its result.
const char* const forms = R"({"kind": "elementwise", "name": "formed", "description": "its form",
    "inputs": "T x, T y", "outputs": "T z", "operation": "z = 3",
    "overloads": [{"where": {"T": ["integers"]}, "outputs": "float64 z", "operation": "z = 1"},
                  {"inputs": "float32 x, T y", "operation": "z = 2", "where": {"T": ["bool", "int8"]}},
                  {"where": {"T": ["floats"]}}]})";

}  // namespace

TEST_CASE("a call takes the first form that fits its arrays and numbers", "[template]") {
    const KernelTemplate formed = KernelTemplate::from_json(forms);
    CHECK(formed.overload_count() == 3);
    CHECK(formed.input_count() == 2);
    CHECK(formed.output_count() == 1);
    CHECK(formed.parameter_names() == std::vector<std::string>{"x", "y", "z"});
    for (const Device device : test::present_devices()) {
        const ArrayOptions there{.device = device};
        const Array ints = arange(2, int32, there);
        const Array floats = arange(2, float32, there);
        const Array bytes = arange(2, int8, there);
        CHECK(to_text(formed(ints, ints)) == "[1. 1.]");
        CHECK(formed(ints, 5).dtype() == float64);
        CHECK(to_text(formed(5, ints)) == "[1. 1.]");
        CHECK(to_text(formed(floats, bytes)) == "[2 2]");
        CHECK(to_text(formed(floats, 1)) == "[3. 3.]");
        // A given output is considered too when a form is chosen.
        const Array given = zeros({2}, float64, there);
        formed(ints, ints, out(given));
        formed(ints, ints, given);
        CHECK(to_text(given) == "[1. 1.]");
        CHECK(to_text(formed.call<1>(floats, floats)[0]) == "[3. 3.]");
        const BoundLaunch step = formed.bind(ints, ints, out(given));
        step();
        const std::vector<Argument> arguments = {floats, bytes};
        CHECK(to_text(formed.call(arguments)[0]) == "[2 2]");
        formed.bind_arguments(arguments)();
    }
}

TEST_CASE("an alias finds the template", "[template]") {
    const KernelTemplate mod = kernel_template("mod");
    CHECK(mod.name() == "remainder");
    CHECK(mod.json() == kernel_template("remainder").json());
    CHECK(mod.json().find(R"("aliases": [
    "mod"
  ])") != std::string::npos);
    CHECK(KernelTemplate::from_json(mod.json()).json() == mod.json());
    CHECK(KGEN_MESSAGE_OF(SignatureError, kernel_template("bitwise_nott")) ==
          "no template is called 'bitwise_nott'; did you mean 'bitwise_not'?");
}

TEST_CASE("where no form fits the message has them all", "[template]") {
    const KernelTemplate formed = KernelTemplate::from_json(forms);
    const Array floats = arange(2, float32);
    const std::string has =
        "; it has\n"
        "  T x, T y -> float64 z with T = int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | "
        "uint64\n"
        "  float32 x, T y -> T z with T = bool | int8\n"
        "  T x, T y -> T z with T = float16 | bfloat16 | float32 | float64";
    CHECK(KGEN_MESSAGE_OF(TypeError, formed(floats, arange(2, int32))) ==
          "template 'formed': no overload accepts float32, int32" + has);
    CHECK(KGEN_MESSAGE_OF(TypeError, formed(arange(2, complex64), 1.5)) ==
          "template 'formed': no overload accepts complex64, number float64" + has);
    CHECK(KGEN_MESSAGE_OF(TypeError, formed.elementwise({complex64, int8})) ==
          "template 'formed': no overload accepts complex64, int8" + has);
    // If a template has only one form, errors read like those of its kernel.
    CHECK(KGEN_MESSAGE_OF(TypeError, kernel_template("subtract")(floats, arange(2, int32))) ==
          "kernel 'subtract': T is float32 from argument 1 ('x') but int32 from argument 2 ('y'); "
          "convert one of them with astype");
    CHECK(KGEN_MESSAGE_OF(TypeError, kernel_template("leaky_relu")(arange(2, int8), 1)) ==
          "template 'leaky_relu': no overload accepts int8, number int32; it has\n"
          "  T x, T slope -> T y with T = float16 | bfloat16 | float32 | float64");
    // A call that fits no form's parameters gets the error of the first form.
    CHECK(KGEN_MESSAGE_OF(Error, formed(floats)) ==
          "kernel 'formed': expected 2 arguments (x, y) or, with outputs, 3 (x, y, z), but got 1");
    CHECK_THROWS_AS(formed(Array(), floats), Error);
}

TEST_CASE("a template gives its kernels", "[template]") {
    const KernelTemplate l2norm = kernel_template("l2norm");
    CHECK(l2norm.kind() == KernelTemplate::Kind::reduction);
    CHECK(l2norm.name() == "l2norm");
    CHECK(l2norm.description() == "the square root of the sum of squares");
    CHECK(l2norm.reduction({float32}).parameter_names() == std::vector<std::string>{"x", "y"});
    CHECK(kernel_template("add").elementwise().name() == "add");
    CHECK(KGEN_MESSAGE_OF(TypeError, l2norm.reduction()) ==
          "template 'l2norm': it has 5 overloads; name the inputs' dtypes, as in "
          "reduction({float32})");
    CHECK(KGEN_MESSAGE_OF(TypeError, l2norm.reduction({float32, float32})) ==
          "template 'l2norm': got 2 dtypes, expected 1");
    CHECK(KGEN_MESSAGE_OF(TypeError, l2norm.elementwise({float32})) ==
          "template 'l2norm' is a reduction kernel; call reduction()");
    CHECK(KGEN_MESSAGE_OF(TypeError, kernel_template("add").reduction()) ==
          "template 'add' is an elementwise kernel; call elementwise()");
}

TEST_CASE("a template is called and explained as its kernel is", "[template]") {
    const KernelTemplate l2norm = kernel_template("l2norm");
    for (const Device device : test::present_devices()) {
        const Array x = from_vector<float>({3, 4, 6, 8}, {2, 2}, {.device = device});
        CHECK(to_text(l2norm(x, axis(1))) == "[ 5. 10.]");
        CHECK(to_text(l2norm(x.astype(int32), axis(1), keepdims)) == "[[ 5.]\n [10.]]");
        CHECK(l2norm(x.astype(int32)).dtype() == float64);
    }
    const std::vector<Argument> described = {ArraySpec{float16, {2, 5}}};
    const Explanation explained =
        l2norm.explain(described, {.axes = std::vector<int>{1}}, {.arch = "sm_90"});
    CHECK(explained.signature == "T x -> T y");
    CHECK(explained.types == "T = float16");
}

TEST_CASE("templates of the library share what was compiled and are thread safe", "[template]") {
    std::vector<std::thread> threads;
    std::vector<std::string> texts(8);
    for (std::size_t k = 0; k < texts.size(); ++k) {
        threads.emplace_back([&texts, k] {
            texts[k] = to_text(kernel_template("square")(arange(3, k % 2 == 0 ? float32 : int32)));
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t k = 0; k < texts.size(); ++k)
        CHECK(texts[k] == (k % 2 == 0 ? "[0. 1. 4.]" : "[0 1 4]"));
}

TEST_CASE("a form fits just where its types resolve", "[template]") {
    std::mt19937 random(6);
    const auto pick = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    const std::vector<std::string> types = {
        "T ", "T ", "U ", "int8 ", "float32 ", "raw T ", "_non_const T ", "raw int8 "};
    const std::vector<DType> dtypes = {int8, float32, float64};
    int fitting = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        Definition definition;
        definition.name = "k";
        for (const char* name : {"x, ", "y, ", "z"})
            definition.inputs += types[pick(types.size())] + name;
        definition.outputs = types[pick(5)] + "r";
        definition.operation = "r = 1";
        const Signature signature = parse_signature(definition);
        std::vector<ArgumentType> arguments(4);
        for (std::size_t k = 0; k < 4; ++k) {
            using enum ArgumentType::Kind;
            arguments[k].dtype = dtypes[pick(dtypes.size())];
            arguments[k].kind =
                k == 3 ? (pick(2) == 0 ? array : absent) : (pick(3) == 0 ? scalar : array);
        }
        bool resolves = true;
        try {
            static_cast<void>(resolve_types(signature, arguments));
        } catch (const TypeError&) {
            resolves = false;
        }
        INFO(to_text(signature) << " of " << describe_given(arguments));
        REQUIRE(fits(signature, {}, arguments) == resolves);
        fitting += resolves ? 1 : 0;
    }
    CHECK(fitting > 100);
}
