// SPDX-License-Identifier: MIT
// kgen prelude: the larger and the smaller of two values, or a NaN if one is NaN. GPUs have an instruction for it.
template <class T> KGEN_INLINE T kgen_maximum(T x, T y) { return x > y || x != x ? x : y; }
template <class T> KGEN_INLINE T kgen_minimum(T x, T y) { return x < y || x != x ? x : y; }
#if !defined(KGEN_ON_HOST) && __CUDA_ARCH__ >= 800
#define KGEN_EXTREME(T, name, instruction, letter, bits) \
    KGEN_INLINE T kgen_##name(T x, T y) { \
        asm(instruction " %0, %0, %1;" : "+" letter(x bits) : letter(y bits)); \
        return x; \
    }
KGEN_EXTREME(float, maximum, "max.NaN.f32", "f", ) KGEN_EXTREME(float, minimum, "min.NaN.f32", "f", )
#ifdef KGEN_HAS_FLOAT16
KGEN_EXTREME(float16, maximum, "max.NaN.f16", "h", .kgen_bits) KGEN_EXTREME(float16, minimum, "min.NaN.f16", "h", .kgen_bits)
#endif
#ifdef KGEN_HAS_BFLOAT16
KGEN_EXTREME(bfloat16, maximum, "max.NaN.bf16", "h", .kgen_bits) KGEN_EXTREME(bfloat16, minimum, "min.NaN.bf16", "h", .kgen_bits)
#endif
#endif
