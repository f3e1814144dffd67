// count_turned: T x -> T y
// types: T = float32
// plan: strided over 3 axes, 4 accesses a thread, 32-bit offsets
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    float* kgen_data_y;
    kgen_divisor kgen_extents[3];
    int kgen_strides_x[3];  // bytes
    int kgen_strides_y[3];  // bytes
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_count_turned(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const ptrdiff_t kgen_i, const float x, float& y) __attribute__((always_inline)) {
        const ptrdiff_t i = kgen_i;
        do {  // the user's text, as it was written
#line 1 "count_turned (operation)"
y = x + i

; } while (false);
    };
#line N "count_turned.cu"
    const unsigned kgen_tile = 4 * kgen_block_size();
    const long long kgen_begin = (long long)kgen_block() * kgen_tile;
    const long long kgen_left = kgen_p.kgen_count - kgen_begin;
    if (kgen_left >= kgen_tile) {
        // A whole tile: all loads, then the bodies, then the stores.
        kgen_vector<float, 1> kgen_of_x[4];
        kgen_vector<float, 1> kgen_of_y[4];
        float* kgen_pointer_y[4];
#pragma unroll
        for (int kgen_access = 0; kgen_access < 4; ++kgen_access) {
            const long long kgen_first = kgen_begin + (kgen_thread() + kgen_access * kgen_block_size()) * 1;
            const unsigned kgen_q2 = kgen_divide((unsigned)kgen_first, kgen_p.kgen_extents[2]);
            unsigned kgen_i2 = (unsigned)kgen_first - kgen_q2 * kgen_extent_of(kgen_p.kgen_extents[2]);
            const unsigned kgen_q1 = kgen_divide(kgen_q2, kgen_p.kgen_extents[1]);
            unsigned kgen_i1 = kgen_q2 - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
            unsigned kgen_i0 = kgen_q1;
            int kgen_offset_x = (int)kgen_i0 * kgen_p.kgen_strides_x[0] + (int)kgen_i1 * kgen_p.kgen_strides_x[1] + (int)kgen_i2 * kgen_p.kgen_strides_x[2];
            int kgen_offset_y = (int)kgen_i0 * kgen_p.kgen_strides_y[0] + (int)kgen_i1 * kgen_p.kgen_strides_y[1] + (int)kgen_i2 * kgen_p.kgen_strides_y[2];
            kgen_pointer_y[kgen_access] = (float*)((char*)kgen_p.kgen_data_y + kgen_offset_y);
#pragma unroll
            for (int kgen_e = 0; kgen_e < 1; ++kgen_e) {
                kgen_of_x[kgen_access].kgen_at[kgen_e] = kgen_load_read_only((const float*)((const char*)kgen_p.kgen_data_x + kgen_offset_x));
                kgen_of_y[kgen_access].kgen_at[kgen_e] = kgen_load((float*)((char*)kgen_p.kgen_data_y + kgen_offset_y));
            }
        }
#pragma unroll
        for (int kgen_access = 0; kgen_access < 4; ++kgen_access) {
#pragma unroll
            for (int kgen_e = 0; kgen_e < 1; ++kgen_e) {
                kgen_body(kgen_begin + (kgen_thread() + kgen_access * kgen_block_size()) * 1 + kgen_e, kgen_of_x[kgen_access].kgen_at[kgen_e], kgen_of_y[kgen_access].kgen_at[kgen_e]);
            }
        }
#pragma unroll
        for (int kgen_access = 0; kgen_access < 4; ++kgen_access) {
#pragma unroll
            for (int kgen_e = 0; kgen_e < 1; ++kgen_e) {
                kgen_store(kgen_pointer_y[kgen_access], kgen_of_y[kgen_access].kgen_at[kgen_e]);
            }
        }
    } else {
        // A tile that is cut off: element by element.
        for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_left; kgen_k += kgen_block_size()) {
            const long long kgen_at = kgen_begin + kgen_k;
            const unsigned kgen_q2 = kgen_divide((unsigned)kgen_at, kgen_p.kgen_extents[2]);
            unsigned kgen_i2 = (unsigned)kgen_at - kgen_q2 * kgen_extent_of(kgen_p.kgen_extents[2]);
            const unsigned kgen_q1 = kgen_divide(kgen_q2, kgen_p.kgen_extents[1]);
            unsigned kgen_i1 = kgen_q2 - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
            unsigned kgen_i0 = kgen_q1;
            int kgen_offset_x = (int)kgen_i0 * kgen_p.kgen_strides_x[0] + (int)kgen_i1 * kgen_p.kgen_strides_x[1] + (int)kgen_i2 * kgen_p.kgen_strides_x[2];
            int kgen_offset_y = (int)kgen_i0 * kgen_p.kgen_strides_y[0] + (int)kgen_i1 * kgen_p.kgen_strides_y[1] + (int)kgen_i2 * kgen_p.kgen_strides_y[2];
            const float kgen_of_x = kgen_load_read_only((const float*)((const char*)kgen_p.kgen_data_x + kgen_offset_x));
            float kgen_of_y = kgen_load((float*)((char*)kgen_p.kgen_data_y + kgen_offset_y));
            kgen_body(kgen_at, kgen_of_x, kgen_of_y);
            kgen_store((float*)((char*)kgen_p.kgen_data_y + kgen_offset_y), kgen_of_y);
        }
    }
}
