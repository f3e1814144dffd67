// compute: T x, T y -> T z
// types: T = float32
// plan: contiguous
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    const float* kgen_data_y;
    float* kgen_data_z;
};
struct kgen_plan {
    enum {
        kgen_rank = 1,
        kgen_kept = 0,
        kgen_pack = 1,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_unroll = 1,
        kgen_shifted = 0,
        kgen_vector_rest = 0,
    };
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ unsigned kgen_block() const {
        return ::kgen_block();
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_compute(const kgen_callable& kgen_text, long long kgen_at) {
        kgen_text(*(kgen_p.kgen_data_x + kgen_at), *(kgen_p.kgen_data_y + kgen_at), *(kgen_p.kgen_data_z + kgen_at));
    }
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_compute(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float& x, const float& y, float& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "compute (operation)"
z = x; atomicAdd(&z, y)

; } while (false);
    };
#line N "compute.cu"
    kgen_operands kgen_all(kgen_p);
    kgen_flat<kgen_plan>(kgen_p, kgen_all, kgen_body);
}
