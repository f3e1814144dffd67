// SPDX-License-Identifier: MIT
#include "array/kernels/join_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kgen::array_kernels {

namespace {

// kgen_join: a thread writes 16 bytes. It finds the source of each element by comparisons only, because it
// knows for each matrix where column 0 of the result would lie in the current row. kgen_weave: a thread reads
// a chunk of each column and writes them as rows.
//
// Speed relative to a copy, measured on an H200 on 2026-11-22 with 1 GiB. float32, with two, three and four
// columns: 0.99, 0.97 and 0.97 by kgen_join, 0.99 each by kgen_weave. uint8, with three and four columns:
// 0.44 and 0.35 by kgen_join, 0.99 and 0.98 by kgen_weave. Alternatives: two or four pieces per thread were
// no faster; elements a warp apart reached 0.73 to 0.98; one kernel for all counts reached 0.83 to 0.92.
constexpr const char* preamble = R"(
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
        // Addresses of 8 or 16 loads at once would take the registers of half the threads.
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
)";

// Lists the text of each matrix, separated by commas.
template <typename Text>
std::string list_of(int from, int to, const Text& text) {
    std::string list;
    for (int k = from; k < to; ++k) list += (list.empty() ? "" : ", ") + text(k);
    return list;
}

}  // namespace

Definition join(int count) {
    Definition definition;
    definition.name = fmt::format("join{}", count);
    const auto begin = [](int k) { return fmt::format("begin{}", k); };
    definition.inputs = list_of(0, count, [](int k) { return fmt::format("raw T x{}", k); }) +
                        ", " + list_of(1, count, [&](int k) { return "uint32 " + begin(k); }) +
                        ", uint32 width, uint64 total, uint64 inverse, uint32 woven";
    definition.outputs = "raw T y";
    definition.operation = fmt::format(
        "const T* const x[] = {{{0}}};\n"
        "const unsigned begin[] = {{0, {1}}};\n"
        "const int chunk = {2} / sizeof(T) > 0 ? {2} / sizeof(T) : 1;\n"
        "if (woven) kgen_weave<{3}, chunk>(&y[0], (unsigned long long)i * chunk, total / {3}, x);\n"
        "else kgen_join<{3}>(&y[0], (unsigned long long)i * (16 / sizeof(T)), total, inverse, x, "
        "begin, width)",
        list_of(0, count, [](int k) { return fmt::format("&x{}[0]", k); }),
        list_of(1, count, begin),
        chunk_bytes(count, 1),
        count);
    definition.preamble = preamble;
    return definition;
}

std::size_t chunk_bytes(int count, std::size_t item_bytes) noexcept {
    return std::max<std::size_t>(count < 4 ? 8 : 4, item_bytes);
}

std::uint64_t inverse_of(std::uint64_t width) noexcept {
    return std::numeric_limits<std::uint64_t>::max() / width;
}

}  // namespace kgen::array_kernels
