// SPDX-License-Identifier: MIT
// kgen prelude: the functions of libm that libmvec has for vectors too, so that loops around them are vectorised.
// clang++ has an option for it. Largest errors: see the README, "Devices".
#ifdef KGEN_VECTOR_MATH
#ifndef __clang__
#define KGEN_VECTOR1(name) \
    extern "C" __attribute__((simd("notinbranch"))) double name(double); \
    extern "C" __attribute__((simd("notinbranch"))) float name##f(float);
KGEN_VECTOR1(cos) KGEN_VECTOR1(exp) KGEN_VECTOR1(log) KGEN_VECTOR1(sin)
extern "C" __attribute__((simd("notinbranch"))) double pow(double, double);
extern "C" __attribute__((simd("notinbranch"))) float powf(float, float);
#endif

// Equal inputs have equal results, in the body and in the tail of a loop and in every layout, although libm rounds
// differently from libmvec, and libmvec at 128 bits differently from libmvec at 256. The program therefore defines
// libm's symbols and those of the narrow vectors itself: they fill a wide vector with copies of their argument and call
// libmvec at that one width. (Copies, because a lane with a special value costs a call of its own.) At 512
// bits libmvec has the bits of 256, but for log in double. Without AVX2 the one width is 128, of which libmvec makes 256.
#define KGEN_THROUGH(symbol, spread, function, end) \
    asm(".pushsection .text\n.p2align 4\n.type " symbol ",@function\n" symbol ":\n.cfi_startproc\n" spread \
        "subq $8,%rsp\n.cfi_adjust_cfa_offset 8\ncall " function "@PLT\n" end \
        "addq $8,%rsp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size " symbol ",.-" symbol "\n.popsection");
#ifdef __AVX2__
#define KGEN_SPREAD_f "vbroadcastss %xmm0,%ymm0\nvbroadcastss %xmm1,%ymm1\n"
#define KGEN_SPREAD_d "vbroadcastsd %xmm0,%ymm0\nvbroadcastsd %xmm1,%ymm1\n"
#define KGEN_SPREAD_half "vinsertf128 $1,%xmm0,%ymm0,%ymm0\nvinsertf128 $1,%xmm1,%ymm1,%ymm1\n"
#define KGEN_ONE_WIDTH(name, type, half, whole, arguments) \
    KGEN_THROUGH(name, KGEN_SPREAD_##type, "_ZGVdN" whole arguments "_" name, "vzeroupper\n") \
    KGEN_THROUGH("_ZGVbN" half arguments "_" name, KGEN_SPREAD_half, "_ZGVdN" whole arguments "_" name, "vzeroupper\n")
#else
#define KGEN_SPREAD_f "shufps $0,%xmm0,%xmm0\nshufps $0,%xmm1,%xmm1\n"
#define KGEN_SPREAD_d "unpcklpd %xmm0,%xmm0\nunpcklpd %xmm1,%xmm1\n"
#define KGEN_ONE_WIDTH(name, type, half, whole, arguments) \
    KGEN_THROUGH(name, KGEN_SPREAD_##type, "_ZGVbN" half arguments "_" name, "")
#endif
#define KGEN_FUNCTION(name, arguments) \
    KGEN_ONE_WIDTH(name "f", f, "4", "8", arguments) KGEN_ONE_WIDTH(name, d, "2", "4", arguments)
KGEN_FUNCTION("cos", "v") KGEN_FUNCTION("exp", "v") KGEN_FUNCTION("log", "v") KGEN_FUNCTION("sin", "v")
KGEN_FUNCTION("pow", "vv")
#ifdef __AVX512F__
asm(".pushsection .text\n.p2align 4\n.type _ZGVeN8v_log,@function\n_ZGVeN8v_log:\n.cfi_startproc\n"
    "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp,-16\nmovq %rsp,%rbp\n.cfi_def_cfa_register %rbp\n"
    "andq $-64,%rsp\nsubq $64,%rsp\n"
    "vextractf64x4 $1,%zmm0,%ymm1\nvmovapd %ymm1,(%rsp)\ncall _ZGVdN4v_log@PLT\n"
    "vmovapd %ymm0,32(%rsp)\nvmovapd (%rsp),%ymm0\ncall _ZGVdN4v_log@PLT\n"
    "vmovapd 32(%rsp),%ymm1\nvinsertf64x4 $1,%ymm0,%zmm1,%zmm0\n"
    "leave\n.cfi_def_cfa %rsp,8\nret\n.cfi_endproc\n.size _ZGVeN8v_log,.-_ZGVeN8v_log\n.popsection");
#endif
#ifdef __clang__  // which makes one call of a sin and a cos of the same argument
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
