// SPDX-License-Identifier: MIT
// kgen: the flat loop. One index runs over all elements. A thread makes kgen_unroll accesses of kgen_pack neighbouring
// elements each. Dense arrays are read and written by vectors, other arrays element by element.
template <class P, class Parameters, class Operands, class Body>
__device__ __forceinline__ void kgen_flat_tile(const Parameters& p, Operands& x, const Body& body) {
    const unsigned tile = P::kgen_pack * P::kgen_unroll * kgen_block_size();
    long long begin = (long long)kgen_block() * tile;
    if constexpr (P::kgen_shifted) begin -= p.kgen_shift;
    const long long left = p.kgen_count - begin;
    if ((!P::kgen_shifted || begin >= 0) && left >= tile) {
        // In a whole tile, all loads come first, then the bodies, then the stores.
        typename Operands::kgen_values values[P::kgen_unroll];
#pragma unroll
        for (int u = 0; u < P::kgen_unroll; ++u) {
            const long long first = begin + (kgen_thread() + u * kgen_block_size()) * P::kgen_pack;
            x.kgen_load_values(values[u], first);
            if constexpr (P::kgen_loads_elements) {
#pragma unroll
                for (int e = 0; e < P::kgen_pack; ++e) x.kgen_load_element(values[u], e, first + e);
            }
        }
#pragma unroll
        for (int u = 0; u < P::kgen_unroll; ++u) {
#pragma unroll
            for (int e = 0; e < P::kgen_pack; ++e) {
                const long long first = begin + (kgen_thread() + u * kgen_block_size()) * P::kgen_pack;
                x.kgen_call(body, values[u], e, first + e);
            }
        }
#pragma unroll
        for (int u = 0; u < P::kgen_unroll; ++u) {
            const long long first = begin + (kgen_thread() + u * kgen_block_size()) * P::kgen_pack;
            x.kgen_store_values(values[u], first);
            if constexpr (P::kgen_stores_elements) {
#pragma unroll
                for (int e = 0; e < P::kgen_pack; ++e) x.kgen_store_element(values[u], e, first + e);
            }
        }
    } else {
        // An incomplete tile is computed element by element.
        const long long end = P::kgen_shifted && left > tile ? tile : left;
        for (unsigned k = kgen_thread(); k < end; k += kgen_block_size()) {
            const long long index = begin + k;
            if (P::kgen_shifted && index < 0) continue;
            x.kgen_compute(body, index);
        }
    }
}
template <class P, class Parameters, class Operands, class Body>
__device__ __forceinline__ void kgen_flat(const Parameters& p, Operands& x, const Body& body) {
    x.kgen_begin();
    if constexpr (P::kgen_pack * P::kgen_unroll > 1) {
        kgen_flat_tile<P>(p, x, body);
    } else {
        const long long index = (long long)kgen_block() * kgen_block_size() + kgen_thread();
        if (index < p.kgen_count) x.kgen_compute(body, index);
    }
}
