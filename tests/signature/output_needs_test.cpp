// SPDX-License-Identifier: MIT
//
// What each output of an elementwise kernel is computed from.
#include <string>
#include <vector>

#include "signature/signature.hpp"
#include "support/catch.hpp"

using namespace kgen;

namespace {

Definition of(const std::string& operation) {
    return {.name = "needs",
            .inputs = "T a, U b, float32 s, raw T r",
            .outputs = "T y, U z",
            .operation = operation};
}

// Returns the names of the parameters that each output needs: "y: a s; z: b".
std::string needs_of(const Definition& definition) {
    const Signature signature = parse_signature(definition);
    std::string text;
    for (std::size_t k = 0; k < signature.output_needs.size(); ++k) {
        const auto output = static_cast<std::size_t>(signature.input_count) + k;
        text += (k > 0 ? "; " : "") + signature.parameters[output].name + ":";
        for (std::size_t j = 0; j < signature.parameters.size(); ++j) {
            if (j != output && (signature.output_needs[k].parameters >> j & 1) != 0)
                text += " " + signature.parameters[j].name;
        }
    }
    return text;
}

}  // namespace

TEST_CASE("what an output is computed from is found through variables and types", "[signature]") {
    struct Row {
        const char* operation;
        const char* needs;
    };
    for (const Row& row : {
             Row{"y = a; z = b", "y: a; z: b"},
             Row{"y = a * s; z = b + s", "y: a s; z: b s"},
             Row{"y = r[i]; z = b", "y: r; z: b"},
             Row{"const T t = a; U u = U(b), v = u; y = t; z = v", "y: a; z: b"},
             Row{"T t = a; t += T(b); y = t; z = b", "y: a b; z: b"},
             Row{"T t = a; y = t; t = T(b); z = U(t)", "y: a; z: a b"},
             Row{"using value = float; const value v = value(b); y = T(v); z = b", "y: b; z: b"},
             Row{"y = T(b); z = U(y) + U(a)", "y: b; z: a b y"},
             Row{"y += a; z ^= b; z %= U(s)", "y: a; z: b s"},
             Row{"y = z = b", "y: b z; z: b y"},
             Row{"y = a, z = b", "y: a b z; z: a b y"},
             Row{"a > T(0) && (y = a); z = exp(b)", "y: a; z: b"},
             Row{"y = _ind.get()[0] + a; z = b ? U(i) : U(n)", "y: a; z: b"},
             Row{"y = sqrtf(max(a, T(1))); z = U(float16(b)) & 3", "y: a; z: b"},
         }) {
        INFO(row.operation);
        CHECK(needs_of(of(row.operation)) == row.needs);
    }
}

TEST_CASE("outputs of texts that may do more than assign are not taken apart", "[signature]") {
    for (const char* operation : {
             "if (a > 0) y = a; z = b",
             "for (y = 0; y < a; y += 1) z = b; z = b",
             "{ y = a; } z = b",
             "y = a; if (b > 0) continue; z = b",
             "y = a; return; z = b",
             "T& t = y; t = a; z = b",
             "T &t = y, u = a; t = u; z = b",
             "T* p = &y; *p = a; z = b",
             "atomicAdd(&y, a); z = b",
             "y = a; z = b; printf(\"%d\", 1)",
             "y = a; z = U(atomicAdd(&y, a))",
             "y = helper(a); z = b",
             "float t, u; y = (sincosf(float(a), &t, &u), T(t)); z = U(u)",
             "y = [&] { return a; }(); z = b",
             "T a = 1; y = a; z = b",
             "y++; z = b",
             "T t[2]; t[0] = a; y = t[0]; z = b",
             "\n#if 1\ny = a;\n#endif\nz = b",
             "static T t = a; y = t; z = b",
             "y = random_uniform(1, i); z = b",
             "y = a; z = b; ; asm(\"\")",
         }) {
        INFO(operation);
        CHECK(needs_of(of(operation)).empty());
    }
    const auto with = [](auto change) {
        Definition definition = of("y = a; z = b");
        change(definition);
        return needs_of(definition);
    };
    CHECK(with([](Definition&) {}) == "y: a; z: b");
    CHECK(with([](Definition& d) { d.preamble = "#define y z"; }).empty());
    CHECK(with([](Definition& d) { d.options = {"-Dy=z"}; }).empty());
    CHECK(with([](Definition& d) { d.loop_prep = "int k = 0;"; }).empty());
    CHECK(with([](Definition& d) { d.after_loop = "int k = 0;"; }).empty());
    CHECK(with([](Definition& d) { d.inputs = "_non_const T a, U b"; }).empty());
    CHECK(with([](Definition& d) {
              d.outputs = "T y, U z, raw T w", d.operation += "; w[i] = a";
          }).empty());
    CHECK(with([](Definition& d) { d.outputs = "T y", d.operation = "y = a"; }).empty());
}

TEST_CASE("the text that an output takes is counted", "[signature]") {
    const Signature signature = parse_signature(of("T t = exp(a); y = t; z = b / 3"));
    REQUIRE(signature.output_needs.size() == 2);
    CHECK(signature.output_needs[0].token_count == 12);  // T t = exp ( a ) ; y = t ;
    CHECK(signature.output_needs[1].token_count == 6);
    CHECK(signature.output_needs[0].work == 1);
    CHECK(signature.output_needs[1].work == 3);
}
