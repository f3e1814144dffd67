// compute: T x, T y -> T z
// types: T = float32
// plan: vectors of rows over 2 axes, 4 elements an access, 1 row a thread, 32-bit offsets
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    const float* kgen_data_y;
    float* kgen_data_z;
    kgen_row_steps kgen_rows;
    kgen_divisor kgen_extents[2];
    int kgen_strides_x[2];  // bytes
    int kgen_strides_y[2];  // bytes
    int kgen_strides_z[2];  // bytes
};
struct kgen_plan {
    enum {
        kgen_rank = 2,
        kgen_kept = 0,
        kgen_pack = 4,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_row_count = 1,
        kgen_some_rows = 0,
    };
    typedef unsigned kgen_index;
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    unsigned kgen_i0;
    unsigned kgen_i1;
    const float* kgen_at_x;
    const float* kgen_at_y;
    float* kgen_at_z;
    struct kgen_values {
        kgen_vector<float, 4> kgen_of_x;
        kgen_vector<float, 4> kgen_of_y;
        kgen_vector<float, 4> kgen_of_z;
    };
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ unsigned kgen_block() const {
        return ::kgen_block();
    }
    __device__ __forceinline__ void kgen_find(kgen_plan::kgen_index kgen_vector_index) {
        const unsigned kgen_q1 = kgen_divide((unsigned)(kgen_vector_index), kgen_p.kgen_extents[1]);
        kgen_i1 = (unsigned)(kgen_vector_index) - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
        kgen_i0 = kgen_q1;
        kgen_at_x = (const float*)((const char*)kgen_p.kgen_data_x + ((int)kgen_i0 * kgen_p.kgen_strides_x[0] + (int)kgen_i1 * 4 * kgen_p.kgen_strides_x[1]));
        kgen_at_y = (const float*)((const char*)kgen_p.kgen_data_y + ((int)kgen_i0 * kgen_p.kgen_strides_y[0] + (int)kgen_i1 * 4 * kgen_p.kgen_strides_y[1]));
        kgen_at_z = (float*)((char*)kgen_p.kgen_data_z + ((int)kgen_i0 * kgen_p.kgen_strides_z[0] + (int)kgen_i1 * 4 * kgen_p.kgen_strides_z[1]));
    }
    __device__ __forceinline__ void kgen_load_values(kgen_values& kgen_v, int kgen_r) {
        kgen_v.kgen_of_x = kgen_load_read_only((const kgen_vector<float, 4>*)(kgen_at_x));
        kgen_v.kgen_of_y = kgen_load_read_only((const kgen_vector<float, 4>*)(kgen_at_y));
        kgen_v.kgen_of_z = kgen_load((kgen_vector<float, 4>*)(kgen_at_z));
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_call(const kgen_callable& kgen_text, kgen_values& kgen_v, int kgen_r, int kgen_e) {
        kgen_text(kgen_v.kgen_of_x.kgen_at[kgen_e], kgen_v.kgen_of_y.kgen_at[kgen_e], kgen_v.kgen_of_z.kgen_at[kgen_e]);
    }
    __device__ __forceinline__ void kgen_store_values(kgen_values& kgen_v, int kgen_r) {
        kgen_store((kgen_vector<float, 4>*)(kgen_at_z), kgen_v.kgen_of_z);
    }
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_compute(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float x, const float y, float& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "compute (operation)"
z = (x - y) * (x - y)

; } while (false);
    };
#line N "compute.cu"
    kgen_operands kgen_all(kgen_p);
    kgen_vector_rows<kgen_plan>(kgen_p, kgen_all, kgen_body);
}
