// squared_diff: T x, T y -> T z
// types: T = float32
// plan: strided over 2 axes, 64-bit offsets, 4 elements a thread
// --- the kernel ---
typedef float T;
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    const float* kgen_data_y;
    float* kgen_data_z;
    long long kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_y[2];  // bytes
    long long kgen_strides_z[2];  // bytes
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_squared_diff(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float x, const float y, float& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "squared_diff (operation)"
z = (x - y) * (x - y)

; } while (false);
    };
#line N "squared_diff.cu"
    const long long kgen_begin = (long long)kgen_block() * 4 * kgen_block_size();
#pragma unroll
    for (int kgen_access = 0; kgen_access < 4; ++kgen_access) {
        const long long kgen_at = kgen_begin + kgen_access * kgen_block_size() + kgen_thread();
        if (kgen_at >= kgen_p.kgen_count) break;
        // The element's index, divided into axes from the fastest to the slowest.
        unsigned long long kgen_rest = (unsigned long long)kgen_at;
        long long kgen_offset_x = 0;
        long long kgen_offset_y = 0;
        long long kgen_offset_z = 0;
#pragma unroll
        for (int kgen_axis = 1; kgen_axis > 0; --kgen_axis) {
            const unsigned long long kgen_next = kgen_divide(kgen_rest, kgen_p.kgen_extents[kgen_axis]);
            const long long kgen_index =
                (long long)(kgen_rest - kgen_next * kgen_extent_of(kgen_p.kgen_extents[kgen_axis]));
            kgen_rest = kgen_next;
            kgen_offset_x += kgen_index * kgen_p.kgen_strides_x[kgen_axis];
            kgen_offset_y += kgen_index * kgen_p.kgen_strides_y[kgen_axis];
            kgen_offset_z += kgen_index * kgen_p.kgen_strides_z[kgen_axis];
        }
        kgen_offset_x += (long long)kgen_rest * kgen_p.kgen_strides_x[0];
        kgen_offset_y += (long long)kgen_rest * kgen_p.kgen_strides_y[0];
        kgen_offset_z += (long long)kgen_rest * kgen_p.kgen_strides_z[0];
        const float kgen_of_x = kgen_load_read_only((const float*)((const char*)kgen_p.kgen_data_x + kgen_offset_x));
        const float kgen_of_y = kgen_load_read_only((const float*)((const char*)kgen_p.kgen_data_y + kgen_offset_y));
        float kgen_of_z = kgen_load((float*)((char*)kgen_p.kgen_data_z + kgen_offset_z));
        kgen_body(kgen_of_x, kgen_of_y, kgen_of_z);
        kgen_store((float*)((char*)kgen_p.kgen_data_z + kgen_offset_z), kgen_of_z);
    }
}
