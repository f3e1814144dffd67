// compute: T x, T y -> T z
// types: T = float32
// plan: one row
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
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
struct kgen_plan {
    enum {
        kgen_rank = 1,
        kgen_kept = 0,
        kgen_pack = 1,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_independent = 1,
        kgen_drawn = 0,
    };
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    const char* kgen_row_x;
    const char* kgen_row_y;
    char* kgen_row_z;
    long long kgen_at;
    KGEN_INLINE explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    KGEN_INLINE void kgen_begin() {
        kgen_row_x = (const char*)kgen_p.kgen_data_x;
        kgen_row_y = (const char*)kgen_p.kgen_data_y;
        kgen_row_z = (char*)kgen_p.kgen_data_z;
        kgen_at = 0;
    }
    KGEN_INLINE void kgen_move(int kgen_axis, long long kgen_by) {
        kgen_row_x += kgen_by * kgen_p.kgen_strides_x[kgen_axis];
        kgen_row_y += kgen_by * kgen_p.kgen_strides_y[kgen_axis];
        kgen_row_z += kgen_by * kgen_p.kgen_strides_z[kgen_axis];
    }
    KGEN_INLINE void kgen_begin_row() {
    }
    template <class kgen_callable> KGEN_INLINE void kgen_compute(const kgen_callable& kgen_text, long long kgen_k) const {
        const float kgen_of_x = kgen_load((const float*)kgen_row_x + kgen_k);
        const float kgen_of_y = kgen_load((const float*)kgen_row_y + kgen_k);
        float kgen_of_z = kgen_load((float*)kgen_row_z + kgen_k);
        kgen_text(kgen_of_x, kgen_of_y, kgen_of_z);
        kgen_store((float*)kgen_row_z + kgen_k, kgen_of_z);
    }
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
    kgen_operands kgen_all(kgen_p);
    kgen_rows<kgen_plan>(kgen_p, kgen_all, kgen_body, kgen_begin, kgen_end);
}
