// multiply: T x, T y -> T z
// types: T = complex128
// plan: contiguous
// --- the kernel ---
typedef complex<double> T;
struct kgen_parameters {
    long long kgen_count;
    const complex<double>* kgen_data_x;
    const complex<double>* kgen_data_y;
    complex<double>* kgen_data_z;
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_multiply(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const complex<double> x, const complex<double> y, complex<double>& z) __attribute__((always_inline)) {
        do {
#line 1 "multiply (operation)"
z = x * y

; } while (false);
    };
#line N "multiply.cu"
    const unsigned kgen_tile = 1 * kgen_block_size();
    const long long kgen_begin = (long long)kgen_block() * kgen_tile;
    const long long kgen_left = kgen_p.kgen_count - kgen_begin;
    for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_tile && kgen_k < kgen_left; kgen_k += kgen_block_size()) {
        const complex<double> kgen_of_x = kgen_load_read_only((kgen_p.kgen_data_x + kgen_begin + kgen_k));
        const complex<double> kgen_of_y = kgen_load_read_only((kgen_p.kgen_data_y + kgen_begin + kgen_k));
        complex<double> kgen_of_z = kgen_load((kgen_p.kgen_data_z + kgen_begin + kgen_k));
        kgen_body(kgen_of_x, kgen_of_y, kgen_of_z);
        kgen_store(kgen_p.kgen_data_z + kgen_begin + kgen_k, kgen_of_z);
    }
}
