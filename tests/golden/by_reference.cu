// add_to: T x -> T y
// types: T = float32
// plan: contiguous
// --- the kernel ---
typedef float T;
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    float* kgen_data_y;
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_add_to(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float& x, float& y) __attribute__((always_inline)) {
        do {
#line 1 "add_to (operation)"
y = 0; atomicAdd(&y, x)

; } while (false);
    };
#line N "add_to.cu"
    const unsigned kgen_tile = 1 * kgen_block_size();
    const long long kgen_begin = (long long)kgen_block() * kgen_tile;
    const long long kgen_left = kgen_p.kgen_count - kgen_begin;
    for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_tile && kgen_k < kgen_left; kgen_k += kgen_block_size()) {
        kgen_body(*(kgen_p.kgen_data_x + kgen_begin + kgen_k), *(kgen_p.kgen_data_y + kgen_begin + kgen_k));
    }
}
