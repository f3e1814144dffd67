// SPDX-License-Identifier: MIT
// kgen: the flat loop. One index runs over all elements. A thread makes kgen_unroll accesses of kgen_pack neighbouring
// elements each. Dense arrays are read and written by vectors, other arrays element by element.
// Computes `count` vectors of each thread, in rounds of the block. The first round begins at element `begin`. All loads come first,
// then the bodies, then the stores.
template <class P, int count, class Operands, class Body>
__device__ __forceinline__ void kgen_flat_vectors(Operands& x, const Body& body, long long begin) {
    typename Operands::kgen_values values[count];
#pragma unroll
    for (int u = 0; u < count; ++u) {
        const long long first = begin + (kgen_thread() + u * kgen_block_size()) * P::kgen_pack;
        x.kgen_load_values(values[u], first);
        if constexpr (P::kgen_loads_elements) {
#pragma unroll
            for (int e = 0; e < P::kgen_pack; ++e) x.kgen_load_element(values[u], e, first + e);
        }
    }
#pragma unroll
    for (int u = 0; u < count; ++u) {
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) {
            const long long first = begin + (kgen_thread() + u * kgen_block_size()) * P::kgen_pack;
            x.kgen_call(body, values[u], e, first + e);
        }
    }
#pragma unroll
    for (int u = 0; u < count; ++u) {
        const long long first = begin + (kgen_thread() + u * kgen_block_size()) * P::kgen_pack;
        x.kgen_store_values(values[u], first);
        if constexpr (P::kgen_stores_elements) {
#pragma unroll
            for (int e = 0; e < P::kgen_pack; ++e) x.kgen_store_element(values[u], e, first + e);
        }
    }
}
template <class P, class Parameters, class Operands, class Body>
__device__ __forceinline__ void kgen_flat_tile(const Parameters& p, Operands& x, const Body& body) {
    const unsigned round = P::kgen_pack * kgen_block_size(), tile = P::kgen_unroll * round;
    long long begin = (long long)x.kgen_block() * tile;
    if constexpr (P::kgen_shifted) begin -= p.kgen_shift;
    const long long left = p.kgen_count - begin;
    const bool is_cut = P::kgen_shifted && begin < 0;  // the first vector
    if ((P::kgen_unroll > 1 || !P::kgen_vector_rest) && !is_cut && left >= tile) {
        kgen_flat_vectors<P, P::kgen_unroll>(x, body, begin);
    } else if constexpr (!P::kgen_vector_rest) {
        const long long end = P::kgen_shifted && left > tile ? tile : left;
        for (unsigned k = kgen_thread(); k < end; k += kgen_block_size()) {
            const long long index = begin + k;
            if (P::kgen_shifted && index < 0) continue;
            x.kgen_compute(body, index);
        }
    } else {
        // The vectors of an incomplete tile go one by one.
#pragma unroll 1
        for (unsigned at = 0; at < tile; at += round) {
            const unsigned first = at + kgen_thread() * P::kgen_pack;
            if ((!is_cut || first > 0) && first + P::kgen_pack <= left) kgen_flat_vectors<P, 1>(x, body, begin + at);
        }
        // The elements of vectors that lie outside in part are computed by threads of the last warp, which have the fewest vectors.
        // One after the other by the same thread, they would take as many times as long as a vector.
        if constexpr (P::kgen_pack > 1) {
            if (!is_cut && left >= tile) return;
            const int head = !is_cut ? 0 : left < P::kgen_pack ? (int)p.kgen_count : (int)(P::kgen_pack + begin);
            const int rest = is_cut && left < P::kgen_pack ? 0 : left < tile ? (int)left & (P::kgen_pack - 1) : 0;
#pragma unroll 1
            for (int k = (int)(kgen_block_size() - 1 - kgen_thread()); k < head + rest; k += (int)kgen_block_size())
                x.kgen_compute(body, k < head ? k : p.kgen_count - 1 - (k - head));
        }
    }
}
template <class P, class Parameters, class Operands, class Body>
__device__ __forceinline__ void kgen_flat(const Parameters& p, Operands& x, const Body& body) {
    if constexpr (P::kgen_pack * P::kgen_unroll > 1) {
        kgen_flat_tile<P>(p, x, body);
    } else {
        const long long index = (long long)x.kgen_block() * kgen_block_size() + kgen_thread();
        if (index < p.kgen_count) x.kgen_compute(body, index);
    }
}
