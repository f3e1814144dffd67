// add_to: T x -> T y
// types: T = float32
// plan: contiguous
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    float* kgen_data_y;
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_add_to(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float& x, float& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "add_to (operation)"
y = 0; atomicAdd(&y, x)

; } while (false);
    };
#line N "add_to.cu"
    const long long kgen_at = (long long)kgen_block() * kgen_block_size() + kgen_thread();
    if (kgen_at < kgen_p.kgen_count) {
        kgen_body(*(kgen_p.kgen_data_x + kgen_at), *(kgen_p.kgen_data_y + kgen_at));
    }
}
