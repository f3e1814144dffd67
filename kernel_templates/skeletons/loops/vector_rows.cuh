// SPDX-License-Identifier: MIT
// kgen: the loop over vectors of rows. The innermost axis is divided into vectors of kgen_pack elements. A thread computes the
// same vector of kgen_row_count rows, or of some of them (kgen_some_rows). It loads only once what these rows share.
template <class P, class Parameters, class Operands, class Body>
__device__ __forceinline__ void kgen_vector_rows(const Parameters& p, Operands& x, const Body& body) {
    const auto index = (typename P::kgen_index)x.kgen_block() * kgen_block_size() + kgen_thread();
    if (index >= p.kgen_rows.threads) return;
    x.kgen_find(index);
    typename Operands::kgen_values values[P::kgen_row_count];
    bool has_all_rows = true;
    if constexpr (P::kgen_some_rows)
        has_all_rows = x.kgen_row + (P::kgen_row_count - 1) * p.kgen_rows.step < p.kgen_rows.extent;
    if (has_all_rows) {
#pragma unroll
        for (int r = 0; r < P::kgen_row_count; ++r) x.kgen_load_values(values[r], r);
#pragma unroll
        for (int r = 0; r < P::kgen_row_count; ++r) {
#pragma unroll
            for (int e = 0; e < P::kgen_pack; ++e) x.kgen_call(body, values[r], r, e);
        }
#pragma unroll
        for (int r = 0; r < P::kgen_row_count; ++r) x.kgen_store_values(values[r], r);
    } else if constexpr (P::kgen_some_rows) {
        for (int r = 0; x.kgen_row + r * p.kgen_rows.step < p.kgen_rows.extent; ++r) {
            x.kgen_load_values(values[0], r);
#pragma unroll
            for (int e = 0; e < P::kgen_pack; ++e) x.kgen_call(body, values[0], r, e);
            x.kgen_store_values(values[0], r);
        }
    }
}
