// every_other: T x -> T y
// types: T = int32
// plan: strided over 2 axes, 4 elements an access, 32-bit offsets
// --- the kernel ---
typedef int T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const int* kgen_data_x;
    int* kgen_data_y;
    kgen_divisor kgen_extents[2];
    int kgen_strides_x[2];  // bytes
};
struct kgen_plan {
    enum {
        kgen_pack = 4,
        kgen_unroll = 1,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_shifted = 0,
        kgen_loads_elements = 1,
        kgen_stores_elements = 0,
    };
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    unsigned kgen_i0;
    unsigned kgen_i1;
    int kgen_offset_x;
    struct kgen_values {
        kgen_vector<int, 4> kgen_of_x;
        kgen_vector<int, 4> kgen_of_y;
    };
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ void kgen_begin() {
    }
    __device__ __forceinline__ void kgen_find(long long kgen_at) {
        const unsigned kgen_q1 = kgen_divide((unsigned)(kgen_at), kgen_p.kgen_extents[1]);
        kgen_i1 = (unsigned)(kgen_at) - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
        kgen_i0 = kgen_q1;
        kgen_offset_x = (int)kgen_i0 * kgen_p.kgen_strides_x[0] + (int)kgen_i1 * kgen_p.kgen_strides_x[1];
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_compute(const kgen_callable& kgen_text, long long kgen_at) {
        kgen_find(kgen_at);
        const int kgen_of_x = kgen_load_read_only((const int*)((const char*)kgen_p.kgen_data_x + kgen_offset_x));
        int kgen_of_y = kgen_load(kgen_p.kgen_data_y + kgen_at);
        kgen_text(kgen_at, kgen_of_x, kgen_of_y);
        kgen_store(kgen_p.kgen_data_y + kgen_at, kgen_of_y);
    }
    __device__ __forceinline__ void kgen_load_values(kgen_values& kgen_v, long long kgen_at) {
        kgen_find(kgen_at);
        kgen_v.kgen_of_y = kgen_load((kgen_vector<int, 4>*)(kgen_p.kgen_data_y + kgen_at));
    }
    __device__ __forceinline__ void kgen_load_element(kgen_values& kgen_v, int kgen_e, long long kgen_at) {
        kgen_v.kgen_of_x.kgen_at[kgen_e] = kgen_load_read_only((const int*)((const char*)kgen_p.kgen_data_x + kgen_offset_x));
        kgen_offset_x = kgen_forth(kgen_offset_x, kgen_p.kgen_strides_x[1]);
        if (++kgen_i1 == kgen_extent_of(kgen_p.kgen_extents[1])) {
            kgen_i1 = 0;
            kgen_offset_x = kgen_back(kgen_offset_x, kgen_extent_of(kgen_p.kgen_extents[1]), kgen_p.kgen_strides_x[1]);
            kgen_offset_x = kgen_forth(kgen_offset_x, kgen_p.kgen_strides_x[0]);
        }
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_call(const kgen_callable& kgen_text, kgen_values& kgen_v, int kgen_e, long long kgen_at) {
        kgen_text(kgen_at, kgen_v.kgen_of_x.kgen_at[kgen_e], kgen_v.kgen_of_y.kgen_at[kgen_e]);
    }
    __device__ __forceinline__ void kgen_store_values(kgen_values& kgen_v, long long kgen_at) {
        kgen_store((kgen_vector<int, 4>*)(kgen_p.kgen_data_y + kgen_at), kgen_v.kgen_of_y);
    }
    __device__ __forceinline__ void kgen_store_element(kgen_values& kgen_v, int kgen_e, long long kgen_at) {
    }
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_every_other(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const ptrdiff_t kgen_i, const int x, int& y) __attribute__((always_inline)) {
        const ptrdiff_t i = kgen_i;
        do {  // the user's text, as it was written
#line 1 "every_other (operation)"
y = x + i

; } while (false);
    };
#line N "every_other.cu"
    kgen_operands kgen_all(kgen_p);
    kgen_flat<kgen_plan>(kgen_p, kgen_all, kgen_body);
}
