// reversed: T x, raw T y -> T z
// types: T = float32
// plan: contiguous, 4 elements an access
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    float* kgen_data_z;
    kgen_raw_view<const float, 1, true, long long> kgen_view_y;
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_reversed(const __grid_constant__ kgen_parameters kgen_p) {
    const ptrdiff_t n = kgen_p.kgen_count;
    const auto& y = kgen_p.kgen_view_y;
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const ptrdiff_t kgen_i, const float x, float& z) __attribute__((always_inline)) {
        const ptrdiff_t i = kgen_i;
        do {  // the user's text, as it was written
#line 1 "reversed (operation)"
z = x + y[n - i - 1]

; } while (false);
    };
#line N "reversed.cu"
    const unsigned kgen_tile = 4 * kgen_block_size();
    const long long kgen_begin = (long long)kgen_block() * kgen_tile;
    const long long kgen_left = kgen_p.kgen_count - kgen_begin;
    if (kgen_left >= kgen_tile) {
        // A whole tile: all loads, then the bodies, then the stores.
        const long long kgen_first = kgen_begin + kgen_thread() * 4;
        kgen_vector<float, 4> kgen_of_x = kgen_load_read_only((const kgen_vector<float, 4>*)(kgen_p.kgen_data_x + kgen_first));
        kgen_vector<float, 4> kgen_of_z = kgen_load((kgen_vector<float, 4>*)(kgen_p.kgen_data_z + kgen_first));
#pragma unroll
        for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
            kgen_body(kgen_first + kgen_e, kgen_of_x.kgen_at[kgen_e], kgen_of_z.kgen_at[kgen_e]);
        }
        kgen_store((kgen_vector<float, 4>*)(kgen_p.kgen_data_z + kgen_first), kgen_of_z);
    } else {
        // A tile that is cut off: element by element.
        for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_left; kgen_k += kgen_block_size()) {
            const long long kgen_at = kgen_begin + kgen_k;
            const float kgen_of_x = kgen_load_read_only(kgen_p.kgen_data_x + kgen_at);
            float kgen_of_z = kgen_load(kgen_p.kgen_data_z + kgen_at);
            kgen_body(kgen_at, kgen_of_x, kgen_of_z);
            kgen_store(kgen_p.kgen_data_z + kgen_at, kgen_of_z);
        }
    }
}
