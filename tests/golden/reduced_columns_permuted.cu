// weighted: T x, U w -> T y
// types: T = float32, U = float16
// plan: each thread its columns, 4 elements an access, 4 accesses at once, in pieces that the last block folds
// --- the kernel ---
typedef float T;
typedef float16 U;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const float* kgen_data_x;
    const float16* kgen_data_w;
    float* kgen_data_y;
    unsigned* kgen_counters;
    void* kgen_partials;
    kgen_column_tiles kgen_columns;
    kgen_divisor kgen_extents[4];
    long long kgen_strides_x[4];  // bytes
    long long kgen_strides_w[4];  // bytes
    long long kgen_strides_y[4];  // bytes
};
typedef float kgen_value;
typedef kgen_value kgen_accumulator;
extern "C" __global__ void __launch_bounds__(512)
kgen_kernel_weighted(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const float x, const float16 w) __attribute__((always_inline)) {
        return (
#line 1 "weighted (map)"
x * w

);
    };
#line N "weighted.cu"
    // Two values as one.
    const auto kgen_reduce = [&](kgen_value a, kgen_value b) __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_value(
#line 1 "weighted (reduce)"
a + b

);
    };
#line N "weighted.cu"
    // Where a fold starts.
    const auto kgen_identity = [&]() __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_accumulator(kgen_value(
#line 1 "weighted (identity)"
0

));
    };
#line N "weighted.cu"
    // The outputs from a folded value.
    const auto kgen_post = [&](kgen_value a, float& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "weighted (post_map)"
y = a

; } while (false);
    };
#line N "weighted.cu"
    typedef kgen_fold<kgen_accumulator, true> kgen_folded;
    const kgen_column_tiles& kgen_tiles = kgen_p.kgen_columns;
    const long long kgen_tile = kgen_block() % kgen_tiles.kgen_tiles;
    const unsigned kgen_rest = kgen_block() / kgen_tiles.kgen_tiles;
    const unsigned kgen_piece = kgen_rest % kgen_tiles.kgen_pieces;
    const long long kgen_outer = kgen_rest / kgen_tiles.kgen_pieces;
    const long long kgen_first_row = kgen_piece * kgen_tiles.kgen_rows_each;
    const long long kgen_end_row = kgen_first_row + kgen_tiles.kgen_rows_each < kgen_tiles.kgen_rows
        ? kgen_first_row + kgen_tiles.kgen_rows_each : kgen_tiles.kgen_rows;
    const int kgen_period = kgen_tiles.kgen_period;
    kgen_folded kgen_sums[4];
#pragma unroll
    for (int kgen_e = 0; kgen_e < 4; ++kgen_e) kgen_sums[kgen_e].kgen_at.kgen_value = kgen_identity();
    const unsigned kgen_i0 = (unsigned)(kgen_outer);
    const char* const kgen_from_x = (const char*)kgen_p.kgen_data_x + (long long)kgen_i0 * kgen_p.kgen_strides_x[0];
    const char* const kgen_from_w = (const char*)kgen_p.kgen_data_w + (long long)kgen_i0 * kgen_p.kgen_strides_w[0];
    const int kgen_across = kgen_thread() % kgen_tiles.kgen_across;
    const int kgen_total = kgen_tiles.kgen_height * kgen_period;
    const auto kgen_place = [&](int kgen_e) {
        return kgen_thread() / kgen_tiles.kgen_across * kgen_period + kgen_across * 4 + kgen_e;
    };
    // Columns behind the last one are read as the last one, and never written.
    long long kgen_columns[4];
#pragma unroll
    for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
        const long long kgen_column = kgen_tile * kgen_period + kgen_across * 4 + kgen_e;
        kgen_columns[kgen_e] = kgen_column < kgen_tiles.kgen_columns ? kgen_column : kgen_tiles.kgen_columns - 4 + kgen_e;
    }
    for (long long kgen_j = kgen_first_row + kgen_thread() / kgen_tiles.kgen_across; kgen_j < kgen_end_row;
         kgen_j += 4 * kgen_tiles.kgen_height) {
        kgen_vector<float, 4> kgen_of_x[4];
        kgen_vector<float16, 4> kgen_of_w[4];
#pragma unroll
        for (int kgen_u = 0; kgen_u < 4; ++kgen_u) {
            const long long kgen_row = kgen_j + kgen_u * kgen_tiles.kgen_height;
            if (kgen_row < kgen_end_row) {
                const unsigned kgen_q3 = kgen_divide((unsigned)(kgen_row), kgen_p.kgen_extents[3]);
                const unsigned kgen_i3 = (unsigned)(kgen_row) - kgen_q3 * kgen_extent_of(kgen_p.kgen_extents[3]);
                const unsigned kgen_i2 = kgen_q3;
                const char* const kgen_at_x = kgen_from_x + (long long)kgen_i2 * kgen_p.kgen_strides_x[2] + (long long)kgen_i3 * kgen_p.kgen_strides_x[3];
                const char* const kgen_at_w = kgen_from_w + (long long)kgen_i2 * kgen_p.kgen_strides_w[2] + (long long)kgen_i3 * kgen_p.kgen_strides_w[3];
                kgen_of_x[kgen_u] = kgen_load_read_only((const kgen_vector<float, 4>*)((kgen_at_x + kgen_columns[0] * sizeof(float))));
#pragma unroll
                for (int kgen_e = 0; kgen_e < 4; ++kgen_e)
                    kgen_of_w[kgen_u].kgen_at[kgen_e] = kgen_load_read_only((const float16*)(kgen_at_w + kgen_columns[kgen_e] * kgen_p.kgen_strides_w[1]));
            }
        }
#pragma unroll
        for (int kgen_u = 0; kgen_u < 4; ++kgen_u) {
            const long long kgen_row = kgen_j + kgen_u * kgen_tiles.kgen_height;
            if (kgen_row < kgen_end_row) {
                const unsigned kgen_q3 = kgen_divide((unsigned)(kgen_row), kgen_p.kgen_extents[3]);
                const unsigned kgen_i3 = (unsigned)(kgen_row) - kgen_q3 * kgen_extent_of(kgen_p.kgen_extents[3]);
                const unsigned kgen_i2 = kgen_q3;
#pragma unroll
                for (int kgen_e = 0; kgen_e < 4; ++kgen_e)
                    kgen_sums[kgen_e].kgen_add(kgen_accumulator(kgen_value(kgen_map(kgen_of_x[kgen_u].kgen_at[kgen_e], kgen_of_w[kgen_u].kgen_at[kgen_e]))), kgen_reduce);
            }
        }
    }
    typedef kgen_room<kgen_folded, 512 * 4> kgen_room_here;
    __shared__ kgen_room_here::type kgen_shared;
    kgen_folded* const kgen_folds = (kgen_folded*)&kgen_shared;
    kgen_fold_columns<kgen_room_here::count, 512 * 4>(
        kgen_folds, kgen_sums, 4, kgen_total, kgen_period, kgen_place, kgen_reduce);
    // The block that comes last folds what all have left, in the order of the pieces.
    const long long kgen_group = kgen_outer * kgen_tiles.kgen_tiles + kgen_tile;
    kgen_slot<kgen_accumulator>* const kgen_left = (kgen_slot<kgen_accumulator>*)kgen_p.kgen_partials
        + kgen_group * kgen_tiles.kgen_pieces * kgen_period;
#pragma unroll
    for (int kgen_k = 0; kgen_k < 4; ++kgen_k) {
        const int kgen_at = kgen_thread() + kgen_k * kgen_block_size();
        if (kgen_at < kgen_period) kgen_left[kgen_piece * kgen_period + kgen_at] = kgen_sums[kgen_k].kgen_at;
    }
    __threadfence();
    if (!kgen_is_last(kgen_p.kgen_counters + kgen_group, kgen_tiles.kgen_pieces)) return;
    // A block has a thread for each of its columns at least.
    const int kgen_copies = kgen_block_size() / kgen_period;
    const int kgen_member = kgen_thread();
    kgen_folded kgen_all[1];
#pragma unroll
    for (int kgen_e = 0; kgen_e < 1; ++kgen_e) kgen_all[kgen_e].kgen_at.kgen_value = kgen_identity();
    if (kgen_member < kgen_copies * kgen_period)
        kgen_fold_partials(kgen_all[0], kgen_left + kgen_member % kgen_period, kgen_member / kgen_period,
                           kgen_tiles.kgen_pieces, kgen_copies, kgen_period, kgen_reduce);
    const auto kgen_own = [&](int) { return kgen_member < kgen_copies * kgen_period ? kgen_member : -1; };
    kgen_fold_columns<kgen_room_here::count, 512>(kgen_folds, kgen_all, 1, kgen_copies * kgen_period, kgen_period,
        kgen_own, kgen_reduce);
    kgen_sums[0] = kgen_all[0];
#pragma unroll
    for (int kgen_k = 0; kgen_k < 1; ++kgen_k) {
        const long long kgen_column = kgen_tile * kgen_period + kgen_thread() + kgen_k * (int)kgen_block_size();
        if (kgen_k * (int)kgen_block_size() + (int)kgen_thread() < kgen_period && kgen_column < kgen_tiles.kgen_columns) {
            const long long kgen_i1 = kgen_column;
            float kgen_of_y = kgen_load((float*)((char*)kgen_p.kgen_data_y + (long long)kgen_i0 * kgen_p.kgen_strides_y[0] + (long long)kgen_i1 * kgen_p.kgen_strides_y[1]));
            kgen_post(kgen_sums[kgen_k].kgen_at.kgen_value, kgen_of_y);
            kgen_store((float*)((char*)kgen_p.kgen_data_y + (long long)kgen_i0 * kgen_p.kgen_strides_y[0] + (long long)kgen_i1 * kgen_p.kgen_strides_y[1]), kgen_of_y);
        }
    }
}
