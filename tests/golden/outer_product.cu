// outer: T x, T y -> T z
// types: T = float32
// plan: vectors of rows over 2 axes, 4 elements an access, 2 rows a thread, 32-bit offsets
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_work;
    const float* kgen_data_x;
    const float* kgen_data_y;
    float* kgen_data_z;
    kgen_row_steps kgen_rows;
    kgen_divisor kgen_extents[2];
    int kgen_strides_x[2];  // bytes
    int kgen_strides_y[2];  // bytes
    int kgen_strides_z[2];  // bytes
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_outer(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float x, const float y, float& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "outer (operation)"
z = x * y

; } while (false);
    };
#line N "outer.cu"
    const unsigned kgen_at = (unsigned)kgen_block() * kgen_block_size() + kgen_thread();
    if (kgen_at < kgen_p.kgen_work) {
        // One vector's place in a row, in the first of the thread's rows.
        const unsigned kgen_q1 = kgen_divide(kgen_at, kgen_p.kgen_extents[1]);
        unsigned kgen_i1 = kgen_at - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
        unsigned kgen_i0 = kgen_q1;
        const long long kgen_row = kgen_i0 * kgen_p.kgen_rows.kgen_first;
        const float* const kgen_at_x = (const float*)((const char*)kgen_p.kgen_data_x + ((int)kgen_row * kgen_p.kgen_strides_x[0] + (int)kgen_i1 * kgen_p.kgen_strides_x[1] * 4));
        const float* const kgen_at_y = (const float*)((const char*)kgen_p.kgen_data_y + ((int)kgen_row * kgen_p.kgen_strides_y[0] + (int)kgen_i1 * kgen_p.kgen_strides_y[1] * 4));
        float* const kgen_at_z = (float*)((char*)kgen_p.kgen_data_z + ((int)kgen_row * kgen_p.kgen_strides_z[0] + (int)kgen_i1 * kgen_p.kgen_strides_z[1] * 4));
        kgen_vector<float, 4> kgen_of_y = kgen_load_read_only((const kgen_vector<float, 4>*)(kgen_at_y));
        if (kgen_row + 1 * kgen_p.kgen_rows.kgen_step < kgen_p.kgen_rows.kgen_extent) {
            float kgen_of_x[2];
            kgen_vector<float, 4> kgen_of_z[2];
#pragma unroll
            for (int kgen_r = 0; kgen_r < 2; ++kgen_r) {
                kgen_of_x[kgen_r] = kgen_load_read_only((const float*)((const char*)kgen_at_x + kgen_r * (int)kgen_p.kgen_rows.kgen_step * kgen_p.kgen_strides_x[0]));
                kgen_of_z[kgen_r] = kgen_load((kgen_vector<float, 4>*)((float*)((char*)kgen_at_z + kgen_r * (int)kgen_p.kgen_rows.kgen_step * kgen_p.kgen_strides_z[0])));
            }
#pragma unroll
            for (int kgen_r = 0; kgen_r < 2; ++kgen_r) {
#pragma unroll
                for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
                    kgen_body(kgen_of_x[kgen_r], kgen_of_y.kgen_at[kgen_e], kgen_of_z[kgen_r].kgen_at[kgen_e]);
                }
            }
#pragma unroll
            for (int kgen_r = 0; kgen_r < 2; ++kgen_r) {
                kgen_store((kgen_vector<float, 4>*)((float*)((char*)kgen_at_z + kgen_r * (int)kgen_p.kgen_rows.kgen_step * kgen_p.kgen_strides_z[0])), kgen_of_z[kgen_r]);
            }
        } else {
            for (int kgen_r = 0; kgen_row + kgen_r * kgen_p.kgen_rows.kgen_step < kgen_p.kgen_rows.kgen_extent; ++kgen_r) {
                float kgen_of_x = kgen_load_read_only((const float*)((const char*)kgen_at_x + kgen_r * (int)kgen_p.kgen_rows.kgen_step * kgen_p.kgen_strides_x[0]));
                kgen_vector<float, 4> kgen_of_z = kgen_load((kgen_vector<float, 4>*)((float*)((char*)kgen_at_z + kgen_r * (int)kgen_p.kgen_rows.kgen_step * kgen_p.kgen_strides_z[0])));
#pragma unroll
                for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
                    kgen_body(kgen_of_x, kgen_of_y.kgen_at[kgen_e], kgen_of_z.kgen_at[kgen_e]);
                }
                kgen_store((kgen_vector<float, 4>*)((float*)((char*)kgen_at_z + kgen_r * (int)kgen_p.kgen_rows.kgen_step * kgen_p.kgen_strides_z[0])), kgen_of_z);
            }
        }
    }
}
