// mixed: T x, U y, V w -> V z
// types: T = float32, U = float16, V = float64
// plan: rows over 3 axes
// --- the kernel ---
typedef float T;
typedef float16 U;
typedef double V;
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    const float16* kgen_data_y;
    const double* kgen_data_w;
    double* kgen_data_z;
    long long kgen_extents[3];
    long long kgen_strides_x[3];  // bytes
    long long kgen_strides_y[3];  // bytes
    long long kgen_strides_w[3];  // bytes
    long long kgen_strides_z[3];  // bytes
};
extern "C" __attribute__((visibility("default"))) void kgen_kernel_mixed(
    const void* kgen_block, const kgen_host_calls* kgen_given_calls, long long kgen_begin, long long kgen_end) {
    const kgen_parameters& kgen_p = *(const kgen_parameters*)kgen_block;
    __atomic_store_n(&kgen_calls, kgen_given_calls, __ATOMIC_RELAXED);
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float x, const float16 y, const double w, double& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "mixed (operation)"
z = x + y * w

; } while (false);
    };
#line N "mixed.cpp"
    // The index of element kgen_begin, then row by row: the outer axes count, the inner one loops.
    long long kgen_index[3];
    long long kgen_rest = kgen_begin;
    for (int kgen_axis = 2; kgen_axis >= 0; --kgen_axis) {
        kgen_index[kgen_axis] = kgen_rest % kgen_p.kgen_extents[kgen_axis];
        kgen_rest /= kgen_p.kgen_extents[kgen_axis];
    }
    for (long long kgen_at = kgen_begin; kgen_at < kgen_end;) {
        const long long kgen_room = kgen_p.kgen_extents[2] - kgen_index[2];
        const long long kgen_run = kgen_room < kgen_end - kgen_at ? kgen_room : kgen_end - kgen_at;
        const char* kgen_row_x = (const char*)kgen_p.kgen_data_x;
        const char* kgen_row_y = (const char*)kgen_p.kgen_data_y;
        const char* kgen_row_w = (const char*)kgen_p.kgen_data_w;
        char* kgen_row_z = (char*)kgen_p.kgen_data_z;
        for (int kgen_axis = 0; kgen_axis < 3; ++kgen_axis) {
            kgen_row_x += kgen_index[kgen_axis] * kgen_p.kgen_strides_x[kgen_axis];
            kgen_row_y += kgen_index[kgen_axis] * kgen_p.kgen_strides_y[kgen_axis];
            kgen_row_w += kgen_index[kgen_axis] * kgen_p.kgen_strides_w[kgen_axis];
            kgen_row_z += kgen_index[kgen_axis] * kgen_p.kgen_strides_z[kgen_axis];
        }
        const double kgen_of_w = *((const double*)kgen_row_w);
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
        for (long long kgen_k = 0; kgen_k < kgen_run; ++kgen_k) {
            const float kgen_of_x = *((const float*)kgen_row_x + kgen_k);
            const float16 kgen_of_y = *((const float16*)(kgen_row_y + kgen_k * kgen_p.kgen_strides_y[2]));
            double kgen_of_z = *((double*)kgen_row_z + kgen_k);
            kgen_body(kgen_of_x, kgen_of_y, kgen_of_w, kgen_of_z);
            *((double*)kgen_row_z + kgen_k) = kgen_of_z;
        }
        kgen_at += kgen_run;
        kgen_index[2] += kgen_run;
        for (int kgen_axis = 2; kgen_axis > 0 && kgen_index[kgen_axis] == kgen_p.kgen_extents[kgen_axis]; --kgen_axis) {
            kgen_index[kgen_axis] = 0;
            ++kgen_index[kgen_axis - 1];
        }
    }
}
