// split: T x -> T lo, T hi
// types: T = float64
// plan: contiguous, 2 elements an access
// --- the kernel ---
typedef double T;
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
        do {
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
        kgen_vector<double, 2> kgen_of_x[1];
        kgen_vector<double, 2> kgen_of_lo[1];
        kgen_vector<double, 2> kgen_of_hi[1];
#pragma unroll
        for (int kgen_access = 0; kgen_access < 1; ++kgen_access) {
            const unsigned kgen_place = kgen_access * kgen_block_size() + kgen_thread();
            kgen_of_x[kgen_access] = kgen_load_read_only((const kgen_vector<double, 2>*)(kgen_p.kgen_data_x + kgen_begin) + kgen_place);
            kgen_of_lo[kgen_access] = kgen_load((kgen_vector<double, 2>*)(kgen_p.kgen_data_lo + kgen_begin) + kgen_place);
            kgen_of_hi[kgen_access] = kgen_load((kgen_vector<double, 2>*)(kgen_p.kgen_data_hi + kgen_begin) + kgen_place);
        }
#pragma unroll
        for (int kgen_access = 0; kgen_access < 1; ++kgen_access) {
#pragma unroll
            for (int kgen_e = 0; kgen_e < 2; ++kgen_e) {
                kgen_body(kgen_of_x[kgen_access].kgen_at[kgen_e], kgen_of_lo[kgen_access].kgen_at[kgen_e], kgen_of_hi[kgen_access].kgen_at[kgen_e]);
            }
        }
#pragma unroll
        for (int kgen_access = 0; kgen_access < 1; ++kgen_access) {
            const unsigned kgen_place = kgen_access * kgen_block_size() + kgen_thread();
            kgen_store((kgen_vector<double, 2>*)(kgen_p.kgen_data_lo + kgen_begin) + kgen_place, kgen_of_lo[kgen_access]);
            kgen_store((kgen_vector<double, 2>*)(kgen_p.kgen_data_hi + kgen_begin) + kgen_place, kgen_of_hi[kgen_access]);
        }
    } else {
        // The last tile: element by element.
        for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_tile && kgen_k < kgen_left; kgen_k += kgen_block_size()) {
            const double kgen_of_x = kgen_load_read_only((kgen_p.kgen_data_x + kgen_begin + kgen_k));
            double kgen_of_lo = kgen_load((kgen_p.kgen_data_lo + kgen_begin + kgen_k));
            double kgen_of_hi = kgen_load((kgen_p.kgen_data_hi + kgen_begin + kgen_k));
            kgen_body(kgen_of_x, kgen_of_lo, kgen_of_hi);
            kgen_store(kgen_p.kgen_data_lo + kgen_begin + kgen_k, kgen_of_lo);
            kgen_store(kgen_p.kgen_data_hi + kgen_begin + kgen_k, kgen_of_hi);
        }
    }
}
