// compute: T x, T y -> T z
// types: T = float32
// plan: short rows, many at once, over 2 axes
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
    // Rows of few elements: as many as have 512 elements make a pack, which is walked as one row. What is not
    // contiguous over whole rows is copied into a pack first; what is the same in every row, once for all of them.
    // A range of elements stands for the packs that begin in it, counted as if all had equally many elements.
    const long long kgen_rows = kgen_p.kgen_extents[0];
    const long long kgen_columns = kgen_p.kgen_extents[1];
    const long long kgen_height = 512 / kgen_columns;
    const long long kgen_down = (kgen_rows + kgen_height - 1) / kgen_height;
    const long long kgen_packs = kgen_p.kgen_count / (kgen_rows * kgen_columns) * kgen_down;
    const long long kgen_each = (kgen_p.kgen_count - 1) / kgen_packs + 1;
    const long long kgen_last = kgen_end < kgen_p.kgen_count ? (kgen_end + kgen_each - 1) / kgen_each : kgen_packs;
    const long long kgen_first = (kgen_begin + kgen_each - 1) / kgen_each;
    float kgen_pack_y[512];
    for (long long kgen_pack = kgen_first; kgen_pack < kgen_last; ++kgen_pack) {
        const long long kgen_row = kgen_pack % kgen_down * kgen_height;
        long long kgen_rest = kgen_pack / kgen_down;
        const long long kgen_full = kgen_rows - kgen_row < kgen_height ? kgen_rows - kgen_row : kgen_height;
        const char* kgen_row_x = (const char*)kgen_p.kgen_data_x;
        const char* kgen_row_y = (const char*)kgen_p.kgen_data_y;
        char* kgen_row_z = (char*)kgen_p.kgen_data_z;
        kgen_row_x += kgen_row * kgen_p.kgen_strides_x[0];
        kgen_row_y += kgen_row * kgen_p.kgen_strides_y[0];
        kgen_row_z += kgen_row * kgen_p.kgen_strides_z[0];
        const long long kgen_step_y = kgen_p.kgen_strides_y[1];
        const long long kgen_down_y = kgen_p.kgen_strides_y[0];
        if (kgen_down_y != 0 || kgen_row == 0 || kgen_pack == kgen_first) {
            for (long long kgen_column = 0; kgen_column < kgen_columns; ++kgen_column) {
                for (long long kgen_k = 0; kgen_k < kgen_full; ++kgen_k) {
                    kgen_pack_y[kgen_k * kgen_columns + kgen_column] =
                        *(const float*)(kgen_row_y + kgen_column * kgen_step_y + kgen_k * kgen_down_y);
                }
            }
        }
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
        for (long long kgen_k = 0; kgen_k < kgen_full * kgen_columns; ++kgen_k) {
            const float kgen_of_x = *((const float*)kgen_row_x + kgen_k);
            const float kgen_of_y = *(kgen_pack_y + kgen_k);
            float kgen_of_z = *((float*)kgen_row_z + kgen_k);
            kgen_body(kgen_of_x, kgen_of_y, kgen_of_z);
            *((float*)kgen_row_z + kgen_k) = kgen_of_z;
        }
    }
}
