// SPDX-License-Identifier: MIT
// kgen prelude: declares the functions of libm that libmvec also has for vectors, so that loops that call them are
// vectorised. clang++ uses -fveclib instead. The README, "Devices", gives the largest errors.
#ifdef KGEN_VECTOR_MATH
#ifndef __clang__
#define KGEN_VECTOR1(name) \
    extern "C" __attribute__((simd("notinbranch"))) double name(double); \
    extern "C" __attribute__((simd("notinbranch"))) float name##f(float);
KGEN_VECTOR1(cos) KGEN_VECTOR1(sin)
extern "C" __attribute__((simd("notinbranch"))) double pow(double, double);
#ifndef __FMA__  // otherwise pow of float is kgen's own
extern "C" __attribute__((simd("notinbranch"))) float powf(float, float);
#endif
#endif

// Equal inputs must have equal results, in the body and in the tail of a loop and in every layout. But libm rounds
// differently from libmvec, and libmvec rounds differently at each width. The program therefore defines libm's symbols
// and those of narrower vectors itself. They fill a vector of one width with copies of their argument and call libmvec.
// They use copies because each lane with a special value costs a call of its own. The width is 512 bits with AVX-512
// (but 256 for clang++, whose -fveclib knows no wider functions), 256 with AVX2, and otherwise 128, in whose parts
// libmvec then computes wider vectors.
#define KGEN_THROUGH(symbol, spread, function, end) \
    asm(".pushsection .text\n.p2align 4\n.type " symbol ",@function\n" symbol ":\n.cfi_startproc\n" spread \
        "subq $8,%rsp\n.cfi_adjust_cfa_offset 8\ncall " function "@PLT\n" end \
        "addq $8,%rsp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size " symbol ",.-" symbol "\n.popsection");
#if defined(__AVX512F__) && !defined(__clang__)
#define KGEN_SPREAD_f "vbroadcastss %xmm0,%zmm0\nvbroadcastss %xmm1,%zmm1\n"
#define KGEN_SPREAD_d "vbroadcastsd %xmm0,%zmm0\nvbroadcastsd %xmm1,%zmm1\n"
#define KGEN_SPREAD_128 "vshuff64x2 $0,%zmm0,%zmm0,%zmm0\nvshuff64x2 $0,%zmm1,%zmm1,%zmm1\n"
#define KGEN_SPREAD_256 "vshuff64x2 $0x44,%zmm0,%zmm0,%zmm0\nvshuff64x2 $0x44,%zmm1,%zmm1,%zmm1\n"
#define KGEN_ONE_WIDTH(name, type, n128, n256, n512, arguments) \
    KGEN_THROUGH(name, KGEN_SPREAD_##type, "_ZGVeN" n512 arguments "_" name, "vzeroupper\n") \
    KGEN_THROUGH("_ZGVbN" n128 arguments "_" name, KGEN_SPREAD_128, "_ZGVeN" n512 arguments "_" name, "vzeroupper\n") \
    KGEN_THROUGH("_ZGVdN" n256 arguments "_" name, KGEN_SPREAD_256, "_ZGVeN" n512 arguments "_" name, "")
#elif defined(__AVX2__)
#define KGEN_SPREAD_f "vbroadcastss %xmm0,%ymm0\nvbroadcastss %xmm1,%ymm1\n"
#define KGEN_SPREAD_d "vbroadcastsd %xmm0,%ymm0\nvbroadcastsd %xmm1,%ymm1\n"
#define KGEN_SPREAD_128 "vinsertf128 $1,%xmm0,%ymm0,%ymm0\nvinsertf128 $1,%xmm1,%ymm1,%ymm1\n"
#define KGEN_ONE_WIDTH(name, type, n128, n256, n512, arguments) \
    KGEN_THROUGH(name, KGEN_SPREAD_##type, "_ZGVdN" n256 arguments "_" name, "vzeroupper\n") \
    KGEN_THROUGH("_ZGVbN" n128 arguments "_" name, KGEN_SPREAD_128, "_ZGVdN" n256 arguments "_" name, "vzeroupper\n")
#else
#define KGEN_SPREAD_f "shufps $0,%xmm0,%xmm0\nshufps $0,%xmm1,%xmm1\n"
#define KGEN_SPREAD_d "unpcklpd %xmm0,%xmm0\nunpcklpd %xmm1,%xmm1\n"
#define KGEN_ONE_WIDTH(name, type, n128, n256, n512, arguments) \
    KGEN_THROUGH(name, KGEN_SPREAD_##type, "_ZGVbN" n128 arguments "_" name, "")
#endif
#define KGEN_FUNCTION(name) \
    KGEN_ONE_WIDTH(name "f", f, "4", "8", "16", "v") KGEN_ONE_WIDTH(name, d, "2", "4", "8", "v")
KGEN_FUNCTION("cos") KGEN_FUNCTION("sin") KGEN_ONE_WIDTH("pow", d, "2", "4", "8", "vv")
#ifndef __FMA__
KGEN_ONE_WIDTH("powf", f, "4", "8", "16", "vv")
#endif
#if defined(__clang__) && !defined(KGEN_OWN_FUNCTIONS)  // -fveclib vectorises these wherever they are called
KGEN_FUNCTION("exp") KGEN_FUNCTION("log")
#endif
#ifdef __clang__  // clang++ merges sin and cos of the same argument into one call
#define KGEN_SINCOS(T, name, sine, cosine) \
    extern "C" T sine(T); \
    extern "C" T cosine(T); \
    extern "C" __attribute__((visibility("hidden"))) void name(T x, T* s, T* c) { \
        *s = sine(x); \
        asm("" : "+x"(x)); \
        *c = cosine(x); \
    }
KGEN_SINCOS(float, sincosf, sinf, cosf) KGEN_SINCOS(double, sincos, sin, cos)
#endif
#endif
