// fold: T x -> T y
// types: T = float32
// plan: several short rows as one, each thread its columns, 4 elements an access, 4 accesses at once, in pieces that the last block folds
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const float* kgen_data_x;
    float* kgen_data_y;
    unsigned* kgen_counters;
    void* kgen_partials;
    kgen_column_tiles kgen_columns;
    kgen_divisor kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_y[2];  // bytes
};
typedef float kgen_value;
typedef kgen_value kgen_accumulator;
struct kgen_plan {
    enum {
        kgen_rank = 2,
        kgen_kept = 1,
        kgen_pack = 4,
        kgen_block_bound = 512,
        kgen_split = 1,
        kgen_has_identity = 1,
        kgen_own_accumulator = 0,
        kgen_narrow = 0,
        kgen_unroll = 4,
        kgen_wide = 1,
        kgen_merged = 0,
        kgen_shifted = 0,
        kgen_counts = 0,
        kgen_has_vectors = 1,
        kgen_loads_elements = 0,
        kgen_has_same = 0,
        kgen_needs_places = 0,
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
        kgen_vector<float, 4> kgen_of_x;
    };
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ void kgen_find(long long kgen_outer) {
        kgen_kept_x = 0;
    }
    __device__ __forceinline__ void kgen_find_row(long long kgen_row) {
        kgen_i1 = (unsigned)(kgen_row);
        kgen_at_x = (const char*)kgen_p.kgen_data_x + kgen_kept_x + (long long)kgen_i1 * kgen_p.kgen_strides_x[1];
    }
    __device__ __forceinline__ void kgen_load_same(int kgen_e, long long kgen_column) {
    }
    __device__ __forceinline__ void kgen_load_wide(kgen_values& kgen_v, long long kgen_flat) {
        kgen_v.kgen_of_x = kgen_load_read_only((const kgen_vector<float, 4>*)(((const char*)kgen_p.kgen_data_x + kgen_kept_x + kgen_flat * (int)sizeof(float))));
    }
    __device__ __forceinline__ void kgen_load_element(kgen_values& kgen_v, int kgen_e, long long kgen_column) {
    }
    template <class kgen_callable> __device__ __forceinline__ auto kgen_compute(const kgen_callable& kgen_text, long long kgen_flat, long long kgen_column) const {
        return kgen_text(kgen_load_read_only((const float*)((const char*)kgen_p.kgen_data_x + kgen_kept_x + kgen_flat * (int)sizeof(float))));
    }
    template <class kgen_callable> __device__ __forceinline__ auto kgen_call(const kgen_callable& kgen_text, const kgen_values& kgen_v, int kgen_e, long long kgen_column) const {
        return kgen_text(kgen_v.kgen_of_x.kgen_at[kgen_e]);
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_finish(const kgen_callable& kgen_text, long long kgen_column, const kgen_accumulator& kgen_folded) {
        char* kgen_to_y;
        kgen_to_y = (char*)kgen_p.kgen_data_y + (long long)kgen_column * kgen_p.kgen_strides_y[0];
        float kgen_of_y = kgen_load((float*)kgen_to_y);
        kgen_text(kgen_folded, kgen_of_y);
        kgen_store((float*)kgen_to_y, kgen_of_y);
    }
};
extern "C" __global__ void __launch_bounds__(512)
kgen_kernel_fold(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const float x) __attribute__((always_inline)) {
        return (
#line 1 "fold (map)"
x * x

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
    const auto kgen_post = [&](kgen_value a, float& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "fold (post_map)"
y = sqrt(a)

; } while (false);
    };
#line N "fold.cu"
    kgen_operands kgen_all(kgen_p);
    kgen_reduced_columns<kgen_plan>(kgen_p, kgen_all, kgen_map, kgen_reduce, kgen_identity, kgen_post);
}
