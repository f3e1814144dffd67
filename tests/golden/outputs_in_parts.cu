// compute: T x, T y, U a -> T z, T w
// types: T = float32, U = float32
// plan: 2 parts, flat: contiguous, 4 elements an access; shared_tiles: tiles in shared memory over 2 axes, 4 elements an access, 1 patch a thread, straight, 32-bit offsets
// --- the kernel ---
typedef float T;
typedef float U;
// --- its parameters and its loop ---
namespace kgen_part_0 {
struct kgen_parameters {
    unsigned kgen_first_block;
    long long kgen_count;
    const float* kgen_data_x;
    float* kgen_data_z;
    float kgen_value_a;
};
struct kgen_plan {
    enum {
        kgen_rank = 1,
        kgen_kept = 0,
        kgen_pack = 4,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_unroll = 1,
        kgen_shifted = 0,
        kgen_vector_rest = 0,
        kgen_loads_elements = 0,
        kgen_stores_elements = 0,
    };
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    struct kgen_values {
        kgen_vector<float, 4> kgen_of_x;
        kgen_vector<float, 4> kgen_of_z;
    };
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ unsigned kgen_block() const {
        return ::kgen_block() - kgen_p.kgen_first_block;
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_compute(const kgen_callable& kgen_text, long long kgen_at) {
        const float kgen_of_x = kgen_load_read_only(kgen_p.kgen_data_x + kgen_at);
        float kgen_of_z = kgen_load(kgen_p.kgen_data_z + kgen_at);
        kgen_text(kgen_at, kgen_of_x, kgen_unneeded<float>(kgen_p.kgen_count * 5), kgen_of_z, kgen_unneeded<float>(kgen_p.kgen_count * 11));
        kgen_store(kgen_p.kgen_data_z + kgen_at, kgen_of_z);
    }
    __device__ __forceinline__ void kgen_load_values(kgen_values& kgen_v, long long kgen_at) {
        kgen_v.kgen_of_x = kgen_load_read_only((const kgen_vector<float, 4>*)(kgen_p.kgen_data_x + kgen_at));
        kgen_v.kgen_of_z = kgen_load((kgen_vector<float, 4>*)(kgen_p.kgen_data_z + kgen_at));
    }
    __device__ __forceinline__ void kgen_load_element(kgen_values& kgen_v, int kgen_e, long long kgen_at) {
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_call(const kgen_callable& kgen_text, kgen_values& kgen_v, int kgen_e, long long kgen_at) {
        kgen_text(kgen_at, kgen_v.kgen_of_x.kgen_at[kgen_e], kgen_unneeded<float>(kgen_p.kgen_count * 5), kgen_v.kgen_of_z.kgen_at[kgen_e], kgen_unneeded<float>(kgen_p.kgen_count * 11));
    }
    __device__ __forceinline__ void kgen_store_values(kgen_values& kgen_v, long long kgen_at) {
        kgen_store((kgen_vector<float, 4>*)(kgen_p.kgen_data_z + kgen_at), kgen_v.kgen_of_z);
    }
    __device__ __forceinline__ void kgen_store_element(kgen_values& kgen_v, int kgen_e, long long kgen_at) {
    }
};
}
namespace kgen_part_1 {
struct kgen_parameters {
    unsigned kgen_first_block;
    long long kgen_count;
    const float* kgen_data_y;
    float* kgen_data_w;
    kgen_tile_shape kgen_tile;
    long long kgen_input_strides[3];
    kgen_divisor kgen_extents[2];
    int kgen_strides_y[2];  // bytes
    int kgen_strides_w[2];  // bytes
    float kgen_value_a;
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
    const float* kgen_at_y;
    float* kgen_at_w;
    long long kgen_at;
    kgen_vector<float, 4>* kgen_tile_y;
    struct kgen_patches {
        kgen_patch<float, 4, 4> kgen_of_y;
    };
    struct kgen_values {
        kgen_vector<float, 4> kgen_of_y;
        kgen_vector<float, 4> kgen_of_w;
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
        kgen_at_y = (const float*)((const char*)kgen_p.kgen_data_y + ((int)kgen_begin_b * kgen_p.kgen_strides_y[0] + (int)kgen_begin_a * kgen_p.kgen_strides_y[1]));
        kgen_at_w = (float*)((char*)kgen_p.kgen_data_w + ((int)kgen_begin_b * kgen_p.kgen_strides_w[0] + (int)kgen_begin_a * kgen_p.kgen_strides_w[1]));
        kgen_at = (long long)kgen_p.kgen_input_strides[2] + (long long)kgen_begin_b * kgen_p.kgen_input_strides[0] + (long long)kgen_begin_a * kgen_p.kgen_input_strides[1];
    }
    __device__ __forceinline__ void kgen_load_patch(kgen_patches& kgen_v, int kgen_e, int kgen_a, int kgen_b) {
        kgen_v.kgen_of_y.kgen_row[kgen_e] = kgen_load_line((const kgen_patch<float, 4, 4>::row*)(const float*)((const char*)kgen_at_y + ((int)kgen_a * kgen_p.kgen_strides_y[1] + (int)kgen_b * kgen_p.kgen_strides_y[0])));
    }
    __device__ __forceinline__ void kgen_keep_patch(kgen_patches& kgen_v, int kgen_slot) {
        kgen_keep(kgen_tile_y + kgen_slot, kgen_v.kgen_of_y, kgen_p.kgen_tile.patches_b * kgen_p.kgen_tile.pitch);
    }
    __device__ __forceinline__ void kgen_load_values(kgen_values& kgen_v, unsigned kgen_slot, int kgen_row, int kgen_across) {
        kgen_v.kgen_of_y = kgen_tile_y[kgen_slot];
        kgen_v.kgen_of_w = kgen_load((kgen_vector<float, 4>*)((float*)((char*)kgen_at_w + ((int)kgen_row * kgen_p.kgen_strides_w[0] + (int)(kgen_across * 4) * kgen_p.kgen_strides_w[1]))));
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_call(const kgen_callable& kgen_text, kgen_values& kgen_v, int kgen_e, int kgen_row, int kgen_across) {
        kgen_text(kgen_at + (kgen_row) * kgen_p.kgen_input_strides[0] + (kgen_across * 4 + kgen_e) * kgen_p.kgen_input_strides[1], kgen_unneeded<float>(kgen_p.kgen_count * 3), kgen_v.kgen_of_y.kgen_at[kgen_e], kgen_unneeded<float>(kgen_p.kgen_count * 9), kgen_v.kgen_of_w.kgen_at[kgen_e]);
    }
    __device__ __forceinline__ void kgen_store_values(kgen_values& kgen_v, unsigned kgen_slot, int kgen_row, int kgen_across) {
        kgen_store((kgen_vector<float, 4>*)((float*)((char*)kgen_at_w + ((int)kgen_row * kgen_p.kgen_strides_w[0] + (int)(kgen_across * 4) * kgen_p.kgen_strides_w[1]))), kgen_v.kgen_of_w);
    }
    __device__ __forceinline__ void kgen_store_patch(int kgen_slot, int kgen_a, int kgen_b) {
    }
};
}
struct kgen_parameters : kgen_part_0::kgen_parameters {
    kgen_part_1::kgen_parameters kgen_part_1;
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_compute(const __grid_constant__ kgen_parameters kgen_p) {
    const float a = kgen_p.kgen_value_a;
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const ptrdiff_t kgen_i, const float x, const float y, float& z, float& w) __attribute__((always_inline)) {
        const ptrdiff_t i = (unsigned)kgen_i;
        do {  // the user's text, as it was written
#line 1 "compute (operation)"
const T twice = x * a; z = twice + i; w = y - a

; } while (false);
    };
#line N "compute.cu"
    if (kgen_block() < kgen_p.kgen_part_1.kgen_first_block) {
        kgen_part_0::kgen_operands kgen_all(kgen_p);
        kgen_flat<kgen_part_0::kgen_plan>(kgen_p, kgen_all, kgen_body);
    } else {
        kgen_part_1::kgen_operands kgen_all(kgen_p.kgen_part_1);
        kgen_shared_tiles<kgen_part_1::kgen_plan>(kgen_p.kgen_part_1, kgen_all, kgen_body);
    }
}
