// SPDX-License-Identifier: MIT
#include "api/join_kernel.hpp"

#include <limits>

namespace kgen::array_kernels {

namespace {

// A thread writes one piece. Its elements' places are found by comparisons alone: of each array it knows
// where the first column of the result would be in the current row.
constexpr const char* join_row = R"(
template <class T> struct alignas(16) kgen_piece { T at[16 / sizeof(T)]; };
static __device__ __forceinline__ unsigned long long kgen_high(unsigned long long a, unsigned long long b) {
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
#endif
}
template <int count, class T>
static __device__ __forceinline__ void kgen_join(T* y, unsigned long long first, unsigned long long total,
                                                 unsigned long long inverse, const T* const* x,
                                                 const unsigned* begin, unsigned width) {
    const int length = 16 / sizeof(T);
    // The product is the quotient or one less.
    unsigned long long row = kgen_high(first, inverse);
    unsigned long long rest = first - row * width;
    if (rest >= width) {
        rest -= width;
        ++row;
    }
    unsigned column = (unsigned)rest;
    const T* at[count];
    unsigned step[count];
#pragma unroll
    for (int k = 0; k < count; ++k) {
        step[k] = (k + 1 < count ? begin[k + 1] : width) - begin[k];
        at[k] = x[k] + ((long long)(row * step[k]) - (long long)begin[k]);
    }
    kgen_piece<T> piece;
    const bool whole = first + length <= total;
#pragma unroll
    for (int j = 0; j < length; ++j) {
        const T* from = at[0];
#pragma unroll
        for (int k = 1; k < count; ++k) from = column >= begin[k] ? at[k] : from;
        if (whole || first + j < total) piece.at[j] = from[column];
        if (++column == width) {
            column = 0;
#pragma unroll
            for (int k = 0; k < count; ++k) at[k] += step[k];
        }
    }
    if (whole) {
        *(kgen_piece<T>*)(y + first) = piece;
    } else {
#pragma unroll
        for (int j = 0; j < length; ++j) if (first + j < total) y[first + j] = piece.at[j];
    }
}
)";

}  // namespace

Definition join() {
    return {
        .name = "join",
        .inputs =
            "raw T x0, raw T x1, raw T x2, raw T x3, raw T x4, raw T x5, raw T x6, raw T x7,"
            "uint32 begin1, uint32 begin2, uint32 begin3, uint32 begin4, uint32 begin5,"
            "uint32 begin6, uint32 begin7, uint32 width, uint64 total, uint64 inverse",
        .outputs = "raw T y",
        .operation =
            "const T* const x[] = {&x0[0], &x1[0], &x2[0], &x3[0], &x4[0], &x5[0], &x6[0], "
            "&x7[0]};\n"
            "const unsigned begin[] = {0, begin1, begin2, begin3, begin4, begin5, begin6, "
            "begin7};\n"
            "const unsigned long long first = (unsigned long long)i * (16 / sizeof(T));\n"
            "if (begin2 == width) kgen_join<2>(&y[0], first, total, inverse, x, begin, width);\n"
            "else if (begin4 == width) kgen_join<4>(&y[0], first, total, inverse, x, begin, "
            "width);\n"
            "else kgen_join<8>(&y[0], first, total, inverse, x, begin, width);",
        .preamble = join_row};
}

std::uint64_t inverse_of(std::uint64_t width) noexcept {
    return std::numeric_limits<std::uint64_t>::max() / width;
}

}  // namespace kgen::array_kernels
