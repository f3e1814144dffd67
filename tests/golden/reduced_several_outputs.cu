// argmax: T x -> T top, int64 at, int64 row
// types: T = float32
// plan: rows by blocks of 128 threads, 4 elements an access, 4 accesses at once
// --- the kernel ---
typedef float T;
#line 1 "argmax (preamble)"
struct best { T value; long long at, i; };

#line N "argmax.cu"
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const float* kgen_data_x;
    float* kgen_data_top;
    long long* kgen_data_at;
    long long* kgen_data_row;
    ptrdiff_t kgen_output_shape[1];
    kgen_row_teams kgen_teams;
    long long kgen_input_strides[3];
    long long kgen_reduced_strides[3];
    long long kgen_output_strides[3];
    kgen_divisor kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_top[2];  // bytes
    long long kgen_strides_at[2];  // bytes
    long long kgen_strides_row[2];  // bytes
};
using kgen_value =
#line 1 "argmax (reduce_type)"
best

;
static_assert(__is_trivially_copyable(kgen_value), "reduce_type: an accumulator must be trivially copyable, because threads exchange its bytes");
static_assert(sizeof(kgen_value) <= 32768, "reduce_type: an accumulator may have 32768 bytes");
#line N "argmax.cu"
typedef kgen_value kgen_accumulator;
// Tells the size of an accumulator; never launched.
struct kgen_accumulator_bytes { alignas(kgen_accumulator) char kgen_at[sizeof(kgen_accumulator)]; };
extern "C" __global__ void kgen_kernel_argmax_accumulator(kgen_accumulator_bytes) {}
struct kgen_plan {
    enum {
        kgen_pack = 4,
        kgen_unroll = 4,
        kgen_block_bound = 128,
        kgen_split = 0,
        kgen_has_identity = 0,
        kgen_is_integer_sum = 0,
        kgen_block_team = 1,
        kgen_knows_lanes = 1,
        kgen_known_block = 128,
        kgen_compact = 1,
        kgen_short_rest = 0,
    };
    typedef kgen_value kgen_value_type;
    typedef kgen_accumulator kgen_accumulator_type;
};
struct kgen_operands {
    const kgen_parameters& kgen_p;
    unsigned kgen_i0;
    long long kgen_kept_x;
    long long kgen_kept_input_place;
    long long kgen_kept_reduced_place;
    long long kgen_kept_output_place;
    const char* kgen_at_x;
    long long kgen_at_input_place;
    long long kgen_at_reduced_place;
    const char* kgen_next_x;
    long long kgen_hop_x;
    struct kgen_values {
        kgen_vector<float, 4> kgen_of_x;
    };
    __device__ __forceinline__ explicit kgen_operands(const kgen_parameters& kgen_given) : kgen_p(kgen_given) {}
    __device__ __forceinline__ void kgen_find(long long kgen_output) {
        kgen_i0 = (unsigned)(kgen_output);
        kgen_kept_x = 0 + (long long)kgen_i0 * kgen_p.kgen_strides_x[0];
        kgen_kept_input_place = kgen_p.kgen_input_strides[2] + (long long)kgen_i0 * kgen_p.kgen_input_strides[0];
        kgen_kept_reduced_place = kgen_p.kgen_reduced_strides[2] + (long long)kgen_i0 * kgen_p.kgen_reduced_strides[0];
        kgen_kept_output_place = kgen_p.kgen_output_strides[2] + (long long)kgen_i0 * kgen_p.kgen_output_strides[0];
    }
    __device__ __forceinline__ int kgen_begin(long long kgen_segment) {
        kgen_at_x = (const char*)kgen_p.kgen_data_x + kgen_kept_x;
        kgen_at_input_place = kgen_kept_input_place;
        kgen_at_reduced_place = kgen_kept_reduced_place;
        return 0;
    }
    __device__ __forceinline__ void kgen_place(long long kgen_first, int kgen_lanes) {
        kgen_next_x = kgen_at_x + kgen_first * (int)sizeof(float);
        kgen_hop_x = (long long)kgen_lanes * 4 * (int)sizeof(float);
    }
    __device__ __forceinline__ void kgen_load_values(kgen_values& kgen_v, int kgen_u) {
        kgen_v.kgen_of_x = kgen_load_read_only((const kgen_vector<float, 4>*)((kgen_next_x + kgen_u * kgen_hop_x)));
    }
    __device__ __forceinline__ void kgen_advance(int kgen_count) {
        kgen_next_x += kgen_count * kgen_hop_x;
    }
    template <class kgen_callable> __device__ __forceinline__ auto kgen_call(const kgen_callable& kgen_text, const kgen_values& kgen_v, long long kgen_first, int kgen_e) const {
        return kgen_text(kgen_at_input_place + (kgen_first + kgen_e) * kgen_p.kgen_input_strides[1], kgen_at_reduced_place + (kgen_first + kgen_e) * kgen_p.kgen_reduced_strides[1], kgen_v.kgen_of_x.kgen_at[kgen_e]);
    }
    template <class kgen_callable> __device__ __forceinline__ auto kgen_compute(const kgen_callable& kgen_text, long long kgen_k) const {
        return kgen_text(kgen_at_input_place + kgen_k * kgen_p.kgen_input_strides[1], kgen_at_reduced_place + kgen_k * kgen_p.kgen_reduced_strides[1], kgen_load_read_only((const float*)(kgen_at_x + kgen_k * kgen_p.kgen_strides_x[1])));
    }
    template <class kgen_callable> __device__ __forceinline__ void kgen_finish(const kgen_callable& kgen_text, long long kgen_output, const kgen_accumulator& kgen_folded) {
        char* kgen_to_top;
        char* kgen_to_at;
        char* kgen_to_row;
        long long kgen_place;
        kgen_i0 = (unsigned)(kgen_output);
        kgen_to_top = (char*)kgen_p.kgen_data_top + (long long)kgen_i0 * kgen_p.kgen_strides_top[0];
        kgen_to_at = (char*)kgen_p.kgen_data_at + (long long)kgen_i0 * kgen_p.kgen_strides_at[0];
        kgen_to_row = (char*)kgen_p.kgen_data_row + (long long)kgen_i0 * kgen_p.kgen_strides_row[0];
        kgen_place = kgen_p.kgen_output_strides[2] + (long long)kgen_i0 * kgen_p.kgen_output_strides[0];
        float kgen_of_top = kgen_load((float*)kgen_to_top);
        long long kgen_of_at = kgen_load((long long*)kgen_to_at);
        long long kgen_of_row = kgen_load((long long*)kgen_to_row);
        kgen_text(kgen_place, kgen_folded, kgen_of_top, kgen_of_at, kgen_of_row);
        kgen_store((float*)kgen_to_top, kgen_of_top);
        kgen_store((long long*)kgen_to_at, kgen_of_at);
        kgen_store((long long*)kgen_to_row, kgen_of_row);
    }
};
extern "C" __global__ void __launch_bounds__(128)
kgen_kernel_argmax(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const ptrdiff_t kgen_i, const ptrdiff_t kgen_J, const float x) __attribute__((always_inline)) {
        const ptrdiff_t i = kgen_i;
        const ptrdiff_t _J = kgen_J;
        return (
#line 1 "argmax (map)"
best{x, _J, i}

);
    };
#line N "argmax.cu"
    // Two values as one.
    const auto kgen_reduce = [&](kgen_value a, kgen_value b) __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_value(
#line 1 "argmax (reduce)"
a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b

);
    };
#line N "argmax.cu"
    const int kgen_identity = 0;  // none
    // The outputs from a folded value.
    const auto kgen_post = [&](const ptrdiff_t kgen_o, kgen_value a, float& top, long long& at, long long& row) __attribute__((always_inline)) {
        const ptrdiff_t i = kgen_o;
        kgen_indexer<1, long long> _out_ind(kgen_o, kgen_p.kgen_count, kgen_p.kgen_output_shape);
        do {  // the user's text, as it was written
#line 1 "argmax (post_map)"
top = a.value; at = a.at; row = i + _out_ind.get()[0]

; } while (false);
    };
#line N "argmax.cu"
    kgen_operands kgen_all(kgen_p);
    kgen_reduced_rows<kgen_plan>(kgen_p, kgen_all, kgen_map, kgen_reduce, kgen_identity, kgen_post);
}
