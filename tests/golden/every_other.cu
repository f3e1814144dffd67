// every_other: T x -> T y
// types: T = int32
// plan: vectors of rows over 2 axes, 4 elements an access, 1 row a thread, 32-bit offsets
// --- the kernel ---
typedef int T;
struct kgen_parameters {
    long long kgen_count;
    long long kgen_work;
    const int* kgen_data_x;
    int* kgen_data_y;
    kgen_row_steps kgen_rows;
    long long kgen_index_strides[2];
    kgen_divisor kgen_extents[2];
    int kgen_strides_x[2];  // bytes
    int kgen_strides_y[2];  // bytes
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_every_other(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const ptrdiff_t kgen_i, const int x, int& y) __attribute__((always_inline)) {
        const ptrdiff_t i = kgen_i;
        do {  // the user's text, as it was written
#line 1 "every_other (operation)"
y = x + i

; } while (false);
    };
#line N "every_other.cu"
    const unsigned kgen_at = (unsigned)kgen_block() * kgen_block_size() + kgen_thread();
    if (kgen_at < kgen_p.kgen_work) {
        // One vector's place in a row, in the first of the thread's rows.
        const unsigned kgen_q1 = kgen_divide(kgen_at, kgen_p.kgen_extents[1]);
        unsigned kgen_i1 = kgen_at - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
        unsigned kgen_i0 = kgen_q1;
        const int* const kgen_at_x = (const int*)((const char*)kgen_p.kgen_data_x + ((int)kgen_i0 * kgen_p.kgen_strides_x[0] + (int)kgen_i1 * kgen_p.kgen_strides_x[1] * 4));
        int* const kgen_at_y = (int*)((char*)kgen_p.kgen_data_y + ((int)kgen_i0 * kgen_p.kgen_strides_y[0] + (int)kgen_i1 * kgen_p.kgen_strides_y[1] * 4));
        const long long kgen_index = (long long)kgen_i0 * kgen_p.kgen_index_strides[0] + (long long)kgen_i1 * 4 * kgen_p.kgen_index_strides[1];
        kgen_vector<int, 4> kgen_of_x;
#pragma unroll
        for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
            kgen_of_x.kgen_at[kgen_e] = kgen_load_read_only((const int*)((const char*)kgen_at_x + kgen_e * kgen_p.kgen_strides_x[1]));
        }
        kgen_vector<int, 4> kgen_of_y = kgen_load((kgen_vector<int, 4>*)(kgen_at_y));
#pragma unroll
        for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
            kgen_body(kgen_index + kgen_e, kgen_of_x.kgen_at[kgen_e], kgen_of_y.kgen_at[kgen_e]);
        }
        kgen_store((kgen_vector<int, 4>*)(kgen_at_y), kgen_of_y);
    }
}
