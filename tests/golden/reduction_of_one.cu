// fold: T x -> T y
// types: T = float32
// plan: contiguous, 4 elements an access
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    float* kgen_data_y;
};
typedef float kgen_value;
typedef kgen_value kgen_accumulator;
struct kgen_plan {
    enum {
        kgen_rank = 1,
        kgen_kept = 0,
        kgen_pack = 4,
        kgen_block_bound = 256,
        kgen_split = 0,
        kgen_unroll = 1,
        kgen_shifted = 0,
        kgen_vector_rest = 1,
        kgen_loads_elements = 0,
        kgen_stores_elements = 0,
    };
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    struct kgen_values {
        kgen_vector<float, 4> kgen_of_x;
        kgen_vector<float, 4> kgen_of_y;
    };
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ unsigned kgen_block() const {
        return ::kgen_block();
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_compute(const kgen_callable& kgen_text, long long kgen_at) {
        const float kgen_of_x = kgen_load_read_only(kgen_p.kgen_data_x + kgen_at);
        float kgen_of_y = kgen_load(kgen_p.kgen_data_y + kgen_at);
        kgen_text(kgen_of_x, kgen_of_y);
        kgen_store(kgen_p.kgen_data_y + kgen_at, kgen_of_y);
    }
    __device__ __forceinline__ void kgen_load_values(kgen_values& kgen_v, long long kgen_at) {
        kgen_v.kgen_of_x = kgen_load_read_only((const kgen_vector<float, 4>*)(kgen_p.kgen_data_x + kgen_at));
        kgen_v.kgen_of_y = kgen_load((kgen_vector<float, 4>*)(kgen_p.kgen_data_y + kgen_at));
    }
    __device__ __forceinline__ void kgen_load_element(kgen_values& kgen_v, int kgen_e, long long kgen_at) {
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_call(const kgen_callable& kgen_text, kgen_values& kgen_v, int kgen_e, long long kgen_at) {
        kgen_text(kgen_v.kgen_of_x.kgen_at[kgen_e], kgen_v.kgen_of_y.kgen_at[kgen_e]);
    }
    __device__ __forceinline__ void kgen_store_values(kgen_values& kgen_v, long long kgen_at) {
        kgen_store((kgen_vector<float, 4>*)(kgen_p.kgen_data_y + kgen_at), kgen_v.kgen_of_y);
    }
    __device__ __forceinline__ void kgen_store_element(kgen_values& kgen_v, int kgen_e, long long kgen_at) {
    }
};
extern "C" __global__ void __launch_bounds__(256)
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
    // Each output has one element, so that an elementwise loop runs the reduction.
    const auto kgen_body = [&](const float kgen_of_x, float& kgen_of_y) __attribute__((always_inline)) {
        kgen_fold<kgen_accumulator, true> kgen_sum;
        kgen_sum.kgen_at.kgen_value = kgen_identity();
        kgen_sum.kgen_add(kgen_accumulator(kgen_value(kgen_map(kgen_of_x))), kgen_reduce);
        kgen_post(kgen_sum.kgen_at.kgen_value, kgen_of_y);
    };
    kgen_operands kgen_all(kgen_p);
    kgen_flat<kgen_plan>(kgen_p, kgen_all, kgen_body);
}
