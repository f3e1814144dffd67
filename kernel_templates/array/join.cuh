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
static __device__ __forceinline__ unsigned kgen_shifted(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)((((unsigned long long)high << 32) | low) >> shift);
}
// The table of the matrices is in shared memory, or, on the host, each thread's own.
#ifdef __CUDA_ARCH__
#define KGEN_TABLE __shared__
#define KGEN_FILLS_TABLE (threadIdx.x == 0)
#define KGEN_TABLE_IS_FULL() __syncthreads()
#else
#define KGEN_TABLE
#define KGEN_FILLS_TABLE true
#define KGEN_TABLE_IS_FULL()
#endif
// A matrix, and the columns of the result that it fills.
template <class T> struct alignas(16) kgen_source { const T* at; unsigned left, right; };
// Writes the elements of `y` from `place` on that lie in 16 bytes.
template <int count, class T>
static __device__ __forceinline__ void kgen_join(T* y, long long place, long long total, unsigned long long inverse,
                                                 unsigned width, const kgen_source<T>* sources) {
    const int length = 16 / sizeof(T);
    const bool whole = place >= 0 && place + length <= total;
    long long first = place < 0 ? 0 : place;
    // This is the quotient first / width, or one less.
    unsigned long long row = kgen_high(first, inverse);
    unsigned long long column = first - row * width;
    if (column >= width) {
        column -= width;
        ++row;
    }
    int k = 0;
#pragma unroll
    for (int half = 16; half > 0; half /= 2) {
        if (half < count && k + half < count && sources[k + half].left <= column) k += half;
    }
    kgen_source<T> source = sources[k];
    const T* from = source.at + row * (source.right - source.left) + (column - source.left);
    unsigned rest = source.right - (unsigned)column;
    if (whole && rest >= length) {
        if constexpr (sizeof(T) < 4) {
            // Words that begin and end within the row.
            const int spare = 4 / sizeof(T);
            if (rest >= length + spare && column >= source.left + spare) {
                const unsigned* around = (const unsigned*)((unsigned long long)from & ~3ull);
                const unsigned shift = 8 * ((unsigned long long)from & 3);
                kgen_joined<unsigned, 4> piece;
#pragma unroll
                for (int w = 0; w < 4; ++w) piece.at[w] = kgen_shifted(around[w], around[w + 1], shift);
                *(kgen_joined<unsigned, 4>*)(y + first) = piece;
                return;
            }
        }
        kgen_joined<T, length> piece;
#pragma unroll
        for (int j = 0; j < length; ++j) piece.at[j] = from[j];
        *(kgen_joined<T, length>*)(y + first) = piece;
        return;
    }
    const auto next = [&]() {
        const T* found = from++;
        if (--rest == 0) {
            const bool ends = source.right == width;
            row += ends;
            k = ends ? 0 : k + 1;
            source = sources[k];
            rest = source.right - source.left;
            from = source.at + row * rest;
        }
        return found;
    };
    if (!whole) {
        for (; first < total && first < place + length; ++first) y[first] = *next();
    } else if constexpr (sizeof(T) < 4) {
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
