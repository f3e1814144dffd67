// SPDX-License-Identifier: MIT
// Joins the rows of several matrices (src/array/kernels/join_kernel.cpp).
template <class T, int count> struct alignas(sizeof(T) * count) kgen_joined { T at[count]; };
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
    // This is the quotient first / width, or one less.
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
    const bool whole = first + length <= total;
    const auto next = [&]() {
        const T* from = at[0];
#pragma unroll
        for (int k = 1; k < count; ++k) from = column >= begin[k] ? at[k] : from;
        from += column;
        if (++column == width) {
            column = 0;
#pragma unroll
            for (int k = 0; k < count; ++k) at[k] += step[k];
        }
        return from;
    };
    if (!whole) {
        for (; first < total; ++first) y[first] = *next();
    } else if constexpr (sizeof(T) < 4) {
        // Not unrolled: the addresses of 8 or 16 loads would take so many registers that only half as many threads run.
        unsigned words[4] = {0, 0, 0, 0};
#pragma unroll 1
        for (int w = 0; w < 4; ++w) {
            unsigned word = 0;
#pragma unroll
            for (int j = 0; j < 4 / sizeof(T); ++j) word |= (unsigned)*next() << (8 * sizeof(T) * j);
            words[0] = words[1];
            words[1] = words[2];
            words[2] = words[3];
            words[3] = word;
        }
        *(kgen_joined<unsigned, 4>*)(y + first) = kgen_joined<unsigned, 4>{words[0], words[1], words[2], words[3]};
    } else {
        kgen_joined<T, length> piece;
#pragma unroll
        for (int j = 0; j < length; ++j) piece.at[j] = *next();
        *(kgen_joined<T, length>*)(y + first) = piece;
    }
}
template <int count, int chunk, class T>
static __device__ __forceinline__ void kgen_weave(T* y, unsigned long long first, unsigned long long rows,
                                                  const T* const* x) {
    if (first + chunk > rows) {
        for (; first < rows; ++first) {
#pragma unroll
            for (int k = 0; k < count; ++k) y[first * count + k] = x[k][first];
        }
        return;
    }
    kgen_joined<T, chunk> read[count];
#pragma unroll
    for (int k = 0; k < count; ++k) read[k] = *(const kgen_joined<T, chunk>*)(x[k] + first);
    const int bytes = count * chunk * sizeof(T);
    const int length = (bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4) / sizeof(T);
    kgen_joined<T, length>* pieces = (kgen_joined<T, length>*)(y + first * count);
#pragma unroll
    for (int p = 0; p < count * chunk / length; ++p) {
        kgen_joined<T, length> piece;
#pragma unroll
        for (int j = 0; j < length; ++j) piece.at[j] = read[(p * length + j) % count].at[(p * length + j) / count];
        pieces[p] = piece;
    }
}
