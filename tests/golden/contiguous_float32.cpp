// compute: T x, T y -> T z
// types: T = float32
// plan: one row
// --- the kernel ---
typedef float T;
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    const float* kgen_data_y;
    float* kgen_data_z;
    long long kgen_extents[1];
    long long kgen_strides_x[1];  // bytes
    long long kgen_strides_y[1];  // bytes
    long long kgen_strides_z[1];  // bytes
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
    // A range begins and ends at a multiple of 64 elements from the begin of a row, so that the same elements
    // share a vector however many threads there are.
    const long long kgen_extent = kgen_p.kgen_extents[0];
    kgen_begin -= kgen_begin % kgen_extent % 64;
    if (kgen_end < kgen_p.kgen_count) kgen_end -= kgen_end % kgen_extent % 64;
    // Row by row: the inner axis loops, the outer ones count.
    const char* kgen_row_x = (const char*)kgen_p.kgen_data_x;
    const char* kgen_row_y = (const char*)kgen_p.kgen_data_y;
    char* kgen_row_z = (char*)kgen_p.kgen_data_z;
    long long kgen_from = kgen_begin % kgen_extent;
    long long kgen_rest = kgen_begin / kgen_extent;
    for (long long kgen_at = kgen_begin - kgen_from; kgen_at < kgen_end; kgen_at += kgen_extent) {
        const long long kgen_to = kgen_extent < kgen_end - kgen_at ? kgen_extent : kgen_end - kgen_at;
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
        for (long long kgen_k = kgen_from; kgen_k < kgen_to; ++kgen_k) {
            const float kgen_of_x = *((const float*)kgen_row_x + kgen_k);
            const float kgen_of_y = *((const float*)kgen_row_y + kgen_k);
            float kgen_of_z = *((float*)kgen_row_z + kgen_k);
            kgen_body(kgen_of_x, kgen_of_y, kgen_of_z);
            *((float*)kgen_row_z + kgen_k) = kgen_of_z;
        }
        kgen_from = 0;
    }
}
