// mixed: T x, U y, V w -> V z
// types: T = float32, U = float16, V = float64
// plan: tiles in shared memory over 3 axes, 1 element an access, 4 squares a thread, 32-bit offsets
// --- the kernel ---
typedef float T;
typedef float16 U;
typedef double V;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    const float16* kgen_data_y;
    const double* kgen_data_w;
    double* kgen_data_z;
    kgen_tile_shape kgen_tile;
    kgen_divisor kgen_extents[3];
    int kgen_strides_x[3];  // bytes
    int kgen_strides_y[3];  // bytes
    int kgen_strides_w[3];  // bytes
    int kgen_strides_z[3];  // bytes
};
struct kgen_plan {
    enum {
        kgen_pack = 1,
        kgen_unroll = 4,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_rows = 4,
    };
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    unsigned kgen_i0;
    unsigned kgen_i1;
    unsigned kgen_i2;
    long long kgen_begin_a, kgen_begin_b;
    const float* kgen_at_x;
    const float16* kgen_at_y;
    const double* kgen_at_w;
    double* kgen_at_z;
    kgen_vector<float16, 1>* kgen_tile_y;
    struct kgen_squares {
        kgen_square<float16, 1> kgen_of_y;
    };
    struct kgen_values {
        kgen_vector<float, 1> kgen_of_x;
        kgen_vector<float16, 1> kgen_of_y;
        double kgen_of_w;
        kgen_vector<double, 1> kgen_of_z; double* kgen_pointer_z;
    };
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ void kgen_share(unsigned char* kgen_shared) {
        kgen_tile_y = (kgen_vector<float16, 1>*)(kgen_shared + kgen_p.kgen_tile.room * (0));
    }
    __device__ __forceinline__ void kgen_find(unsigned kgen_tile_index) {
        const unsigned kgen_q2 = kgen_divide((unsigned)(kgen_tile_index), kgen_p.kgen_extents[2]);
        kgen_i2 = (unsigned)(kgen_tile_index) - kgen_q2 * kgen_extent_of(kgen_p.kgen_extents[2]);
        const unsigned kgen_q1 = kgen_divide(kgen_q2, kgen_p.kgen_extents[1]);
        kgen_i1 = kgen_q2 - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
        kgen_i0 = kgen_q1;
        kgen_begin_a = (long long)kgen_i2 * kgen_p.kgen_tile.tile_a;
        kgen_begin_b = (long long)kgen_i1 * kgen_p.kgen_tile.tile_b;
        kgen_at_x = (const float*)((const char*)kgen_p.kgen_data_x + ((int)kgen_i0 * kgen_p.kgen_strides_x[0] + (int)kgen_begin_b * kgen_p.kgen_strides_x[1] + (int)kgen_begin_a * kgen_p.kgen_strides_x[2]));
        kgen_at_y = (const float16*)((const char*)kgen_p.kgen_data_y + ((int)kgen_i0 * kgen_p.kgen_strides_y[0] + (int)kgen_begin_b * kgen_p.kgen_strides_y[1] + (int)kgen_begin_a * kgen_p.kgen_strides_y[2]));
        kgen_at_w = (const double*)((const char*)kgen_p.kgen_data_w + ((int)kgen_i0 * kgen_p.kgen_strides_w[0] + (int)kgen_begin_b * kgen_p.kgen_strides_w[1] + (int)kgen_begin_a * kgen_p.kgen_strides_w[2]));
        kgen_at_z = (double*)((char*)kgen_p.kgen_data_z + ((int)kgen_i0 * kgen_p.kgen_strides_z[0] + (int)kgen_begin_b * kgen_p.kgen_strides_z[1] + (int)kgen_begin_a * kgen_p.kgen_strides_z[2]));
    }
    __device__ __forceinline__ void kgen_load_square(kgen_squares& kgen_v, int kgen_e, int kgen_a, int kgen_b) {
        kgen_v.kgen_of_y.kgen_row[kgen_e] = kgen_load_line((const kgen_square<float16, 1>::row*)(const float16*)((const char*)kgen_at_y + ((int)kgen_a * kgen_p.kgen_strides_y[2] + (int)kgen_b * kgen_p.kgen_strides_y[1])));
    }
    __device__ __forceinline__ void kgen_keep_square(kgen_squares& kgen_v, int kgen_slot) {
        kgen_keep(kgen_tile_y + kgen_slot, kgen_v.kgen_of_y, kgen_p.kgen_tile.squares_b * kgen_p.kgen_tile.pitch);
    }
    __device__ __forceinline__ void kgen_load_values(kgen_values& kgen_v, unsigned kgen_slot, int kgen_row, int kgen_across) {
        kgen_v.kgen_of_x = kgen_load_read_only((const kgen_vector<float, 1>*)((const float*)((const char*)kgen_at_x + ((int)kgen_row * kgen_p.kgen_strides_x[1] + (int)kgen_across * 1 * kgen_p.kgen_strides_x[2]))));
        kgen_v.kgen_of_y = kgen_tile_y[kgen_slot];
        kgen_v.kgen_of_w = kgen_load_read_only((const double*)((const char*)kgen_at_w + ((int)kgen_row * kgen_p.kgen_strides_w[1] + (int)kgen_across * 1 * kgen_p.kgen_strides_w[2])));
        kgen_v.kgen_pointer_z = (double*)((char*)kgen_at_z + ((int)kgen_row * kgen_p.kgen_strides_z[1] + (int)kgen_across * 1 * kgen_p.kgen_strides_z[2]));
        kgen_v.kgen_of_z = kgen_load((kgen_vector<double, 1>*)(kgen_v.kgen_pointer_z));
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_call(const kgen_callable& kgen_text, kgen_values& kgen_v, int kgen_e, int kgen_row, int kgen_across) {
        kgen_text(kgen_v.kgen_of_x.kgen_at[kgen_e], kgen_v.kgen_of_y.kgen_at[kgen_e], kgen_v.kgen_of_w, kgen_v.kgen_of_z.kgen_at[kgen_e]);
    }
    __device__ __forceinline__ void kgen_store_values(kgen_values& kgen_v, int kgen_row, int kgen_across) {
        kgen_store((kgen_vector<double, 1>*)(kgen_v.kgen_pointer_z), kgen_v.kgen_of_z);
    }
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_mixed(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float x, const float16 y, const double w, double& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "mixed (operation)"
z = x + y * w

; } while (false);
    };
#line N "mixed.cu"
    kgen_operands kgen_all(kgen_p);
    kgen_shared_tiles<kgen_plan>(kgen_p, kgen_all, kgen_body);
}
