// moments: T x -> T mean, T variance
// types: T = float32
// plan: rows by threads of one warp, 4 elements an access, 4 accesses at once
// --- the kernel ---
typedef float T;
#line 1 "moments (preamble)"
struct moments { T count, mean, m2; };

#line N "moments.cu"
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    long long kgen_reduced;
    const float* kgen_data_x;
    float* kgen_data_mean;
    float* kgen_data_variance;
    ptrdiff_t kgen_shape[2];
    ptrdiff_t kgen_output_shape[1];
    kgen_row_teams kgen_teams;
    long long kgen_output_strides[3];
    kgen_divisor kgen_extents[2];
    long long kgen_strides_x[2];  // bytes
    long long kgen_strides_mean[2];  // bytes
    long long kgen_strides_variance[2];  // bytes
};
using kgen_value =
#line 1 "moments (reduce_type)"
moments

;
static_assert(__is_trivially_copyable(kgen_value), "reduce_type: an accumulator must be trivially copyable, because threads exchange its bytes");
static_assert(sizeof(kgen_value) <= 32768, "reduce_type: an accumulator may have 32768 bytes");
#line N "moments.cu"
typedef kgen_value kgen_accumulator;
// Tells the size of an accumulator; never launched.
struct kgen_accumulator_bytes { alignas(kgen_accumulator) char kgen_at[sizeof(kgen_accumulator)]; };
extern "C" __global__ void kgen_kernel_moments_accumulator(kgen_accumulator_bytes) {}
extern "C" __global__ void __launch_bounds__(128)
kgen_kernel_moments(const __grid_constant__ kgen_parameters kgen_p) {
    // The value of one element.
    const auto kgen_map = [&](const float x) __attribute__((always_inline)) {
        return (
#line 1 "moments (map)"
moments{1, x, 0}

);
    };
#line N "moments.cu"
    // Two values as one.
    const auto kgen_reduce = [&](kgen_value a, kgen_value b) __attribute__((always_inline)) -> kgen_accumulator {
        {
#line 1 "moments (reduce)"
T d = b.mean - a.mean, count = a.count + b.count;
return moments{count, a.mean + d * b.count / count,
               a.m2 + b.m2 + d * d * a.count * b.count / count};

; }
    };
#line N "moments.cu"
    // The outputs from a folded value.
    const auto kgen_post = [&](const ptrdiff_t kgen_o, kgen_value a, float& mean, float& variance) __attribute__((always_inline)) {
        kgen_indexer<2, long long> _in_ind(kgen_p.kgen_count * kgen_p.kgen_reduced, kgen_p.kgen_shape);
        kgen_indexer<1, long long> _out_ind(kgen_o, kgen_p.kgen_count, kgen_p.kgen_output_shape);
        do {  // the user's text, as it was written
#line 1 "moments (post_map)"
mean = a.mean; variance = a.m2 / (_in_ind.size() / _out_ind.size())

; } while (false);
    };
#line N "moments.cu"
    typedef kgen_fold<kgen_accumulator, false> kgen_folded;
    const kgen_row_teams& kgen_teams = kgen_p.kgen_teams;
    const int kgen_lanes = kgen_teams.kgen_lanes;
    const int kgen_team = kgen_teams.kgen_team;
    const int kgen_in_team = kgen_thread() & (kgen_team - 1);
    const long long kgen_output =
        ((long long)kgen_block() * kgen_block_size() + kgen_thread()) >> (31 - __clz(kgen_team));
    const long long kgen_first_segment = 0, kgen_end_segment = kgen_teams.kgen_segments;
    const int kgen_lane = kgen_in_team & (kgen_lanes - 1);
    // Accumulators of a thread: neighbours have their own, unless these are large.
    enum { kgen_ways = sizeof(kgen_folded) <= 64 ? 4 : 1, kgen_unrolled = kgen_ways };
    kgen_folded kgen_sums[kgen_ways];
    if (kgen_output < kgen_p.kgen_count) {
        const unsigned kgen_i0 = (unsigned)(kgen_output);
        const long long kgen_kept_output = kgen_p.kgen_output_strides[2] + (long long)kgen_i0 * kgen_p.kgen_output_strides[0];
        for (long long kgen_segment = kgen_first_segment + kgen_in_team / kgen_lanes; kgen_segment < kgen_end_segment;
             kgen_segment += kgen_team / kgen_lanes) {
            const char* const kgen_at_x = (const char*)kgen_p.kgen_data_x + (long long)kgen_i0 * kgen_p.kgen_strides_x[0] + 0;
            const int kgen_shift = 0;
            // Slots of 4 elements; the first one begins kgen_shift elements before the segment.
            const long long kgen_whole = (kgen_teams.kgen_row + kgen_shift) / 4;
            const long long kgen_slots = (kgen_teams.kgen_row + kgen_shift + 4 - 1) / 4;
            const long long kgen_first_slot = 0, kgen_end_slot = kgen_slots;
            const long long kgen_last = kgen_end_slot < kgen_whole ? kgen_end_slot : kgen_whole;
            long long kgen_slot = (kgen_first_slot == 0 && kgen_shift > 0 ? 1 : kgen_first_slot) + kgen_lane;
            const char* kgen_next_x = kgen_at_x + (kgen_slot * 4 - kgen_shift) * (int)sizeof(float);
            const long long kgen_hop_x = (long long)kgen_lanes * 4 * (int)sizeof(float);
#pragma unroll 1
            for (; kgen_slot < kgen_last; kgen_slot += 4 * kgen_lanes) {
                kgen_vector<float, 4> kgen_of_x[4];
#pragma unroll
                for (int kgen_u = 0; kgen_u < 4; ++kgen_u) {
                    if (kgen_slot + kgen_u * kgen_lanes >= kgen_last) continue;
                    kgen_of_x[kgen_u] = kgen_load_read_only((const kgen_vector<float, 4>*)(kgen_next_x + kgen_u * kgen_hop_x));
                }
#pragma unroll
                for (int kgen_u = 0; kgen_u < 4; ++kgen_u) {
                    if (kgen_slot + kgen_u * kgen_lanes >= kgen_last) continue;
#pragma unroll
                    for (int kgen_e = 0; kgen_e < 4; ++kgen_e) kgen_sums[kgen_e % kgen_ways].kgen_add(kgen_accumulator(kgen_value(kgen_map(kgen_of_x[kgen_u].kgen_at[kgen_e]))), kgen_reduce);
                }
                kgen_next_x += 4 * kgen_hop_x;
            }
            const long long kgen_head = kgen_first_slot > 0 || kgen_shift == 0 ? 0
                : kgen_whole > 0 ? 4 - kgen_shift : kgen_teams.kgen_row;
            const long long kgen_tail = kgen_whole > 0 || kgen_shift == 0
                ? kgen_whole * 4 - kgen_shift : kgen_teams.kgen_row;
            const long long kgen_cut = kgen_head + (kgen_end_slot == kgen_slots ? kgen_teams.kgen_row - kgen_tail : 0);
            for (long long kgen_k = kgen_lane; kgen_k < kgen_cut; kgen_k += kgen_lanes) {
                const long long kgen_first = kgen_k < kgen_head ? kgen_k : kgen_k - kgen_head + kgen_tail;
                const float kgen_cut_x = kgen_load_read_only((const float*)(kgen_at_x + kgen_first * kgen_p.kgen_strides_x[1]));
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
    kgen_fold_lanes(kgen_sums[0], kgen_team, kgen_reduce);
    if (kgen_in_team == 0 && kgen_output < kgen_p.kgen_count) {
        const unsigned kgen_i0 = (unsigned)(kgen_output);
        const long long kgen_kept_output = kgen_p.kgen_output_strides[2] + (long long)kgen_i0 * kgen_p.kgen_output_strides[0];
        float kgen_of_mean = kgen_load((float*)((char*)kgen_p.kgen_data_mean + (long long)kgen_i0 * kgen_p.kgen_strides_mean[0]));
        float kgen_of_variance = kgen_load((float*)((char*)kgen_p.kgen_data_variance + (long long)kgen_i0 * kgen_p.kgen_strides_variance[0]));
        kgen_post(kgen_kept_output, kgen_sums[0].kgen_at.kgen_value, kgen_of_mean, kgen_of_variance);
        kgen_store((float*)((char*)kgen_p.kgen_data_mean + (long long)kgen_i0 * kgen_p.kgen_strides_mean[0]), kgen_of_mean);
        kgen_store((float*)((char*)kgen_p.kgen_data_variance + (long long)kgen_i0 * kgen_p.kgen_strides_variance[0]), kgen_of_variance);
    }
}
