// texts: T x -> T y
// types: T = int32
// plan: one row
// --- the kernel ---
typedef int T;
struct kgen_parameters {
    long long kgen_count;
    const int* kgen_data_x;
    int* kgen_data_y;
    long long kgen_extents[1];
    long long kgen_strides_x[1];  // bytes
    long long kgen_strides_y[1];  // bytes
};
#line 1 "texts (preamble)"
template <class V> V twice(V x) { return x + x; }

#line N "texts.cpp"
extern "C" __attribute__((visibility("default"))) void kgen_kernel_texts(
    const void* kgen_block, const kgen_host_calls* kgen_given_calls, long long kgen_begin, long long kgen_end) {
    const kgen_parameters& kgen_p = *(const kgen_parameters*)kgen_block;
    __atomic_store_n(&kgen_calls, kgen_given_calls, __ATOMIC_RELAXED);
#line 1 "texts (loop_prep)"
T total = 0

;
#line N "texts.cpp"
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const int x, int& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "texts (operation)"
total += x; y = twice(x)

; } while (false);
    };
#line N "texts.cpp"
    // A range begins and ends at a multiple of 64 elements from the begin of a row, so that the same elements
    // share a vector however many threads there are.
    const long long kgen_extent = kgen_p.kgen_extents[0];
    kgen_begin -= kgen_begin % kgen_extent % 64;
    if (kgen_end < kgen_p.kgen_count) kgen_end -= kgen_end % kgen_extent % 64;
    // Row by row: the inner axis loops, the outer ones count.
    const char* kgen_row_x = (const char*)kgen_p.kgen_data_x;
    char* kgen_row_y = (char*)kgen_p.kgen_data_y;
    long long kgen_from = kgen_begin % kgen_extent;
    long long kgen_rest = kgen_begin / kgen_extent;
    for (long long kgen_at = kgen_begin - kgen_from; kgen_at < kgen_end; kgen_at += kgen_extent) {
        const long long kgen_to = kgen_extent < kgen_end - kgen_at ? kgen_extent : kgen_end - kgen_at;
        for (long long kgen_k = kgen_from; kgen_k < kgen_to; ++kgen_k) {
            const int kgen_of_x = *((const int*)kgen_row_x + kgen_k);
            int kgen_of_y = *((int*)kgen_row_y + kgen_k);
            kgen_body(kgen_of_x, kgen_of_y);
            *((int*)kgen_row_y + kgen_k) = kgen_of_y;
        }
        kgen_from = 0;
    }
#line 1 "texts (after_loop)"
if (total < 0) printf("negative\n")

;
#line N "texts.cpp"
}
