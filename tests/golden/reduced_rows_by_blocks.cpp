// fold: T x -> T y
// types: T = float32
// plan: output by output, 1 of 2 axes reduced
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
    // 16384 elements of an output are a chunk, one or more chunks a piece, the unit that threads share.
    const long long kgen_length = kgen_p.kgen_extents[1];
    const long long kgen_chunks = kgen_p.kgen_reduced / 16384 + (kgen_p.kgen_reduced % 16384 != 0);
    const kgen_cutting kgen_cut(kgen_chunks, 1);
    const kgen_units kgen_share(kgen_p.kgen_count * kgen_cut.kgen_count, kgen_p.kgen_count * (kgen_p.kgen_reduced > 0 ? kgen_p.kgen_reduced : 1), kgen_begin, kgen_end);
    long long kgen_output = kgen_share.kgen_first / kgen_cut.kgen_count;
    long long kgen_piece = kgen_share.kgen_first % kgen_cut.kgen_count;
    const char* kgen_row_x = (const char*)kgen_p.kgen_data_x;
    char* kgen_row_y = (char*)kgen_p.kgen_data_y;
    long long kgen_rest = kgen_output;
    long long kgen_index[1];
    for (int kgen_axis = 0; kgen_axis >= 0; --kgen_axis) {
        const long long kgen_extent = kgen_p.kgen_extents[kgen_axis];
        const long long kgen_over = kgen_rest > 0 ? kgen_rest / kgen_extent : 0;
        kgen_index[kgen_axis - 0] = kgen_rest - kgen_over * kgen_extent;
        kgen_row_x += kgen_index[kgen_axis - 0] * kgen_p.kgen_strides_x[kgen_axis];
        kgen_row_y += kgen_index[kgen_axis - 0] * kgen_p.kgen_strides_y[kgen_axis];
        kgen_rest = kgen_over;
    }
    for (long long kgen_unit = kgen_share.kgen_first; kgen_unit < kgen_share.kgen_last; ++kgen_unit) {
        kgen_tree<kgen_single<kgen_accumulator>> kgen_folds;
        long long kgen_chunk = kgen_piece * kgen_cut.kgen_each;
        const long long kgen_stop =
            kgen_cut.kgen_each < kgen_chunks - kgen_chunk ? kgen_chunk + kgen_cut.kgen_each : kgen_chunks;
        for (; kgen_chunk < kgen_stop; ++kgen_chunk) {
            long long kgen_rest = kgen_chunk * 16384;
            long long kgen_left = kgen_p.kgen_reduced - kgen_rest < 16384 ? kgen_p.kgen_reduced - kgen_rest : 16384;
            long long kgen_from = kgen_rest > 0 ? kgen_rest % kgen_length : 0;
            kgen_rest = kgen_rest > 0 ? kgen_rest / kgen_length : 0;
            const char* kgen_in_x = kgen_row_x;
            kgen_band<kgen_accumulator, kgen_lane_count<kgen_accumulator>::kgen_count, true> kgen_lanes;
            kgen_lanes.kgen_start(kgen_lanes.kgen_most, kgen_identity());
            for (;;) {
                const long long kgen_many = kgen_left < kgen_length - kgen_from ? kgen_left : kgen_length - kgen_from;
                kgen_lanes.kgen_add_row(kgen_many, [&](const long long kgen_j) __attribute__((always_inline)) {
                    const long long kgen_k = kgen_from + kgen_j;
                    return kgen_accumulator(kgen_map(*((const float*)kgen_in_x + kgen_k)));
                }, kgen_reduce);
                kgen_left -= kgen_many;
                if (kgen_left == 0) break;
                kgen_from = 0;
            }
            kgen_folds.kgen_push(kgen_single<kgen_accumulator>(kgen_lanes.kgen_total(kgen_reduce)), kgen_reduce);
        }
        if (kgen_chunks == 0) kgen_folds.kgen_push(kgen_single<kgen_accumulator>(kgen_identity()), kgen_reduce);
        bool kgen_complete = true;
        kgen_single<kgen_accumulator> kgen_value_of_all = kgen_folds.kgen_total(kgen_reduce);
        if (kgen_complete) {
            float kgen_of_y = *((float*)kgen_row_y);
            kgen_post(kgen_value_of_all.kgen_at.kgen_value, kgen_of_y);
            *((float*)kgen_row_y) = kgen_of_y;
        }
        if (++kgen_piece < kgen_cut.kgen_count) continue;
        kgen_piece = 0;
        ++kgen_output;
        for (int kgen_axis = 0; kgen_axis >= 0; --kgen_axis) {
            kgen_row_x += kgen_p.kgen_strides_x[kgen_axis];
            kgen_row_y += kgen_p.kgen_strides_y[kgen_axis];
            if (++kgen_index[kgen_axis - 0] < kgen_p.kgen_extents[kgen_axis]) break;
            kgen_index[kgen_axis - 0] = 0;
            kgen_row_x -= kgen_p.kgen_strides_x[kgen_axis] * kgen_p.kgen_extents[kgen_axis];
            kgen_row_y -= kgen_p.kgen_strides_y[kgen_axis] * kgen_p.kgen_extents[kgen_axis];
        }
    }
}
