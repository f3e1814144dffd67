// SPDX-License-Identifier: MIT
// kgen: row kernels whose rows lie beside each other. A thread has some elements of kgen_pack neighbouring rows; the threads of
// a thread block, of a cluster of blocks, or of blocks of the whole grid (P::kgen_spread) have the others. If P::kgen_dense, a team has
// all rows beside each other, and its threads read one vector after the other; each of its elements is of another row.
// Defined in row_dense_cuda.cuh.
template <class P, int most, class Fold, class Pass, class Meeting>
__device__ __forceinline__ void kgen_fold_dense(Fold* sums, Fold* room, const kgen_fused_teams& teams, const Pass& pass, Meeting& meeting);
// Returns the column of a slot of dense rows.
__device__ __forceinline__ unsigned kgen_column(int slot, const kgen_fused_teams& teams) {
    return (unsigned)slot - kgen_divide((unsigned)slot, teams.by_tiles) * teams.by_tiles.extent;
}
// The shared memory of a block: accumulators of the largest type. Dense rows have a slot for each element of an access, or 40 KiB.
template <class P, int bytes> struct kgen_columns_room {
    enum {
        rows = P::kgen_across < 32 ? P::kgen_team / 32 : P::kgen_team / P::kgen_across,  // that threads of different warps fold
        slots = P::kgen_dense ? P::kgen_team * P::kgen_pack : (rows + 1) * P::kgen_across * P::kgen_pack,
        most = P::kgen_dense && slots * bytes > 40960 ? 40960 / bytes : (int)slots,
        kgen_bytes = (most + (P::kgen_dense ? most / 32 + 1 : 0)) * bytes
    };
};
template <class P, class Operands, class Meeting, class Pass>
__device__ __forceinline__ void kgen_run_pass(Operands& x, typename P::kgen_results* results,
                                              kgen_row_accesses<P, Operands>& places, const kgen_fused_teams& teams, char* room,
                                              Meeting& meeting, const Pass& pass) {
    typedef typename Pass::kgen_fold_type fold;
    fold sums[P::kgen_pack];
    kgen_start_pass(pass, sums, P::kgen_pack);
    places.kgen_each(x, [&](const typename Operands::kgen_values& values, typename P::kgen_number at, const kgen_row_part& part) {
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) {
            const auto value = x.kgen_call(pass.kgen_map, results[e], values, at, e);
            kgen_add_if(part.kgen_has(e), sums[e], value, pass.kgen_reduce);
        }
    });
    if constexpr (P::kgen_dense) kgen_fold_dense<P, kgen_columns_room<P, sizeof(fold)>::most>(sums, (fold*)room, teams, pass, meeting);
    else if constexpr (P::kgen_across < P::kgen_team * P::kgen_blocks) kgen_fold_down<P>(sums, (fold*)room, pass, meeting);
#pragma unroll
    for (int e = 0; e < P::kgen_pack; ++e) pass.kgen_post(results[e], sums[e].kgen_at.kgen_value);
    places.kgen_keep();
}
// Computes neighbouring rows: a tile. The places have the place of the thread in its team.
template <class P, class Parameters, class Operands, class Meeting, class Body, class Finish, class... Passes>
__device__ __forceinline__ void kgen_fused_tile(const Parameters& p, Operands& x, unsigned every_tile,
                                                kgen_row_accesses<P, Operands>& places, char* room, Meeting& meeting,
                                                const Body& body, const Finish& finish, const Passes&... passes) {
    typedef typename P::kgen_number number;
    const kgen_fused_teams& teams = p.kgen_teams;
    const unsigned in_team = kgen_thread() % P::kgen_team;
    const unsigned line = P::kgen_dense ? every_tile : kgen_divide(every_tile, teams.by_tiles);
    const unsigned tile = P::kgen_dense ? 0 : every_tile - line * teams.by_tiles.extent;
    const long long column = P::kgen_dense ? 0 : ((long long)tile * P::kgen_across + in_team % P::kgen_across) * P::kgen_pack;
    const bool exists = every_tile < teams.tiles && (P::kgen_dense ? in_team < (unsigned)teams.lanes : column < teams.columns);
    x.kgen_find(exists || P::kgen_dense ? line : 0, exists ? column : 0);
    places.kgen_begin_row(x, (number)teams.row);
    typename P::kgen_results results[P::kgen_pack];
    (kgen_run_pass<P>(x, results, places, teams, room, meeting, passes), ...);
    places.kgen_each(x, [&](const typename Operands::kgen_values& from, number at, const kgen_row_part& part) {
        typename Operands::kgen_outputs to;
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) x.kgen_compute(body, results[e], from, to, e);
        if (exists && (part.kgen_end > 0 || (P::kgen_shifted && part.kgen_from))) x.kgen_store_outputs(to, at, part);
    });
    if constexpr (P::kgen_dense) {
        // The first slots are those of all columns, of which the first is the column of the access's first element.
        const int slot = (int)in_team * P::kgen_pack, columns = (int)teams.columns;
        if (places.kgen_lane == (number)in_team) {
#pragma unroll
            for (int e = 0; e < P::kgen_pack; ++e) {
                if (slot + e < columns)
                    x.kgen_finish(finish, results[e], (int)kgen_column(slot + e + columns * P::kgen_pack - places.kgen_shift, teams));
            }
        }
    } else if (exists && places.kgen_lane == 0) {
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) x.kgen_finish(finish, results[e], e);
    }
}
template <class P, class Parameters, class Operands, class Body, class Finish, class... Passes>
__device__ __forceinline__ void kgen_fused_columns(const Parameters& p, Operands& x, const Body& body, const Finish& finish,
                                                   const Passes&... passes) {
    typedef typename P::kgen_number number;
    enum {
        across = P::kgen_across,
        bytes = kgen_columns_room<P, kgen_largest<sizeof(typename Passes::kgen_fold_type)...>::kgen_bytes>::kgen_bytes,
        teams_of_block = P::kgen_block_bound / P::kgen_team
    };
    __shared__ alignas(16) char kgen_shared[bytes * teams_of_block];
    kgen_meeting<P> meeting(p, P::kgen_dense ? (int)p.kgen_teams.columns : across * P::kgen_pack,
                            kgen_partial_size<typename Passes::kgen_accumulator_type...>::kgen_bytes);
    kgen_row_accesses<P, Operands> places;
    const unsigned in_team = kgen_thread() % P::kgen_team, team = kgen_thread() / P::kgen_team;
    // Dense rows leave some threads without elements. They read what the first ones read.
    const unsigned each = P::kgen_dense ? p.kgen_teams.lanes : P::kgen_team / across;
    const unsigned lane = P::kgen_dense ? in_team < each ? in_team : in_team - each : in_team / across;
    places.kgen_lanes = (number)(each * P::kgen_blocks);
    if constexpr (P::kgen_spread) {
        places.kgen_lanes *= (number)meeting.kgen_blocks;
        places.kgen_lane = (number)(lane + meeting.kgen_part * each);
#pragma unroll 1
        for (unsigned tile = meeting.kgen_team; tile < p.kgen_teams.tiles; tile += meeting.kgen_teams)
            kgen_fused_tile<P>(p, x, tile, places, kgen_shared, meeting, body, finish, passes...);
        meeting.kgen_leave();
    } else {
        places.kgen_lane = (number)(lane + kgen_block() % P::kgen_blocks * each);
        const unsigned tile = kgen_block() / P::kgen_blocks * teams_of_block + team;
        kgen_fused_tile<P>(p, x, tile, places, kgen_shared + team * bytes, meeting, body, finish, passes...);
    }
    // A block of a cluster stays until no other block reads its shared memory.
    if constexpr (P::kgen_blocks > 1) kgen_meet_cluster();
}
