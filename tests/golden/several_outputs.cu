// split: T x -> T lo, T hi
// types: T = float64
// plan: contiguous, 2 elements an access
// --- the kernel ---
typedef double T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const double* kgen_data_x;
    double* kgen_data_lo;
    double* kgen_data_hi;
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_split(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const double x, double& lo, double& hi) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "split (operation)"
lo = x < 0 ? x : T(0); hi = x < 0 ? T(0) : x

; } while (false);
    };
#line N "split.cu"
    const unsigned kgen_tile = 2 * kgen_block_size();
    const long long kgen_begin = (long long)kgen_block() * kgen_tile;
    const long long kgen_left = kgen_p.kgen_count - kgen_begin;
    if (kgen_left >= kgen_tile) {
        // A whole tile: all loads, then the bodies, then the stores.
        const long long kgen_first = kgen_begin + kgen_thread() * 2;
        kgen_vector<double, 2> kgen_of_x = kgen_load_read_only((const kgen_vector<double, 2>*)(kgen_p.kgen_data_x + kgen_first));
        kgen_vector<double, 2> kgen_of_lo = kgen_load((kgen_vector<double, 2>*)(kgen_p.kgen_data_lo + kgen_first));
        kgen_vector<double, 2> kgen_of_hi = kgen_load((kgen_vector<double, 2>*)(kgen_p.kgen_data_hi + kgen_first));
#pragma unroll
        for (int kgen_e = 0; kgen_e < 2; ++kgen_e) {
            kgen_body(kgen_of_x.kgen_at[kgen_e], kgen_of_lo.kgen_at[kgen_e], kgen_of_hi.kgen_at[kgen_e]);
        }
        kgen_store((kgen_vector<double, 2>*)(kgen_p.kgen_data_lo + kgen_first), kgen_of_lo);
        kgen_store((kgen_vector<double, 2>*)(kgen_p.kgen_data_hi + kgen_first), kgen_of_hi);
    } else {
        // A tile that is cut off: element by element.
        for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_left; kgen_k += kgen_block_size()) {
            const long long kgen_at = kgen_begin + kgen_k;
            const double kgen_of_x = kgen_load_read_only(kgen_p.kgen_data_x + kgen_at);
            double kgen_of_lo = kgen_load(kgen_p.kgen_data_lo + kgen_at);
            double kgen_of_hi = kgen_load(kgen_p.kgen_data_hi + kgen_at);
            kgen_body(kgen_of_x, kgen_of_lo, kgen_of_hi);
            kgen_store(kgen_p.kgen_data_lo + kgen_at, kgen_of_lo);
            kgen_store(kgen_p.kgen_data_hi + kgen_at, kgen_of_hi);
        }
    }
}
