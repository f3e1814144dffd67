// SPDX-License-Identifier: MIT
// kgen: row kernels whose rows lie along memory. A team of threads has a row, which is divided into slots of kgen_pack
// elements. The first slot may begin before the row, so that vectors are aligned, and the last one may end behind it.
template <class P, class Operands, class Meeting, class Pass>
__device__ __forceinline__ void kgen_run_pass(Operands& x, typename P::kgen_results& results, kgen_row_accesses<P, Operands>& slots,
                                              Meeting& meeting, const Pass& pass) {
    typedef typename Pass::kgen_fold_type fold;
    // Several accumulators, so that an addition need not wait for the one before it.
    enum { ways = sizeof(fold) > 16 ? 1 : P::kgen_pack < 4 ? P::kgen_pack : 4 };
    fold sums[ways];
    kgen_start_pass(pass, sums, ways);
    slots.kgen_each(x, [&](const typename Operands::kgen_values& values, typename P::kgen_number at, const kgen_row_part& part) {
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) {
            const auto value = x.kgen_call(pass.kgen_map, results, values, at, e);
            kgen_add_if(part.kgen_has(e), sums[e % ways], value, pass.kgen_reduce);
        }
    });
#pragma unroll
    for (int e = 1; e < ways; ++e) kgen_merge(sums[0], sums[e], pass.kgen_reduce);
    kgen_fold_team<P>(sums[0], pass, meeting);
    pass.kgen_post(results, sums[0].kgen_at.kgen_value);
    slots.kgen_keep();
}
// Computes a row. The slots have the place of the thread in its team.
template <class P, class Parameters, class Operands, class Meeting, class Body, class Finish, class... Passes>
__device__ __forceinline__ void kgen_fused_row(const Parameters& p, Operands& x, typename P::kgen_number row,
                                               kgen_row_accesses<P, Operands>& slots, Meeting& meeting, const Body& body,
                                               const Finish& finish, const Passes&... passes) {
    typedef typename P::kgen_number number;
    const bool exists = row < (number)p.kgen_count;
    x.kgen_find(exists ? row : 0, 0);
    slots.kgen_begin_row(x, (number)p.kgen_teams.row);
    typename P::kgen_results results;
    (kgen_run_pass<P>(x, results, slots, meeting, passes), ...);
    slots.kgen_each(x, [&](const typename Operands::kgen_values& from, number first, const kgen_row_part& part) {
        typename Operands::kgen_outputs to;
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) x.kgen_compute(body, results, from, to, e);
        if (exists && (part.kgen_end > 0 || part.kgen_from)) x.kgen_store_outputs(to, first, part);
    });
    if (exists && slots.kgen_lane == 0) x.kgen_finish(finish, results, 0);
}
template <class P, class Parameters, class Operands, class Body, class Finish, class... Passes>
__device__ __forceinline__ void kgen_fused_rows(const Parameters& p, Operands& x, const Body& body, const Finish& finish,
                                                const Passes&... passes) {
    typedef typename P::kgen_number number;
    kgen_meeting<P> meeting(p, 1, kgen_partial_size<typename Passes::kgen_accumulator_type...>::kgen_bytes);
    kgen_row_accesses<P, Operands> slots;
    slots.kgen_lane = (number)(kgen_thread() % P::kgen_team);
    slots.kgen_lanes = (number)(P::kgen_team * P::kgen_blocks);
    number row = (number)kgen_block();
    if constexpr (P::kgen_spread) {
        slots.kgen_lane += (number)meeting.kgen_part * P::kgen_block_bound;
        slots.kgen_lanes *= (number)meeting.kgen_blocks;
#pragma unroll 1
        for (row = (number)meeting.kgen_team; row < (number)p.kgen_count; row += (number)meeting.kgen_teams)
            kgen_fused_row<P>(p, x, row, slots, meeting, body, finish, passes...);
        meeting.kgen_leave();
    } else if constexpr (P::kgen_team < P::kgen_block_bound) {
        row = row * (number)(kgen_block_size() / P::kgen_team) + (number)(kgen_thread() / P::kgen_team);
    } else if constexpr (P::kgen_blocks > 1) {
        slots.kgen_lane += (row % P::kgen_blocks) * P::kgen_block_bound;
        row /= P::kgen_blocks;
    }
    if constexpr (!P::kgen_spread) kgen_fused_row<P>(p, x, row, slots, meeting, body, finish, passes...);
    // A block of a cluster stays until no other block reads its shared memory.
    if constexpr (P::kgen_blocks > 1) kgen_meet_cluster();
}
