// indexed: T x, T y -> T z
// types: T = uint8
// plan: rows over 2 axes
// --- the kernel ---
typedef unsigned char T;
struct kgen_parameters {
    long long kgen_count;
    const unsigned char* kgen_data_x;
    const unsigned char* kgen_data_y;
    unsigned char* kgen_data_z;
    long long kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_y[2];  // bytes
    long long kgen_strides_z[2];  // bytes
};
extern "C" __attribute__((visibility("default"))) void kgen_kernel_indexed(
    const void* kgen_block, const kgen_host_calls* kgen_given_calls, long long kgen_begin, long long kgen_end) {
    const kgen_parameters& kgen_p = *(const kgen_parameters*)kgen_block;
    __atomic_store_n(&kgen_calls, kgen_given_calls, __ATOMIC_RELAXED);
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const ptrdiff_t kgen_i, const unsigned char x, const unsigned char y, unsigned char& z) __attribute__((always_inline)) {
        const ptrdiff_t i = kgen_i;
        do {  // the user's text, as it was written
#line 1 "indexed (operation)"
z = x + y * i

; } while (false);
    };
#line N "indexed.cpp"
    // The index of element kgen_begin, then row by row: the outer axes count, the inner one loops.
    long long kgen_index[2];
    long long kgen_rest = kgen_begin;
    for (int kgen_axis = 1; kgen_axis >= 0; --kgen_axis) {
        kgen_index[kgen_axis] = kgen_rest % kgen_p.kgen_extents[kgen_axis];
        kgen_rest /= kgen_p.kgen_extents[kgen_axis];
    }
    for (long long kgen_at = kgen_begin; kgen_at < kgen_end;) {
        const long long kgen_room = kgen_p.kgen_extents[1] - kgen_index[1];
        const long long kgen_run = kgen_room < kgen_end - kgen_at ? kgen_room : kgen_end - kgen_at;
        const char* kgen_row_x = (const char*)kgen_p.kgen_data_x;
        const char* kgen_row_y = (const char*)kgen_p.kgen_data_y;
        char* kgen_row_z = (char*)kgen_p.kgen_data_z;
        for (int kgen_axis = 0; kgen_axis < 2; ++kgen_axis) {
            kgen_row_x += kgen_index[kgen_axis] * kgen_p.kgen_strides_x[kgen_axis];
            kgen_row_y += kgen_index[kgen_axis] * kgen_p.kgen_strides_y[kgen_axis];
            kgen_row_z += kgen_index[kgen_axis] * kgen_p.kgen_strides_z[kgen_axis];
        }
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
        for (long long kgen_k = 0; kgen_k < kgen_run; ++kgen_k) {
            const unsigned char kgen_of_x = *((const unsigned char*)kgen_row_x + kgen_k);
            const unsigned char kgen_of_y = *((const unsigned char*)(kgen_row_y + kgen_k * kgen_p.kgen_strides_y[1]));
            unsigned char kgen_of_z = *((unsigned char*)kgen_row_z + kgen_k);
            kgen_body(kgen_at + kgen_k, kgen_of_x, kgen_of_y, kgen_of_z);
            *((unsigned char*)kgen_row_z + kgen_k) = kgen_of_z;
        }
        kgen_at += kgen_run;
        kgen_index[1] += kgen_run;
        for (int kgen_axis = 1; kgen_axis > 0 && kgen_index[kgen_axis] == kgen_p.kgen_extents[kgen_axis]; --kgen_axis) {
            kgen_index[kgen_axis] = 0;
            ++kgen_index[kgen_axis - 1];
        }
    }
}
