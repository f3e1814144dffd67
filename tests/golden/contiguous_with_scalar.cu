// scale: T a, T x -> T y
// types: T = float32
// plan: contiguous, 4 elements an access
// --- the kernel ---
typedef float T;
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    float* kgen_data_y;
    float kgen_value_a;
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_scale(const __grid_constant__ kgen_parameters kgen_p) {
    const float a = kgen_p.kgen_value_a;
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float x, float& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "scale (operation)"
y = a * x

; } while (false);
    };
#line N "scale.cu"
    const unsigned kgen_tile = 4 * kgen_block_size();
    const long long kgen_begin = (long long)kgen_block() * kgen_tile;
    const long long kgen_left = kgen_p.kgen_count - kgen_begin;
    if (kgen_left >= kgen_tile) {
        // A whole tile: all loads, then the bodies, then the stores.
        const kgen_vector<float, 4>* const kgen_tile_x = (const kgen_vector<float, 4>*)(kgen_p.kgen_data_x + kgen_begin) + kgen_thread();
        kgen_vector<float, 4>* const kgen_tile_y = (kgen_vector<float, 4>*)(kgen_p.kgen_data_y + kgen_begin) + kgen_thread();
        kgen_vector<float, 4> kgen_of_x = kgen_load_read_only(kgen_tile_x);
        kgen_vector<float, 4> kgen_of_y = kgen_load(kgen_tile_y);
#pragma unroll
        for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
            kgen_body(kgen_of_x.kgen_at[kgen_e], kgen_of_y.kgen_at[kgen_e]);
        }
        kgen_store(kgen_tile_y, kgen_of_y);
    } else {
        // The last tile: element by element.
        for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_left; kgen_k += kgen_block_size()) {
            const float kgen_of_x = kgen_load_read_only(kgen_p.kgen_data_x + kgen_begin + kgen_k);
            float kgen_of_y = kgen_load(kgen_p.kgen_data_y + kgen_begin + kgen_k);
            kgen_body(kgen_of_x, kgen_of_y);
            kgen_store(kgen_p.kgen_data_y + kgen_begin + kgen_k, kgen_of_y);
        }
    }
}
