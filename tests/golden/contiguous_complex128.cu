// multiply: T x, T y -> T z
// types: T = complex128
// plan: contiguous
// --- the kernel ---
typedef complex<double> T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const complex<double>* kgen_data_x;
    const complex<double>* kgen_data_y;
    complex<double>* kgen_data_z;
};
struct kgen_plan {
    enum {
        kgen_pack = 1,
        kgen_unroll = 1,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_shifted = 0,
    };
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ void kgen_begin() {
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_compute(const kgen_callable& kgen_text, long long kgen_at) {
        const complex<double> kgen_of_x = kgen_load_read_only(kgen_p.kgen_data_x + kgen_at);
        const complex<double> kgen_of_y = kgen_load_read_only(kgen_p.kgen_data_y + kgen_at);
        complex<double> kgen_of_z = kgen_load(kgen_p.kgen_data_z + kgen_at);
        kgen_text(kgen_of_x, kgen_of_y, kgen_of_z);
        kgen_store(kgen_p.kgen_data_z + kgen_at, kgen_of_z);
    }
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_multiply(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const complex<double> x, const complex<double> y, complex<double>& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "multiply (operation)"
z = x * y

; } while (false);
    };
#line N "multiply.cu"
    kgen_operands kgen_all(kgen_p);
    kgen_flat<kgen_plan>(kgen_p, kgen_all, kgen_body);
}
