// squared_distance: T x, T y -> T z
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
    kgen_staged_rows kgen_staged;
    kgen_divisor kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_y[2];  // bytes
    long long kgen_strides_z[2];  // bytes
};
typedef float kgen_value;
typedef kgen_value kgen_accumulator;
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_squared_distance(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const float x, const float y) __attribute__((always_inline)) {
        return (
#line 1 "squared_distance (map)"
(x - y) * (x - y)

);
    };
#line N "squared_distance.cu"
    // Two values as one.
    const auto kgen_reduce = [&](kgen_value a, kgen_value b) __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_value(
#line 1 "squared_distance (reduce)"
a + b

);
    };
#line N "squared_distance.cu"
    // Where a fold starts.
    const auto kgen_identity = [&]() __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_accumulator(kgen_value(
#line 1 "squared_distance (identity)"
0

));
    };
#line N "squared_distance.cu"
    // The outputs from a folded value.
    const auto kgen_post = [&](kgen_value a, float& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "squared_distance (post_map)"
z = a

; } while (false);
    };
#line N "squared_distance.cu"
    typedef kgen_fold<kgen_accumulator, true> kgen_folded;
    extern __shared__ __align__(16) char kgen_staged[];
    const int kgen_row = kgen_p.kgen_staged.kgen_row;
    const long long kgen_begin = (long long)kgen_block() * kgen_p.kgen_staged.kgen_block;
    const long long kgen_left = kgen_p.kgen_staged.kgen_rows - kgen_begin;
    const int kgen_here = kgen_left < kgen_p.kgen_staged.kgen_block ? (int)kgen_left : kgen_p.kgen_staged.kgen_block;
    // The block's rows of each dense input, one behind the other as they lie in memory.
    float* const kgen_rows_x = kgen_stage<float>(kgen_staged, kgen_p.kgen_data_x + kgen_begin * kgen_row, kgen_here * kgen_row);
    kgen_wait_for_copies();
    __syncthreads();
    // A thread folds whole rows. Rows of an even length begin in few of the memory's banks: there neighbours
    // begin at different elements.
    for (int kgen_k = kgen_thread(); kgen_k < kgen_here; kgen_k += kgen_block_size()) {
        const long long kgen_output = kgen_begin + kgen_k;
        const unsigned kgen_i0 = (unsigned)(kgen_output);
        const float* const kgen_at_x = kgen_rows_x + kgen_k * kgen_row;
        const char* const kgen_at_y = (const char*)kgen_p.kgen_data_y + (long long)kgen_i0 * kgen_p.kgen_strides_y[0];
        kgen_folded kgen_sums[1];
#pragma unroll
        for (int kgen_e = 0; kgen_e < 1; ++kgen_e) kgen_sums[kgen_e].kgen_at.kgen_value = kgen_identity();
        int kgen_e = kgen_row % 2 == 0 ? kgen_k % kgen_row : 0;
#pragma unroll 4
        for (int kgen_count = 0; kgen_count < kgen_row; ++kgen_count) {
            kgen_sums[0].kgen_add(kgen_accumulator(kgen_value(kgen_map(kgen_at_x[kgen_e], kgen_load_read_only((const float*)(kgen_at_y + kgen_e * kgen_p.kgen_strides_y[1]))))), kgen_reduce);
            if (++kgen_e == kgen_row) kgen_e = 0;
        }
        float kgen_of_z = kgen_load((float*)((char*)kgen_p.kgen_data_z + (long long)kgen_i0 * kgen_p.kgen_strides_z[0]));
        kgen_post(kgen_sums[0].kgen_at.kgen_value, kgen_of_z);
        kgen_store((float*)((char*)kgen_p.kgen_data_z + (long long)kgen_i0 * kgen_p.kgen_strides_z[0]), kgen_of_z);
    }
}
