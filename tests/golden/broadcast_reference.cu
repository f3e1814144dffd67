// view: T x -> T y
// types: T = float32
// plan: contiguous
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    float* kgen_data_y;
    kgen_raw_view<const float, 2, true, long long> kgen_view_x;
    ptrdiff_t kgen_shape[2];
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_view(const __grid_constant__ kgen_parameters kgen_p) {
    const auto& _raw_x = kgen_p.kgen_view_x;
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const ptrdiff_t kgen_i, const float& x, float& y) __attribute__((always_inline)) {
        kgen_indexer<2, int> _ind(kgen_i, kgen_p.kgen_count, kgen_p.kgen_shape);
        do {  // the user's text, as it was written
#line 1 "view (operation)"
y = _raw_x[_ind.get()]

; } while (false);
    };
#line N "view.cu"
    const long long kgen_at = (long long)kgen_block() * kgen_block_size() + kgen_thread();
    if (kgen_at < kgen_p.kgen_count) {
        kgen_body(kgen_at, *(kgen_p.kgen_data_x + kgen_at), *(kgen_p.kgen_data_y + kgen_at));
    }
}
