// third: T x -> uint64 y
// types: T = uint8
// plan: short rows through shared memory
// --- the kernel ---
typedef unsigned char T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const unsigned char* kgen_data_x;
    unsigned long long* kgen_data_y;
    kgen_staged_rows kgen_staged;
    kgen_divisor kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_y[2];  // bytes
};
typedef unsigned long long kgen_value;
typedef kgen_value kgen_accumulator;
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_third(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const unsigned char x) __attribute__((always_inline)) {
        return (
#line 1 "third (map)"
x

);
    };
#line N "third.cu"
    // Two values as one.
    const auto kgen_reduce = [&](kgen_value a, kgen_value b) __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_value(
#line 1 "third (reduce)"
a + b

);
    };
#line N "third.cu"
    // Where a fold starts.
    const auto kgen_identity = [&]() __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_accumulator(kgen_value(
#line 1 "third (identity)"
0

));
    };
#line N "third.cu"
    // The outputs from a folded value.
    const auto kgen_post = [&](kgen_value a, unsigned long long& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "third (post_map)"
y = a / 3

; } while (false);
    };
#line N "third.cu"
    typedef kgen_fold<kgen_accumulator, true> kgen_folded;
    extern __shared__ __align__(16) char kgen_staged[];
    const int kgen_row = kgen_p.kgen_staged.kgen_row;
    const long long kgen_begin = (long long)kgen_block() * kgen_p.kgen_staged.kgen_block;
    const long long kgen_left = kgen_p.kgen_staged.kgen_rows - kgen_begin;
    const int kgen_here = kgen_left < kgen_p.kgen_staged.kgen_block ? (int)kgen_left : kgen_p.kgen_staged.kgen_block;
    // The block's rows of each dense input, one behind the other as they lie in memory.
    unsigned char* const kgen_rows_x = kgen_stage<unsigned char>(kgen_staged, kgen_p.kgen_data_x + kgen_begin * kgen_row, kgen_here * kgen_row);
    kgen_wait_for_copies();
    __syncthreads();
    // A thread folds whole rows. Rows of an even length begin in few of the memory's banks: there neighbours
    // begin at different elements.
    for (int kgen_k = kgen_thread(); kgen_k < kgen_here; kgen_k += kgen_block_size()) {
        const long long kgen_output = kgen_begin + kgen_k;
        const unsigned kgen_i0 = (unsigned)(kgen_output);
        const unsigned char* const kgen_at_x = kgen_rows_x + kgen_k * kgen_row;
        kgen_folded kgen_sums[1];
#pragma unroll
        for (int kgen_e = 0; kgen_e < 1; ++kgen_e) kgen_sums[kgen_e].kgen_at.kgen_value = kgen_identity();
        const int kgen_e = 0;
        if (kgen_is_narrow<decltype(kgen_map(kgen_at_x[kgen_e]))>::value) {
        int kgen_sum = 0;
        int kgen_e = kgen_row % 2 == 0 ? kgen_k % kgen_row : 0;
#pragma unroll 4
        for (int kgen_count = 0; kgen_count < kgen_row; ++kgen_count) {
            kgen_sum += (int)(kgen_map(kgen_at_x[kgen_e]));
            if (++kgen_e == kgen_row) kgen_e = 0;
        }
        kgen_sums[0].kgen_add(kgen_accumulator(kgen_value(kgen_sum)), kgen_reduce);
        } else {
        int kgen_e = kgen_row % 2 == 0 ? kgen_k % kgen_row : 0;
#pragma unroll 4
        for (int kgen_count = 0; kgen_count < kgen_row; ++kgen_count) {
            kgen_sums[0].kgen_add(kgen_accumulator(kgen_value(kgen_map(kgen_at_x[kgen_e]))), kgen_reduce);
            if (++kgen_e == kgen_row) kgen_e = 0;
        }
        }
        unsigned long long kgen_of_y = kgen_load((unsigned long long*)((char*)kgen_p.kgen_data_y + (long long)kgen_i0 * kgen_p.kgen_strides_y[0]));
        kgen_post(kgen_sums[0].kgen_at.kgen_value, kgen_of_y);
        kgen_store((unsigned long long*)((char*)kgen_p.kgen_data_y + (long long)kgen_i0 * kgen_p.kgen_strides_y[0]), kgen_of_y);
    }
}
