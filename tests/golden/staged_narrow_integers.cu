// third: T x -> uint64 y
// types: T = uint8
// plan: short rows through shared memory
// --- the kernel ---
typedef unsigned char T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const unsigned char* kgen_data_x;
    unsigned long long* kgen_data_y;
    kgen_staged_rows kgen_staged;
    kgen_divisor kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_y[2];  // bytes
};
typedef unsigned long long kgen_value;
typedef kgen_value kgen_accumulator;
struct kgen_plan {
    enum {
        kgen_pack = 1,
        kgen_unroll = 1,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_has_identity = 1,
        kgen_is_integer_sum = 1,
    };
    typedef kgen_value kgen_value_type;
    typedef kgen_accumulator kgen_accumulator_type;
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    unsigned kgen_i0;
    long long kgen_kept_x;
    const unsigned char* kgen_rows_x;
    const unsigned char* kgen_row_x;
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ void kgen_stage_rows(char* kgen_bytes, long long kgen_first, int kgen_count) {
        kgen_rows_x = kgen_stage<unsigned char>(kgen_bytes, kgen_p.kgen_data_x + kgen_first, kgen_count);
    }
    __device__ __forceinline__ void kgen_find(long long kgen_output, int kgen_first) {
        kgen_i0 = (unsigned)(kgen_output);
        kgen_kept_x = 0 + (long long)kgen_i0 * kgen_p.kgen_strides_x[0];
        kgen_row_x = kgen_rows_x + kgen_first;
    }
    template <class kgen_callable> __device__ __forceinline__ auto kgen_call(const kgen_callable& kgen_text, int kgen_e) const {
        return kgen_text(kgen_row_x[kgen_e]);
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_finish(const kgen_callable& kgen_text, long long kgen_output, const kgen_accumulator& kgen_folded) {
        char* kgen_to_y;
        kgen_to_y = (char*)kgen_p.kgen_data_y + (long long)kgen_i0 * kgen_p.kgen_strides_y[0];
        unsigned long long kgen_of_y = kgen_load((unsigned long long*)kgen_to_y);
        kgen_text(kgen_folded, kgen_of_y);
        kgen_store((unsigned long long*)kgen_to_y, kgen_of_y);
    }
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_third(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const unsigned char x) __attribute__((always_inline)) {
        return (
#line 1 "third (map)"
x

);
    };
#line N "third.cu"
    // Two values as one.
    const auto kgen_reduce = [&](kgen_value a, kgen_value b) __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_value(
#line 1 "third (reduce)"
a + b

);
    };
#line N "third.cu"
    // Where a fold starts.
    const auto kgen_identity = [&]() __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_accumulator(kgen_value(
#line 1 "third (identity)"
0

));
    };
#line N "third.cu"
    // The outputs from a folded value.
    const auto kgen_post = [&](kgen_value a, unsigned long long& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "third (post_map)"
y = a / 3

; } while (false);
    };
#line N "third.cu"
    kgen_operands kgen_all(kgen_p);
    kgen_fold_staged_rows<kgen_plan>(kgen_p, kgen_all, kgen_map, kgen_reduce, kgen_identity, kgen_post);
}
