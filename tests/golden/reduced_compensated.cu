// exact: T x -> T y
// types: T = float32
// plan: rows by blocks of 256 threads, 4 elements an access, 8 accesses at once, in pieces that the last block folds
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const float* kgen_data_x;
    float* kgen_data_y;
    unsigned* kgen_counters;
    void* kgen_partials;
    kgen_row_teams kgen_teams;
    kgen_divisor kgen_extents[1];
    long long kgen_strides_x[1];  // bytes
    long long kgen_strides_y[1];  // bytes
};
typedef float kgen_value;
typedef kgen_compensated<kgen_value> kgen_accumulator;
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_exact(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const float x) __attribute__((always_inline)) {
        return (
#line 1 "exact (map)"
x

);
    };
#line N "exact.cu"
    // Two sums as one, with what the addition loses.
    const auto kgen_reduce = [&](const kgen_accumulator& a, const kgen_accumulator& b) __attribute__((always_inline)) {
        return kgen_add_compensated(a, b);
    };
    // Where a fold starts.
    const auto kgen_identity = [&]() __attribute__((always_inline)) -> kgen_accumulator {
        return kgen_accumulator(kgen_value(
#line 1 "exact (identity)"
0

));
    };
#line N "exact.cu"
    // The outputs from a folded value.
    const auto kgen_post = [&](kgen_value a, float& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "exact (post_map)"
y = a

; } while (false);
    };
#line N "exact.cu"
    typedef kgen_fold<kgen_accumulator, true> kgen_folded;
    const kgen_row_teams& kgen_teams = kgen_p.kgen_teams;
    const int kgen_lanes = 256;
    const int kgen_team = 256;
    const int kgen_in_team = kgen_thread();
    const unsigned kgen_pieces = kgen_teams.kgen_segment_pieces * kgen_teams.kgen_slot_pieces;
    const long long kgen_output = kgen_block() / kgen_pieces;
    const unsigned kgen_piece = kgen_block() % kgen_pieces;
    const int kgen_of_segments = kgen_piece / kgen_teams.kgen_slot_pieces;
    const int kgen_of_slots = kgen_piece % kgen_teams.kgen_slot_pieces;
    const long long kgen_first_segment = kgen_of_segments * kgen_teams.kgen_segments_each;
    const long long kgen_end_segment = kgen_of_segments + 1 == kgen_teams.kgen_segment_pieces
        ? kgen_teams.kgen_segments : kgen_first_segment + kgen_teams.kgen_segments_each;
    const int kgen_lane = kgen_in_team & (kgen_lanes - 1);
    // Accumulators of a thread: neighbours have their own, unless these are large.
    enum { kgen_ways = sizeof(kgen_folded) <= 64 ? 4 : 1, kgen_unrolled = kgen_ways };
    kgen_folded kgen_sums[kgen_ways];
#pragma unroll
    for (int kgen_e = 0; kgen_e < kgen_ways; ++kgen_e) kgen_sums[kgen_e].kgen_at.kgen_value = kgen_identity();
    if (kgen_output < kgen_p.kgen_count) {
        for (long long kgen_segment = kgen_first_segment + kgen_in_team / kgen_lanes; kgen_segment < kgen_end_segment;
             kgen_segment += kgen_team / kgen_lanes) {
            const char* const kgen_at_x = (const char*)kgen_p.kgen_data_x + 0 + 0;
            const int kgen_shift = 0;
            // Slots of 4 elements; the first one begins kgen_shift elements before the segment.
            const long long kgen_whole = (kgen_teams.kgen_row + kgen_shift) / 4;
            const long long kgen_slots = (kgen_teams.kgen_row + kgen_shift + 4 - 1) / 4;
            const long long kgen_first_slot = kgen_of_slots * kgen_teams.kgen_slots_each;
            const long long kgen_end_slot = kgen_of_slots + 1 == kgen_teams.kgen_slot_pieces
                ? kgen_slots : kgen_first_slot + kgen_teams.kgen_slots_each;
            const long long kgen_last = kgen_end_slot < kgen_whole ? kgen_end_slot : kgen_whole;
            long long kgen_slot = (kgen_first_slot == 0 && kgen_shift > 0 ? 1 : kgen_first_slot) + kgen_lane;
            const char* kgen_next_x = kgen_at_x + (kgen_slot * 4 - kgen_shift) * (int)sizeof(float);
            const long long kgen_hop_x = (long long)kgen_lanes * 4 * (int)sizeof(float);
#pragma unroll 1
            for (; kgen_slot + 7 * kgen_lanes < kgen_last; kgen_slot += 8 * kgen_lanes) {
                kgen_vector<float, 4> kgen_of_x[8];
#pragma unroll
                for (int kgen_u = 0; kgen_u < 8; ++kgen_u) {
                    kgen_of_x[kgen_u] = kgen_load_read_only((const kgen_vector<float, 4>*)(kgen_next_x + kgen_u * kgen_hop_x));
                }
#pragma unroll
                for (int kgen_u = 0; kgen_u < 8; ++kgen_u) {
#pragma unroll
                    for (int kgen_e = 0; kgen_e < 4; ++kgen_e) kgen_sums[kgen_e % kgen_ways].kgen_add(kgen_accumulator(kgen_value(kgen_map(kgen_of_x[kgen_u].kgen_at[kgen_e]))), kgen_reduce);
                }
                kgen_next_x += 8 * kgen_hop_x;
            }
#pragma unroll 1
            for (; kgen_slot < kgen_last; kgen_slot += 1 * kgen_lanes) {
                kgen_vector<float, 4> kgen_of_x[1];
#pragma unroll
                for (int kgen_u = 0; kgen_u < 1; ++kgen_u) {
                    kgen_of_x[kgen_u] = kgen_load_read_only((const kgen_vector<float, 4>*)(kgen_next_x + kgen_u * kgen_hop_x));
                }
#pragma unroll
                for (int kgen_u = 0; kgen_u < 1; ++kgen_u) {
#pragma unroll
                    for (int kgen_e = 0; kgen_e < 4; ++kgen_e) kgen_sums[kgen_e % kgen_ways].kgen_add(kgen_accumulator(kgen_value(kgen_map(kgen_of_x[kgen_u].kgen_at[kgen_e]))), kgen_reduce);
                }
                kgen_next_x += 1 * kgen_hop_x;
            }
            const long long kgen_head = kgen_first_slot > 0 || kgen_shift == 0 ? 0
                : kgen_whole > 0 ? 4 - kgen_shift : kgen_teams.kgen_row;
            const long long kgen_tail = kgen_whole > 0 || kgen_shift == 0
                ? kgen_whole * 4 - kgen_shift : kgen_teams.kgen_row;
            const long long kgen_cut = kgen_head + (kgen_end_slot == kgen_slots ? kgen_teams.kgen_row - kgen_tail : 0);
            for (long long kgen_k = kgen_lane; kgen_k < kgen_cut; kgen_k += kgen_lanes) {
                const long long kgen_first = kgen_k < kgen_head ? kgen_k : kgen_k - kgen_head + kgen_tail;
                const float kgen_cut_x = kgen_load_read_only((const float*)(kgen_at_x + kgen_first * kgen_p.kgen_strides_x[0]));
                kgen_sums[0].kgen_add(kgen_accumulator(kgen_value(kgen_map(kgen_cut_x))), kgen_reduce);
            }
        }
    }
#pragma unroll
    for (int kgen_e = 0; kgen_e < kgen_ways / 2; ++kgen_e)
        kgen_merge(kgen_sums[kgen_e], kgen_sums[kgen_e + kgen_ways / 2], kgen_reduce);
#pragma unroll
    for (int kgen_e = 0; kgen_e < kgen_ways / 4; ++kgen_e)
        kgen_merge(kgen_sums[kgen_e], kgen_sums[kgen_e + kgen_ways / 4], kgen_reduce);
    kgen_fold_block<0>(kgen_sums[0], kgen_reduce);
    // The block that comes last folds what all have left, in the order of the pieces.
    kgen_slot<kgen_accumulator>* const kgen_left = (kgen_slot<kgen_accumulator>*)kgen_p.kgen_partials + kgen_output * kgen_pieces;
    if (kgen_thread() == 0) {
        kgen_left[kgen_piece] = kgen_sums[0].kgen_at;
        __threadfence();
    }
    if (!kgen_is_last(kgen_p.kgen_counters + kgen_output, kgen_pieces)) return;
    kgen_folded kgen_all[1];
#pragma unroll
    for (int kgen_e = 0; kgen_e < 1; ++kgen_e) kgen_all[kgen_e].kgen_at.kgen_value = kgen_identity();
    kgen_fold_partials(kgen_all[0], kgen_left, kgen_thread(), kgen_pieces, kgen_block_size(), 1, kgen_reduce);
    kgen_fold_block<0>(kgen_all[0], kgen_reduce);
    if (kgen_thread() == 0) {
        float kgen_of_y = kgen_load((float*)((char*)kgen_p.kgen_data_y + 0));
        kgen_post((kgen_all[0].kgen_at.kgen_value).kgen_total(), kgen_of_y);
        kgen_store((float*)((char*)kgen_p.kgen_data_y + 0), kgen_of_y);
    }
}
