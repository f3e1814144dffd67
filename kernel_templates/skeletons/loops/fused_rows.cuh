// SPDX-License-Identifier: MIT
// kgen: row kernels whose rows lie along memory. A team of threads has a row, which is divided into slots of kgen_pack
// elements. The first slot may begin before the row, so that vectors are aligned, and the last one may end behind it. If
// P::kgen_held is not 0, a thread reads its slots once and keeps them; otherwise each pass reads them again. If blocks of the whole
// grid share a row (P::kgen_spread), a thread keeps its first slots, and each pass reads the others again.
//
// A thread that has fewer slots than others reads the last one too, and ignores it. There is no branch around the user's
// text, so that the compiler keeps what several passes compute of an element.
template <class P, class Operands> struct kgen_row_slots {
    typedef typename P::kgen_number number;
    typename Operands::kgen_values kgen_held[P::kgen_held > 0 ? P::kgen_held : 1];
    number kgen_lane, kgen_lanes, kgen_slots, kgen_row;
    int kgen_shift;  // elements by which the first slot begins before the row
    bool kgen_backwards = false;  // every other pass, so that it begins with what the cache still has
    __device__ __forceinline__ number kgen_first(number slot) const { return slot * P::kgen_pack - kgen_shift; }
    __device__ __forceinline__ void kgen_load(Operands& x, typename Operands::kgen_values& to, number slot) const {
        x.kgen_load_values(to, kgen_first(slot < kgen_slots ? slot : kgen_slots - 1), kgen_row);
    }
    __device__ __forceinline__ void kgen_begin(Operands& x) {
        if constexpr (P::kgen_held > 0) {
#pragma unroll
            for (int u = 0; u < P::kgen_held; ++u) kgen_load(x, kgen_held[u], kgen_lane + u * kgen_lanes);
        }
    }
    // Calls take(values, first element, whether there is such a slot).
    template <class Take> __device__ __forceinline__ void kgen_each(Operands& x, const Take& take) {
        enum { together = P::kgen_pack > 1 ? 4 : 8 };
        if constexpr (P::kgen_held > 0) {
#pragma unroll
            for (int u = 0; u < P::kgen_held; ++u)
                take(kgen_held[u], kgen_first(kgen_lane + u * kgen_lanes), kgen_lane + u * kgen_lanes < kgen_slots);
        }
        if constexpr (P::kgen_spread) {
            const number first = kgen_lanes * P::kgen_held, step = kgen_lanes * together;
            const number steps = first < kgen_slots ? (kgen_slots - first + step - 1) / step : 0;
#pragma unroll 1
            for (number k = 0; k < steps; ++k) {
                const number slot = first + (kgen_backwards ? steps - 1 - k : k) * step + kgen_lane;
                typename Operands::kgen_values values[together];
#pragma unroll
                for (int u = 0; u < together; ++u) kgen_load(x, values[u], slot + u * kgen_lanes);
#pragma unroll
                for (int u = 0; u < together; ++u)
                    take(values[u], kgen_first(slot + u * kgen_lanes), slot + u * kgen_lanes < kgen_slots);
            }
            kgen_backwards = !kgen_backwards;
        } else if constexpr (P::kgen_held == 0) {
#pragma unroll 1
            for (number slot = kgen_lane; slot < kgen_slots; slot += together * kgen_lanes) {
                typename Operands::kgen_values values[together];
#pragma unroll
                for (int u = 0; u < together; ++u) kgen_load(x, values[u], slot + u * kgen_lanes);
#pragma unroll
                for (int u = 0; u < together; ++u)
                    take(values[u], kgen_first(slot + u * kgen_lanes), slot + u * kgen_lanes < kgen_slots);
            }
        }
    }
    // Returns which elements of a slot belong to the row, a bit for each.
    __device__ __forceinline__ unsigned kgen_elements(number first, bool exists) const {
        unsigned elements = exists ? (1u << P::kgen_pack) - 1u : 0u;
        if constexpr (P::kgen_shifted) {
            if (first < 0) elements &= ~0u << (int)-first;
            if (exists && kgen_row - first < P::kgen_pack) elements &= (1u << (int)(kgen_row - first)) - 1u;
        }
        return kgen_hidden(elements);
    }
};
template <class P, class Operands, class Slots, class Meeting, class Pass>
__device__ __forceinline__ void kgen_run_pass(Operands& x, typename P::kgen_results& results, Slots& slots, int team,
                                              Meeting& meeting, const Pass& pass) {
    typedef typename Pass::kgen_fold_type fold;
    // Several accumulators, so that an addition need not wait for the one before it.
    enum { ways = sizeof(fold) > 16 ? 1 : P::kgen_pack < 4 ? P::kgen_pack : 4 };
    fold sums[ways];
    kgen_start_pass(pass, sums, ways);
    slots.kgen_each(x, [&](const typename Operands::kgen_values& values, typename P::kgen_number first, bool exists) {
        const unsigned elements = slots.kgen_elements(first, exists);
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) {
            const auto value = x.kgen_call(pass.kgen_map, results, values, e);
            kgen_add_if((elements >> e & 1u) != 0, sums[e % ways], value, pass.kgen_reduce);
        }
    });
#pragma unroll
    for (int e = 1; e < ways; ++e) kgen_merge(sums[0], sums[e], pass.kgen_reduce);
    kgen_fold_team<P>(sums[0], team, pass, meeting);
    pass.kgen_post(results, sums[0].kgen_at.kgen_value);
}
// Computes a row. The slots have the place of the thread in its team.
template <class P, class Parameters, class Operands, class Meeting, class Body, class Finish, class... Passes>
__device__ __forceinline__ void kgen_fused_row(const Parameters& p, Operands& x, typename P::kgen_number row,
                                               kgen_row_slots<P, Operands>& slots, int team, Meeting& meeting,
                                               const Body& body, const Finish& finish, const Passes&... passes) {
    typedef typename P::kgen_number number;
    const bool exists = row < (number)p.kgen_count;
    x.kgen_find(exists ? row : 0, 0);
    slots.kgen_row = (number)p.kgen_teams.row;
    slots.kgen_shift = x.kgen_shift();
    slots.kgen_slots = (slots.kgen_row + slots.kgen_shift + P::kgen_pack - 1) / P::kgen_pack;
    slots.kgen_begin(x);
    typename P::kgen_results results;
    (kgen_run_pass<P>(x, results, slots, team, meeting, passes), ...);
    slots.kgen_each(x, [&](const typename Operands::kgen_values& from, number first, bool has_slot) {
        typename Operands::kgen_outputs to;
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) x.kgen_compute(body, results, from, to, e);
        if (exists && has_slot) x.kgen_store_outputs(to, first, slots.kgen_row);
    });
    if (exists && slots.kgen_lane == 0) x.kgen_finish(finish, results, 0);
}
template <class P, class Parameters, class Operands, class Body, class Finish, class... Passes>
__device__ __forceinline__ void kgen_fused_rows(const Parameters& p, Operands& x, const Body& body, const Finish& finish,
                                                const Passes&... passes) {
    typedef typename P::kgen_number number;
    const int team = P::kgen_block_team ? P::kgen_block_bound : p.kgen_teams.team;
    kgen_meeting<P> meeting(p, 1, kgen_partial_size<typename Passes::kgen_accumulator_type...>::kgen_bytes);
    kgen_row_slots<P, Operands> slots;
    slots.kgen_lane = (number)kgen_thread();
    slots.kgen_lanes = (number)team * P::kgen_blocks;
    number row = (number)kgen_block();
    if constexpr (P::kgen_spread) {
        slots.kgen_lane += (number)meeting.kgen_part * P::kgen_block_bound;
        slots.kgen_lanes *= (number)meeting.kgen_blocks;
#pragma unroll 1
        for (row = (number)meeting.kgen_team; row < (number)p.kgen_count; row += (number)meeting.kgen_teams) {
            slots.kgen_backwards = false;
            kgen_fused_row<P>(p, x, row, slots, team, meeting, body, finish, passes...);
        }
        meeting.kgen_leave();
    } else if constexpr (!P::kgen_block_team) {
        const int team_bits = 31 - __clz(team);
        slots.kgen_lane = (number)(kgen_thread() & (team - 1));
        row = row * (number)(kgen_block_size() >> team_bits) + (number)(kgen_thread() >> team_bits);
    } else if constexpr (P::kgen_blocks > 1) {
        slots.kgen_lane += (row % P::kgen_blocks) * P::kgen_block_bound;
        row /= P::kgen_blocks;
    }
    if constexpr (!P::kgen_spread) kgen_fused_row<P>(p, x, row, slots, team, meeting, body, finish, passes...);
    // A block of a cluster stays until no other block reads its shared memory.
    if constexpr (P::kgen_blocks > 1) kgen_meet_cluster();
}
