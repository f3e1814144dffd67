// SPDX-License-Identifier: MIT
// kgen prelude: declares the functions of libm that libmvec also has for vectors, so that loops that call them are
// vectorised. clang++ uses -fveclib instead. The README, "Devices", gives the largest errors.
#ifdef KGEN_VECTOR_MATH
#ifndef __clang__
#define KGEN_VECTOR1(name) \
    extern "C" __attribute__((simd("notinbranch"))) double name(double); \
    extern "C" __attribute__((simd("notinbranch"))) float name##f(float);
KGEN_VECTOR1(cos) KGEN_VECTOR1(exp) KGEN_VECTOR1(log) KGEN_VECTOR1(sin)
extern "C" __attribute__((simd("notinbranch"))) double pow(double, double);
extern "C" __attribute__((simd("notinbranch"))) float powf(float, float);
#endif

// Equal inputs must have equal results, in the body and in the tail of a loop and in every layout. But libm rounds
// differently from libmvec, and libmvec rounds differently at 128 and 256 bits. The program therefore defines libm's
// symbols and those of narrow vectors itself. They fill a wide vector with copies of their argument and call libmvec at
// that one width. They use copies because each lane with a special value costs a call of its own. At 512 bits, libmvec
// gives the bits of 256, except for log in double, which is defined below. Without AVX2, the width is 128, and libmvec
// computes wider vectors in parts of 128.
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
