// SPDX-License-Identifier: MIT
// kgen prelude: CUDA's vector types for the host, with CUDA's alignments.
#define KGEN_VECTOR_TYPES 1
#define KGEN_VECTORS(name, T, align2, align4) \
    struct name##1 { T x; }; \
    struct alignas(align2) name##2 { T x, y; }; \
    struct name##3 { T x, y, z; }; \
    struct alignas(align4) name##4 { T x, y, z, w; }; \
    KGEN_INLINE name##1 make_##name##1(T x) { return {x}; } \
    KGEN_INLINE name##2 make_##name##2(T x, T y) { return {x, y}; } \
    KGEN_INLINE name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
    KGEN_INLINE name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
KGEN_VECTORS(char, signed char, 2, 4) KGEN_VECTORS(uchar, unsigned char, 2, 4)
KGEN_VECTORS(short, short, 4, 8) KGEN_VECTORS(ushort, unsigned short, 4, 8)
KGEN_VECTORS(int, int, 8, 16) KGEN_VECTORS(uint, unsigned, 8, 16)
KGEN_VECTORS(long, long, 16, 16) KGEN_VECTORS(ulong, unsigned long, 16, 16)
KGEN_VECTORS(longlong, long long, 16, 16) KGEN_VECTORS(ulonglong, unsigned long long, 16, 16)
KGEN_VECTORS(float, float, 8, 16) KGEN_VECTORS(double, double, 16, 16)
constexpr dim3::dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
constexpr dim3::operator uint3() const { return {x, y, z}; }
