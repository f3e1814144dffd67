// fold: bool x -> uint32 y
// plan: each thread 4 outputs of 3 elements neighbours
// --- the kernel ---
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const bool* kgen_data_x;
    unsigned int* kgen_data_y;
    kgen_fold_shape kgen_folds;
    kgen_divisor kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_y[2];  // bytes
};
typedef unsigned long long kgen_value;
typedef kgen_value kgen_accumulator;
struct kgen_plan {
    enum {
        kgen_rank = 2,
        kgen_kept = 1,
        kgen_pack = 4,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_has_identity = 1,
        kgen_own_accumulator = 0,
        kgen_narrow = 0,
        kgen_unroll = 3,
        kgen_few = 3,
        kgen_groups = 1,
        kgen_along = 1,
        kgen_turned = 0,
        kgen_counts = 0,
    };
    typedef kgen_value kgen_value_type;
    typedef kgen_accumulator kgen_accumulator_type;
    typedef int kgen_number;
    typedef unsigned kgen_index;
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    unsigned kgen_i0;
    unsigned kgen_i1;
    long long kgen_kept_x;
    const char* kgen_at_x;
    struct kgen_values {
        kgen_vector<bool, 4> kgen_of_x;
    };
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ void kgen_find(long long kgen_outer) {
        kgen_kept_x = 0;
    }
    __device__ __forceinline__ void kgen_find_row(int kgen_row) {
        kgen_i1 = (unsigned)(kgen_row);
        kgen_at_x = (const char*)kgen_p.kgen_data_x + kgen_kept_x + (long long)kgen_i1 * kgen_p.kgen_strides_x[1];
    }
    __device__ __forceinline__ void kgen_load_along(kgen_values& kgen_v, long long kgen_column, int kgen_n) {
        kgen_v.kgen_of_x = kgen_load_read_only((const kgen_vector<bool, 4>*)((const char*)kgen_p.kgen_data_x + kgen_kept_x + kgen_column * kgen_p.kgen_strides_x[0]) + kgen_n);
    }
    template <class kgen_callable> __device__ __forceinline__ auto kgen_call_along(const kgen_callable& kgen_text, const kgen_values& kgen_v, int kgen_e, long long kgen_column) const {
        return kgen_text(kgen_v.kgen_of_x.kgen_at[kgen_e]);
    }
    template <class kgen_callable> __device__ __forceinline__ auto kgen_compute(const kgen_callable& kgen_text, long long kgen_column) const {
        return kgen_text(kgen_load_read_only((const bool*)(kgen_at_x + kgen_column * kgen_p.kgen_strides_x[0])));
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_finish(const kgen_callable& kgen_text, long long kgen_column, const kgen_accumulator& kgen_folded) {
        char* kgen_to_y;
        kgen_to_y = (char*)kgen_p.kgen_data_y + (long long)kgen_column * kgen_p.kgen_strides_y[0];
        unsigned int kgen_of_y = kgen_load((unsigned int*)kgen_to_y);
        kgen_text(kgen_folded, kgen_of_y);
        kgen_store((unsigned int*)kgen_to_y, kgen_of_y);
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_finish_values(const kgen_callable& kgen_text, long long kgen_column, const kgen_fold<kgen_accumulator, kgen_plan::kgen_has_identity>* kgen_sums) {
        char* kgen_to_y;
        kgen_to_y = (char*)kgen_p.kgen_data_y + (long long)kgen_column * kgen_p.kgen_strides_y[0];
        kgen_vector<unsigned int, 4> kgen_of_y;
        kgen_of_y = kgen_load((kgen_vector<unsigned int, 4>*)(kgen_to_y));
#pragma unroll
        for (int kgen_e = 0; kgen_e < 4; ++kgen_e) kgen_text(kgen_sums[kgen_e].kgen_at.kgen_value, kgen_of_y.kgen_at[kgen_e]);
        kgen_store((kgen_vector<unsigned int, 4>*)(kgen_to_y), kgen_of_y);
    }
};
extern "C" __global__ void __launch_bounds__(256, 2)
kgen_kernel_fold(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const bool x) __attribute__((always_inline)) {
        return (
#line 1 "fold (map)"
x

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
    const auto kgen_post = [&](kgen_value a, unsigned int& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "fold (post_map)"
y = a

; } while (false);
    };
#line N "fold.cu"
    kgen_operands kgen_all(kgen_p);
    kgen_short_folds<kgen_plan>(kgen_p, kgen_all, kgen_map, kgen_reduce, kgen_identity, kgen_post);
}
