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
             Row{"y = (T)(a) * (float)-b; z = U(complex<float>(b, 1).real())", "y: a b; z: b"},
             Row{"const complex<float> c = complex<float>(b, s); y = static_cast<T>(a); z = "
                 "c.real()",
                 "y: a; z: b s"},
             Row{"y = a < T(1) ? a : T(INFINITY); z = (b & U(7)) * 2 - (b << 3)", "y: a; z: b"},
             Row{"y = r[(i * 7 + 3) % r.shape[0] + r.shape()[0]]; z = b && true", "y: r; z: b"},
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
             "y = a; goto end; end: z = b",
             // references, addresses and pointers to variables
             "T t = a; T& v = t; v = T(b); y = t; z = b",
             "T t = a; T &v = t, u = a; v = T(b); y = t; z = b",
             "T t = a; T bitand v = t; v = T(b); y = t; z = b",
             "T t = a; T& __restrict__ v = t; v = T(b); y = t; z = b",
             "T t = a; T& [[maybe_unused]] v = t; v = T(b); y = t; z = b",
             "T t = a; auto&& v = t; v = T(b); y = t; z = b",
             "T t = a; using R = T&; R v = t; v = T(b); y = t; z = b",
             "T t = a; T* p = &t; *p = T(b); y = t; z = b",
             "T t = a; T *const p = &t; *(T*)p = T(b); y = t; z = b",
             "long long q = s; *(float*)q = float(b); y = a; z = b",
             "T t = 0; (&t)[0] = a; y = t; z = b",
             "T t = a; y = (*(&t) = T(b), t); z = b",
             // functions that may change what they do not return
             "T t = a; y = T(atomicAdd(&t, T(b))); z = U(t)",
             "const int old = ::atomicAdd((int*)s, 1); y = a + T(old); z = b",
             "int e = 0; const float m = ::frexpf(float(b), &e); y = T(e); z = U(m)",
             "float t = 0, u = 0; y = (sincosf(float(a), &t, &u), T(t)); z = U(u)",
             "y = a; z = (printf(\"x\"), b)",
             "y = a; z = ((printf)(\"x\"), b)",
             "y = a; z = (helper(b), b)",
             "y = a; z = helper(b)",
             "y = a; z = (asm(\"\"), b)",
             "T t = a; z = (t.real(b), b); y = t",
             "z = (_ind.set(ptrdiff_t(b)), b); y = r[_ind.get()]",
             "y = random_uniform(1, i); z = b",
             "y = [&] { return a; }(); z = b",
             // variables whose names or declarations mean something else
             "T norm(a), u = T(b); y = norm; z = u",
             "T (q)(a), u = T(b); y = q; z = u",
             "T a = 1; y = a; z = b",
             "T t, u = T(b); y = t; z = u",
             "T t[2]; t[0] = a; y = t[0]; z = b",
             "T t[] = {a, T(b)}; y = t[0]; z = b",
             "auto [t, u] = pair; y = t; z = u",
             "static T t = a; y = t; z = b",
             "typedef float V; y = V(a); z = b",
             // assignments to what has no name
             "y = T(0); z = ((y) = a, b)",
             "y = T(0); z = ((y) ^= a, b)",
             "y = T(0); z = ((y) %= a, b)",
             "y = T(0); z = U(0); z = ((s > 0 ? y : y) = a, b)",
             "y = T(b); z = U(0); (z = b, y) = a",
             "y = a; T(y) = T(b), w = a; z = U(y)",
             "auto q = complex<float>(s, 1); y = (q.x ^= 1, a); z = b",
             // variables with the names of types
             "float T = a, w = 0; y = T; z = b",
             "float w = 0, T = a; y = T; z = b",
             "float w = 0, T(a); y = T; z = b",
             "T t = a; T w = 0, U(t); y = U; z = b",
             "double half = a, w = 0; y = half; z = b",
             "T X, w = b; y = X; z = w",
             "T (X) = a, w = T(0); y = X; z = b",
             // other tokens
             "T t = a; z = (t or_eq T(b), b); y = t",
             "T t = a; z = (t xor_eq T(b), b); y = t",
             "y++; z = b",
             "y = a; z = b; ++y",
             "y = a and T(b); z = b",
             "int q = 1;\n%:define M b\n q = 2; y = M; z = U(a)",
             "\n#if 1\ny = a;\n#endif\nz = b",
             "y = a; z = b; w",
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
    for (const char* name : {"u1", "f2", "i1", "half", "complex", "size_t"}) {
        INFO(name);
        CHECK(with([&](Definition& d) {
                  d.inputs += std::string(", T ") + name;
                  d.operation = std::string("y = a - ") + name + "; z = b";
              }).empty());
    }
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
    const Signature signature = parse_signature(of("T t = exp(a); y = t; z = b / U(3)"));
    REQUIRE(signature.output_needs.size() == 2);
    CHECK(signature.output_needs[0].token_count == 12);  // T t = exp ( a ) ; y = t ;
    CHECK(signature.output_needs[1].token_count == 9);
    CHECK(signature.output_needs[0].work == 1);
    CHECK(signature.output_needs[1].work == 3);
}
