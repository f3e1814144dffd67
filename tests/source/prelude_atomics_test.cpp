// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <kgen/half.hpp>
#include <limits>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/prelude_program.hpp"

namespace {

// Each member is changed 1000 times by one kind of atomic function.
const char* const snippet = R"(
struct Places {
    int i; unsigned u; long long l; unsigned long long ul; float f; double d; float16 h; bfloat16 b;
    unsigned wrapped; float largest; double least; long long bits; int swapped; double exchanged;
};
KGEN_EXPORT void work(Places* p, int thread) {
    for (int n = 0; n < 1000; ++n) {
        atomicAdd(&p->i, 1);
        atomicSub(&p->u, 1u);
        atomicAdd(&p->l, 5000000000ll);
        atomicAdd(&p->ul, 1);
        atomicAdd(&p->f, 1);
        atomicAdd(&p->d, 0.5);
        atomicAdd(&p->h, (n & 1) ? -1.0f : 1.0f);
        atomicAdd(&p->b, (n & 1) ? 0.5 : -0.5);
        atomicInc(&p->wrapped, 9);
        atomicMax(&p->largest, (float)(thread * 1000 + n));
        atomicMin(&p->least, -1e300 / (1 + n) * (1 + thread));
        atomicXor(&p->bits, 1ll << (n % 60));
        int old;
        do old = p->swapped; while (atomicCAS(&p->swapped, old, old + 2) != old);
        atomicExch(&p->exchanged, thread + 0.25);
    }
}
KGEN_EXPORT float max_of(float a, float b) { atomicMax(&a, b); return a; }
KGEN_EXPORT double min_of(double a, double b) { atomicMin(&a, b); return a; }
KGEN_EXPORT unsigned decremented(unsigned a, unsigned b) { unsigned old = atomicDec(&a, b); return a * 1000 + old; }
)";

struct Places {
    int i;
    unsigned u;
    long long l;
    unsigned long long ul;
    float f;
    double d;
    kgen::half_t h;
    kgen::bfloat16_t b;
    unsigned wrapped;
    float largest;
    double least;
    long long bits;
    int swapped;
    double exchanged;
};

}  // namespace

TEST_CASE("atomics lose no update between threads", "[prelude]") {
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const prelude::HostProgram program(
            compiler,
            prelude::sections(
                {"base_host", "math_host", "float16", "bfloat16", "narrow_float", "atomics_host"}) +
                prelude::export_macro + snippet);
        REQUIRE(program.refusal() == "");
        auto* const work = program.function<void(Places*, int)>("work");
        Places places{};
        places.u = 4000;
        std::vector<std::thread> threads;
        for (int n = 0; n < 4; ++n) threads.emplace_back(work, &places, n);
        for (std::thread& thread : threads) thread.join();
        CHECK(places.i == 4000);
        CHECK(places.u == 0);
        CHECK(places.l == 20000000000000);
        CHECK(places.ul == 4000);
        CHECK(places.f == 4000);
        CHECK(places.d == 2000);
        CHECK(places.h == 0.0f);
        CHECK(places.b == 0.0f);
        CHECK(places.wrapped == 0);
        CHECK(places.largest == 3999);
        CHECK(places.least == -4e300);
        CHECK(places.bits == 0);
        CHECK(places.swapped == 8000);
        CHECK(places.exchanged - std::floor(places.exchanged) == 0.25);
        const float nan = std::numeric_limits<float>::quiet_NaN();
        auto* const max_of = program.function<float(float, float)>("max_of");
        CHECK(max_of(nan, -1) == -1);
        CHECK(max_of(-1, nan) == -1);
        auto* const min_of = program.function<double(double, double)>("min_of");
        // The difference is below the precision of float.
        CHECK(min_of(1.0 + 1e-15, 1.0) == 1.0);
        auto* const decremented = program.function<unsigned(unsigned, unsigned)>("decremented");
        CHECK(decremented(0, 7) == 7000);
        CHECK(decremented(9, 7) == 7009);
        CHECK(decremented(5, 7) == 4005);
    }
}

TEST_CASE("atomics compile for every GPU", "[prelude]") {
    const prelude::Nvrtc nvrtc;
    if (!nvrtc) return;
    for (const char* target : {"sm_75", "sm_80", "sm_90", "compute_90"}) {
        CHECK(nvrtc.refusal(
                  prelude::all_cuda() + "#define KGEN_EXPORT extern \"C\" __device__\n" + snippet,
                  target) == "");
    }
}
