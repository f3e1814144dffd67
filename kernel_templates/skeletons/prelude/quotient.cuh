// SPDX-License-Identifier: MIT
// kgen prelude: x / y, for many x that are divided by one y.
#ifdef KGEN_ON_HOST
KGEN_INLINE float kgen_quotient(float x, float y) { return x / y; }
#else
// A division has a branch, across which the compiler keeps nothing of what it computed of x, so a row kernel would compute that
// again. Here is none, and the compiler computes the reciprocal of y once. Scaling keeps it normal. The exact remainder
// corrects each quotient, also one that overflows before it is rounded, so it has the bits of x / y, but it may be off by one
// unit in the last place if it is below the least normal number or x is below 2^-101. A correction is NaN where x is not finite
// or y is 0 or not finite, and it would lose the sign of a quotient of -0.
KGEN_INLINE float kgen_quotient(float x, float y) {
    const float size = fabsf(y), scale = size > 0x1p100f ? 0x1p-64f : size < 0x1p-100f ? 0x1p64f : 1;
    const float divisor = y * scale, scaled = x * scale;
    const float estimate = __fdividef(1.0f, divisor);
    const float refined = fmaf(fmaf(-divisor, estimate, 1), estimate, estimate);
    const float reciprocal = refined == refined ? refined : estimate, quotient = scaled * reciprocal;
    const float finite = fminf(fmaxf(quotient, -0x1.fffffep127f), 0x1.fffffep127f);
    const float corrected = fmaf(fmaf(-divisor, finite, scaled), reciprocal, finite);
    return corrected < quotient || corrected > quotient ? corrected : quotient;
}
#endif
