// fold: T x, T y -> T z
// types: T = float32
// plan: folded by blocks of 256 threads: tiles in shared memory over 2 axes, 4 elements an access, 1 patch a thread, straight, 32-bit offsets
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
namespace kgen_part_0 {
struct kgen_parameters {
    unsigned kgen_first_block;
    long long kgen_count;
    const float* kgen_data_x;
    const float* kgen_data_y;
    kgen_tile_shape kgen_tile;
    kgen_divisor kgen_extents[2];
    int kgen_strides_x[2];  // bytes
    int kgen_strides_y[2];  // bytes
};
struct kgen_plan {
    enum {
        kgen_rank = 2,
        kgen_kept = 0,
        kgen_pack = 4,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_pack_b = 4,
        kgen_unroll = 1,
        kgen_rows = 4,
        kgen_straight = 1,
        kgen_reads_patches = 1,
        kgen_stores_patches = 0,
    };
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    unsigned kgen_i0;
    unsigned kgen_i1;
    long long kgen_begin_a, kgen_begin_b;
    const float* kgen_at_x;
    const float* kgen_at_y;
    kgen_vector<float, 4>* kgen_tile_y;
    struct kgen_patches {
        kgen_patch<float, 4, 4> kgen_of_y;
    };
    struct kgen_values {
        kgen_vector<float, 4> kgen_of_x;
        kgen_vector<float, 4> kgen_of_y;
    };
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ unsigned kgen_block() const {
        return ::kgen_block() - kgen_p.kgen_first_block;
    }
    __device__ __forceinline__ void kgen_share(unsigned char* kgen_shared) {
        kgen_tile_y = (kgen_vector<float, 4>*)(kgen_shared + kgen_p.kgen_tile.room * 0);
    }
    __device__ __forceinline__ void kgen_find(unsigned kgen_tile_index) {
        const unsigned kgen_q1 = kgen_divide((unsigned)(kgen_tile_index), kgen_p.kgen_extents[1]);
        kgen_i1 = (unsigned)(kgen_tile_index) - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
        kgen_i0 = kgen_q1;
        kgen_begin_a = (long long)kgen_i1 * kgen_p.kgen_tile.tile_a;
        kgen_begin_b = (long long)kgen_i0 * kgen_p.kgen_tile.tile_b;
        kgen_at_x = (const float*)((const char*)kgen_p.kgen_data_x + ((int)kgen_begin_b * kgen_p.kgen_strides_x[0] + (int)kgen_begin_a * kgen_p.kgen_strides_x[1]));
        kgen_at_y = (const float*)((const char*)kgen_p.kgen_data_y + ((int)kgen_begin_b * kgen_p.kgen_strides_y[0] + (int)kgen_begin_a * kgen_p.kgen_strides_y[1]));
    }
    __device__ __forceinline__ void kgen_load_patch(kgen_patches& kgen_v, int kgen_e, int kgen_a, int kgen_b) {
        kgen_v.kgen_of_y.kgen_row[kgen_e] = kgen_load_line((const kgen_patch<float, 4, 4>::row*)(const float*)((const char*)kgen_at_y + ((int)kgen_a * kgen_p.kgen_strides_y[1] + (int)kgen_b * kgen_p.kgen_strides_y[0])));
    }
    __device__ __forceinline__ void kgen_keep_patch(kgen_patches& kgen_v, int kgen_slot) {
        kgen_keep(kgen_tile_y + kgen_slot, kgen_v.kgen_of_y, kgen_p.kgen_tile.patches_b * kgen_p.kgen_tile.pitch);
    }
    __device__ __forceinline__ void kgen_load_values(kgen_values& kgen_v, unsigned kgen_slot, int kgen_row, int kgen_across) {
        kgen_v.kgen_of_x = kgen_load_read_only((const kgen_vector<float, 4>*)((const float*)((const char*)kgen_at_x + ((int)kgen_row * kgen_p.kgen_strides_x[0] + (int)(kgen_across * 4) * kgen_p.kgen_strides_x[1]))));
        kgen_v.kgen_of_y = kgen_tile_y[kgen_slot];
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_call(const kgen_callable& kgen_text, kgen_values& kgen_v, int kgen_e, int kgen_row, int kgen_across) {
        kgen_text(kgen_v.kgen_of_x.kgen_at[kgen_e], kgen_v.kgen_of_y.kgen_at[kgen_e], kgen_unneeded<float>(kgen_p.kgen_count * 7));
    }
    __device__ __forceinline__ void kgen_store_values(kgen_values& kgen_v, unsigned kgen_slot, int kgen_row, int kgen_across) {
    }
    __device__ __forceinline__ void kgen_store_patch(int kgen_slot, int kgen_a, int kgen_b) {
    }
};
}
struct kgen_parameters : kgen_part_0::kgen_parameters {
    alignas(kgen_part_0::kgen_parameters) long long kgen_count;
    long long kgen_reduced;
    float* kgen_data_z;
    unsigned* kgen_counters;
    void* kgen_partials;
    kgen_folded_shape kgen_folded;
};
typedef float kgen_value;
typedef kgen_value kgen_accumulator;
struct kgen_plan {
    enum {
        kgen_rank = 0,
        kgen_kept = 0,
        kgen_pack = 1,
        kgen_block_bound = 256,
        kgen_split = 1,
        kgen_has_identity = 1,
        kgen_own_accumulator = 0,
        kgen_narrow = 0,
        kgen_adds_integers = 0,
    };
    typedef kgen_value kgen_value_type;
    typedef kgen_accumulator kgen_accumulator_type;
    typedef long long kgen_number;
    typedef unsigned long long kgen_index;
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    template <class kgen_callable> __device__ __forceinline__ void kgen_finish(const kgen_callable& kgen_text, long long kgen_output, const kgen_accumulator& kgen_folded) {
        char* kgen_to_z;
        kgen_to_z = (char*)kgen_p.kgen_data_z;
        float kgen_of_z = kgen_load((float*)kgen_to_z);
        kgen_text(kgen_folded, kgen_of_z);
        kgen_store((float*)kgen_to_z, kgen_of_z);
    }
};
extern "C" __global__ void __launch_bounds__(256, 4)
kgen_kernel_fold(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const float x, const float y) __attribute__((always_inline)) {
        return (
#line 1 "fold (map)"
x * y

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
    // An elementwise loop reads the inputs, and its body folds them.
    kgen_fold<kgen_accumulator, true> kgen_sum;
    kgen_narrow_fold<kgen_plan, decltype(kgen_map(*(const float*)0, *(const float*)0)), false> kgen_narrow;
    const auto kgen_body = [&](const float kgen_of_x, const float kgen_of_y, float& kgen_of_z) __attribute__((always_inline)) {
        kgen_fold_value<kgen_plan>(kgen_sum, kgen_narrow, kgen_map(kgen_of_x, kgen_of_y), kgen_reduce);
    };
    kgen_operands kgen_all(kgen_p);
    kgen_numbered<kgen_part_0::kgen_operands> kgen_inputs(kgen_p);
    const auto kgen_run = [&]() __attribute__((always_inline)) {
        kgen_shared_tiles<kgen_part_0::kgen_plan>((const kgen_part_0::kgen_parameters&)kgen_p, kgen_inputs, kgen_body);
    };
    kgen_folded_elements<kgen_plan>(kgen_p, kgen_all, kgen_inputs, kgen_sum, kgen_narrow, kgen_run, kgen_reduce, kgen_identity, kgen_post);
}
