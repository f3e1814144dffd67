// transpose: raw T x -> T y
// types: T = float32
// plan: contiguous, 4 elements an access
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    float* kgen_data_y;
    kgen_raw_view<const float, 2, false, int> kgen_view_x;
    ptrdiff_t kgen_shape[2];
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_transpose(const __grid_constant__ kgen_parameters kgen_p) {
    const auto& x = kgen_p.kgen_view_x;
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const ptrdiff_t kgen_i, float& y) __attribute__((always_inline)) {
        kgen_indexer<2, int> _ind(kgen_i, kgen_p.kgen_count, kgen_p.kgen_shape);
        do {  // the user's text, as it was written
#line 1 "transpose (operation)"
ptrdiff_t at[] = {_ind.get()[1], _ind.get()[0]}; y = x[at]

; } while (false);
    };
#line N "transpose.cu"
    const unsigned kgen_tile = 4 * kgen_block_size();
    const long long kgen_begin = (long long)kgen_block() * kgen_tile;
    const long long kgen_left = kgen_p.kgen_count - kgen_begin;
    if (kgen_left >= kgen_tile) {
        // A whole tile: all loads, then the bodies, then the stores.
        const long long kgen_first = kgen_begin + kgen_thread() * 4;
        kgen_vector<float, 4> kgen_of_y = kgen_load((kgen_vector<float, 4>*)(kgen_p.kgen_data_y + kgen_first));
#pragma unroll
        for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
            kgen_body(kgen_first + kgen_e, kgen_of_y.kgen_at[kgen_e]);
        }
        kgen_store((kgen_vector<float, 4>*)(kgen_p.kgen_data_y + kgen_first), kgen_of_y);
    } else {
        // A tile that is cut off: element by element.
        for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_left; kgen_k += kgen_block_size()) {
            const long long kgen_at = kgen_begin + kgen_k;
            float kgen_of_y = kgen_load(kgen_p.kgen_data_y + kgen_at);
            kgen_body(kgen_at, kgen_of_y);
            kgen_store(kgen_p.kgen_data_y + kgen_at, kgen_of_y);
        }
    }
}
