// fold: T x, T y -> T z
// types: T = float32
// plan: short rows through shared memory
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const float* kgen_data_x;
    const float* kgen_data_y;
    float* kgen_data_z;
    kgen_stage_sizes kgen_staged;
    kgen_divisor kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_y[2];  // bytes
    long long kgen_strides_z[2];  // bytes
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
        kgen_has_identity = 1,
        kgen_own_accumulator = 0,
        kgen_narrow = 0,
        kgen_side_by_side = 0,
    };
    typedef kgen_value kgen_value_type;
    typedef kgen_accumulator kgen_accumulator_type;
    typedef int kgen_number;
    typedef unsigned kgen_index;
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    unsigned kgen_i0;
    long long kgen_kept_x;
    long long kgen_kept_y;
    const float* kgen_rows_x;
    const float* kgen_row_x;
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ void kgen_stage_rows(char* kgen_bytes, long long kgen_first, int kgen_count) {
        kgen_rows_x = kgen_staged_at(kgen_bytes, kgen_p.kgen_data_x + kgen_first); kgen_stage((float*)kgen_rows_x, kgen_p.kgen_data_x + kgen_first, kgen_count, kgen_thread(), kgen_block_size());
    }
    __device__ __forceinline__ void kgen_find(long long kgen_output, int kgen_first, int kgen_between) {
        kgen_i0 = (unsigned)(kgen_output);
        kgen_kept_x = 0 + (long long)kgen_i0 * kgen_p.kgen_strides_x[0];
        kgen_kept_y = 0 + (long long)kgen_i0 * kgen_p.kgen_strides_y[0];
        kgen_row_x = kgen_rows_x + kgen_first;
    }
    template <class kgen_callable> __device__ __forceinline__ auto kgen_call(const kgen_callable& kgen_text, int kgen_e) const {
        return kgen_text(kgen_row_x[kgen_e], kgen_load_read_only((const float*)((const char*)kgen_p.kgen_data_y + kgen_kept_y + kgen_e * kgen_p.kgen_strides_y[1])));
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_finish(const kgen_callable& kgen_text, long long kgen_output, const kgen_accumulator& kgen_folded) {
        char* kgen_to_z;
        kgen_to_z = (char*)kgen_p.kgen_data_z + (long long)kgen_i0 * kgen_p.kgen_strides_z[0];
        float kgen_of_z = kgen_load((float*)kgen_to_z);
        kgen_text(kgen_folded, kgen_of_z);
        kgen_store((float*)kgen_to_z, kgen_of_z);
    }
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_fold(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const float x, const float y) __attribute__((always_inline)) {
        return (
#line 1 "fold (map)"
(x - y) * (x - y)

);
    };
#line N "fold.cu"
    // Two values as one.
    const auto kgen_reduce = [&](kgen_value a, kgen_value b) __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_value(
#line 1 "fold (reduce)"
a + b

);
    };
#line N "fold.cu"
    // Where a fold starts.
    const auto kgen_identity = [&]() __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_accumulator(kgen_value(
#line 1 "fold (identity)"
0

));
    };
#line N "fold.cu"
    // The outputs from a folded value.
    const auto kgen_post = [&](kgen_value a, float& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "fold (post_map)"
z = a

; } while (false);
    };
#line N "fold.cu"
    kgen_operands kgen_all(kgen_p);
    kgen_staged_rows<kgen_plan>(kgen_p, kgen_all, kgen_map, kgen_reduce, kgen_identity, kgen_post);
}
