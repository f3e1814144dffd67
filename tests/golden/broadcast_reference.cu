// view: T x -> T y
// types: T = float32
// plan: contiguous
// --- the kernel ---
typedef float T;
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    float* kgen_data_y;
    kgen_raw_view<const float, 2, true, long long> kgen_view_x;
    ptrdiff_t kgen_shape[2];
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_view(const __grid_constant__ kgen_parameters kgen_p) {
    kgen_indexer<2, int> _ind(0, kgen_p.kgen_count, kgen_p.kgen_shape);
    const auto& _raw_x = kgen_p.kgen_view_x;
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const ptrdiff_t kgen_i, const float& x, float& y) __attribute__((always_inline)) {
        kgen_indexer<2, int> _ind(kgen_i, kgen_p.kgen_count, kgen_p.kgen_shape);
        do {
#line 1 "view (operation)"
y = _raw_x[_ind.get()]

; } while (false);
    };
#line N "view.cu"
    const unsigned kgen_tile = 1 * kgen_block_size();
    const long long kgen_begin = (long long)kgen_block() * kgen_tile;
    const long long kgen_left = kgen_p.kgen_count - kgen_begin;
    for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_tile && kgen_k < kgen_left; kgen_k += kgen_block_size()) {
        kgen_body(kgen_begin + kgen_k, *(kgen_p.kgen_data_x + kgen_begin + kgen_k), *(kgen_p.kgen_data_y + kgen_begin + kgen_k));
    }
}
