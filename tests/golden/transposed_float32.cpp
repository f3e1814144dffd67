// compute: T x, T y -> T z
// types: T = float32
// plan: tiles of 64 by 64 over the two inner of 2 axes
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
extern "C" __attribute__((visibility("default"))) void kgen_kernel_compute(
    const void* kgen_block, const kgen_host_calls* kgen_given_calls, long long kgen_begin, long long kgen_end) {
    const kgen_parameters& kgen_p = *(const kgen_parameters*)kgen_block;
    __atomic_store_n(&kgen_calls, kgen_given_calls, __ATOMIC_RELAXED);
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float x, const float y, float& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "compute (operation)"
z = (x - y) * (x - y)

; } while (false);
    };
#line N "compute.cpp"
    // The two inner axes are cut into tiles of 64 by 64, the other axes count. A range of elements stands for the
    // tiles that begin in it, counted as if all had equally many elements.
    const long long kgen_rows = kgen_p.kgen_extents[0];
    const long long kgen_columns = kgen_p.kgen_extents[1];
    const long long kgen_down = (kgen_rows + 63) / 64;
    const long long kgen_across = (kgen_columns + 63) / 64;
    const long long kgen_tiles = kgen_p.kgen_count / (kgen_rows * kgen_columns) * kgen_down * kgen_across;
    const long long kgen_each = (kgen_p.kgen_count - 1) / kgen_tiles + 1;
    const long long kgen_last = kgen_end < kgen_p.kgen_count ? (kgen_end + kgen_each - 1) / kgen_each : kgen_tiles;
    const long long kgen_step_y = kgen_p.kgen_strides_y[1];
    for (long long kgen_tile = (kgen_begin + kgen_each - 1) / kgen_each; kgen_tile < kgen_last; ++kgen_tile) {
        const long long kgen_column = kgen_tile % kgen_across * 64;
        long long kgen_rest = kgen_tile / kgen_across;
        const long long kgen_row = kgen_rest % kgen_down * 64;
        kgen_rest /= kgen_down;
        const char* kgen_row_x = (const char*)kgen_p.kgen_data_x;
        const char* kgen_row_y = (const char*)kgen_p.kgen_data_y;
        char* kgen_row_z = (char*)kgen_p.kgen_data_z;
        kgen_row_x += kgen_row * kgen_p.kgen_strides_x[0] + kgen_column * kgen_p.kgen_strides_x[1];
        kgen_row_y += kgen_row * kgen_p.kgen_strides_y[0] + kgen_column * kgen_p.kgen_strides_y[1];
        kgen_row_z += kgen_row * kgen_p.kgen_strides_z[0] + kgen_column * kgen_p.kgen_strides_z[1];
        const long long kgen_to = kgen_columns - kgen_column < 64 ? kgen_columns - kgen_column : 64;
        for (long long kgen_left = kgen_rows - kgen_row < 64 ? kgen_rows - kgen_row : 64; kgen_left > 0; --kgen_left) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
            for (long long kgen_k = 0; kgen_k < kgen_to; ++kgen_k) {
                const float kgen_of_x = *((const float*)kgen_row_x + kgen_k);
                const float kgen_of_y = *((const float*)(kgen_row_y + kgen_k * kgen_step_y));
                float kgen_of_z = *((float*)kgen_row_z + kgen_k);
                kgen_body(kgen_of_x, kgen_of_y, kgen_of_z);
                *((float*)kgen_row_z + kgen_k) = kgen_of_z;
            }
            kgen_row_x += kgen_p.kgen_strides_x[0];
            kgen_row_y += kgen_p.kgen_strides_y[0];
            kgen_row_z += kgen_p.kgen_strides_z[0];
        }
    }
}
