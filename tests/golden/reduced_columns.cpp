// fold: T x -> T y
// types: T = float32
// plan: neighbouring outputs side by side, 1 of 2 axes reduced
// --- the kernel ---
typedef float T;
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const float* kgen_data_x;
    float* kgen_data_y;
    long long kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_y[2];  // bytes
};
typedef float kgen_value;
typedef kgen_value kgen_accumulator;
extern "C" __attribute__((visibility("default"))) void kgen_kernel_fold(
    const void* kgen_block, const kgen_host_calls* kgen_given_calls, long long kgen_begin, long long kgen_end) {
    const kgen_parameters& kgen_p = *(const kgen_parameters*)kgen_block;
    __atomic_store_n(&kgen_calls, kgen_given_calls, __ATOMIC_RELAXED);
    // The value of one element.
    const auto kgen_map = [&](const float x) __attribute__((always_inline)) {
        return (
#line 1 "fold (map)"
x * x

);
    };
#line N "fold.cpp"
    // Two values as one.
    const auto kgen_reduce = [&](kgen_value a, kgen_value b) __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_value(
#line 1 "fold (reduce)"
a + b

);
    };
#line N "fold.cpp"
    // Where a fold starts.
    const auto kgen_identity = [&]() __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_accumulator(kgen_value(
#line 1 "fold (identity)"
0

));
    };
#line N "fold.cpp"
    // The outputs from a folded value.
    const auto kgen_post = [&](kgen_value a, float& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "fold (post_map)"
y = sqrt(a)

; } while (false);
    };
#line N "fold.cpp"
    // Neighbouring outputs are folded side by side, row by row. 256 rows are a chunk, one or more chunks of so many
    // columns a piece, the unit that threads share. Where rows are short, several that lie one after the other are one.
    typedef kgen_band<kgen_accumulator, kgen_column_count<kgen_accumulator>::kgen_count, true> kgen_columns_band;
    const long long kgen_width = kgen_columns_band::kgen_most;
    const long long kgen_columns = kgen_p.kgen_extents[0];
    const long long kgen_length = kgen_p.kgen_extents[1];
    const long long kgen_high = 1;
    const long long kgen_down = kgen_length / kgen_high + (kgen_length % kgen_high != 0);
    const long long kgen_rows = kgen_length > 0 ? kgen_p.kgen_reduced / kgen_length * kgen_down : 0;
    const long long kgen_across = (kgen_columns + kgen_width - 1) / kgen_width;
    const long long kgen_chunks = kgen_rows / 256 + (kgen_rows % 256 != 0);
    const kgen_cutting kgen_cut(kgen_chunks, 1);
    const kgen_units kgen_share(kgen_p.kgen_count / kgen_columns * kgen_across * kgen_cut.kgen_count, kgen_p.kgen_count * (kgen_p.kgen_reduced > 0 ? kgen_p.kgen_reduced : 1),
                                kgen_begin, kgen_end);
    for (long long kgen_unit = kgen_share.kgen_first; kgen_unit < kgen_share.kgen_last; ++kgen_unit) {
        const long long kgen_piece = kgen_unit % kgen_cut.kgen_count;
        const long long kgen_block_of_columns = kgen_unit / kgen_cut.kgen_count;
        const long long kgen_column = kgen_block_of_columns % kgen_across * kgen_width;
        const long long kgen_many = kgen_columns - kgen_column < kgen_width ? kgen_columns - kgen_column : kgen_width;
        long long kgen_rest = kgen_block_of_columns / kgen_across;
        const long long kgen_output = kgen_rest * kgen_columns + kgen_column;
        const char* kgen_row_x = (const char*)kgen_p.kgen_data_x;
        char* kgen_row_y = (char*)kgen_p.kgen_data_y;
        kgen_row_x += kgen_column * kgen_p.kgen_strides_x[0];
        kgen_row_y += kgen_column * kgen_p.kgen_strides_y[0];
        kgen_tree<kgen_columns_band> kgen_folds;
        long long kgen_chunk = kgen_piece * kgen_cut.kgen_each;
        const long long kgen_stop =
            kgen_cut.kgen_each < kgen_chunks - kgen_chunk ? kgen_chunk + kgen_cut.kgen_each : kgen_chunks;
        for (; kgen_chunk < kgen_stop; ++kgen_chunk) {
            kgen_rest = kgen_chunk * 256;
            long long kgen_left = kgen_rows - kgen_rest < 256 ? kgen_rows - kgen_rest : 256;
            long long kgen_row = kgen_rest % kgen_down;
            kgen_rest /= kgen_down;
            const char* kgen_in_x = kgen_row_x;
            kgen_columns_band kgen_band_of_rows;
            kgen_band_of_rows.kgen_start(kgen_many, kgen_identity());
            for (;;) {
                const long long kgen_first_row = kgen_row * kgen_high;
                const long long kgen_wide = kgen_many;
                const char* const kgen_at_x = kgen_in_x + kgen_first_row * kgen_p.kgen_strides_x[1];
                kgen_band_of_rows.kgen_add(kgen_wide, [&](const long long kgen_k) __attribute__((always_inline)) {
                    return kgen_accumulator(kgen_map(*((const float*)kgen_at_x + kgen_k)));
                }, kgen_reduce);
                if (--kgen_left == 0) break;
                if (++kgen_row < kgen_down) continue;
                kgen_row = 0;
            }
            kgen_folds.kgen_push(kgen_band_of_rows, kgen_reduce);
        }
        if (kgen_chunks == 0) {
            kgen_columns_band kgen_none;
            kgen_none.kgen_start(kgen_many, kgen_identity());
            kgen_folds.kgen_push(kgen_none, kgen_reduce);
        }
        bool kgen_complete = true;
        kgen_columns_band& kgen_value_of_all = kgen_folds.kgen_total(kgen_reduce);
        if (!kgen_complete) continue;
        for (long long kgen_k = 0; kgen_k < kgen_many; ++kgen_k) {
            float kgen_of_y = *((float*)kgen_row_y + kgen_k);
            kgen_post(kgen_value_of_all.kgen_at.kgen_get(kgen_k), kgen_of_y);
            *((float*)kgen_row_y + kgen_k) = kgen_of_y;
        }
    }
}
