// fold: T x -> T y
// types: T = float32
// plan: neighbouring outputs side by side, 1 of 2 axes reduced
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const float* kgen_data_x;
    float* kgen_data_y;
    long long kgen_pieces;
    long long kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_y[2];  // bytes
};
typedef float kgen_value;
typedef kgen_value kgen_accumulator;
struct kgen_plan {
    enum {
        kgen_rank = 2,
        kgen_kept = 1,
        kgen_pack = 1,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_wide = 0,
        kgen_has_identity = 1,
        kgen_narrow = 0,
    };
    typedef kgen_accumulator kgen_accumulator_type;
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    const char* kgen_row_x;
    char* kgen_row_y;
    KGEN_INLINE explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    KGEN_INLINE void kgen_begin() {
        kgen_row_x = (const char*)kgen_p.kgen_data_x;
        kgen_row_y = (char*)kgen_p.kgen_data_y;
    }
    KGEN_INLINE void kgen_move(int kgen_axis, long long kgen_by) {
        kgen_row_x += kgen_by * kgen_p.kgen_strides_x[kgen_axis];
        kgen_row_y += kgen_by * kgen_p.kgen_strides_y[kgen_axis];
    }
    KGEN_INLINE void kgen_begin_row() {
    }
    template <class kgen_callable> KGEN_INLINE auto kgen_call(const kgen_callable& kgen_text, long long kgen_k) const {
        return kgen_text(kgen_load((const float*)kgen_row_x + kgen_k));
    }
    template <class kgen_callable> KGEN_INLINE void kgen_finish(const kgen_callable& kgen_text, long long kgen_k, const kgen_accumulator& kgen_folded) const {
        float kgen_of_y = kgen_load((float*)kgen_row_y + kgen_k);
        kgen_text(kgen_folded, kgen_of_y);
        kgen_store((float*)kgen_row_y + kgen_k, kgen_of_y);
    }
};
extern "C" __attribute__((visibility("default"))) void kgen_kernel_fold(
    const void* kgen_block, const kgen_host_calls* kgen_given_calls, long long kgen_begin, long long kgen_end) {
    const kgen_parameters& kgen_p = *(const kgen_parameters*)kgen_block;
    __atomic_store_n(&kgen_calls, kgen_given_calls, __ATOMIC_RELAXED);
    // The value of one element.
    const auto kgen_map = [&](const float x) __attribute__((always_inline)) {
        return (
#line 1 "fold (map)"
x * x

);
    };
#line N "fold.cpp"
    // Two values as one.
    const auto kgen_reduce = [&](kgen_value a, kgen_value b) __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_value(
#line 1 "fold (reduce)"
a + b

);
    };
#line N "fold.cpp"
    // Where a fold starts.
    const auto kgen_identity = [&]() __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_accumulator(kgen_value(
#line 1 "fold (identity)"
0

));
    };
#line N "fold.cpp"
    // The outputs from a folded value.
    const auto kgen_post = [&](kgen_value a, float& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "fold (post_map)"
y = sqrt(a)

; } while (false);
    };
#line N "fold.cpp"
    kgen_operands kgen_all(kgen_p);
    kgen_reduced_columns<kgen_plan>(kgen_p, kgen_all, kgen_map, kgen_reduce, kgen_identity, kgen_post, kgen_begin, kgen_end);
}
