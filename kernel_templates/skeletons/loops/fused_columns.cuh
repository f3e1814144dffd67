// SPDX-License-Identifier: MIT
// kgen: row kernels whose rows lie beside each other. A thread has some elements of kgen_pack neighbouring rows; the threads of
// a thread block, of a cluster of blocks, or of blocks of the whole grid (P::kgen_spread) have the others. If P::kgen_held is not 0, a thread reads its elements once and
// keeps them. A thread that has fewer elements than others reads the last one too, and ignores it, as in fused_rows.
template <class P, class Operands> struct kgen_row_places {
    typedef typename P::kgen_number number;
    typename Operands::kgen_values kgen_held[P::kgen_held > 0 ? P::kgen_held : 1];
    number kgen_first, kgen_row;
    int kgen_blocks = 1;  // of the whole grid, which share the rows
    bool kgen_backwards = false;  // as in fused_rows
    enum { height_of_block = P::kgen_team / P::kgen_across * P::kgen_blocks };
    __device__ __forceinline__ number kgen_height() const {
        if constexpr (P::kgen_spread) return (number)height_of_block * kgen_blocks;
        else return height_of_block;
    }
    __device__ __forceinline__ void kgen_load(Operands& x, typename Operands::kgen_values& to, number at) const {
        x.kgen_load_values(to, at < kgen_row ? at : kgen_row - 1, kgen_row);
    }
    __device__ __forceinline__ void kgen_begin(Operands& x) {
        if constexpr (P::kgen_held > 0) {
#pragma unroll
            for (int u = 0; u < P::kgen_held; ++u) kgen_load(x, kgen_held[u], kgen_first + u * kgen_height());
        }
    }
    // Calls take(values, number of the element, whether there is such an element).
    template <class Take> __device__ __forceinline__ void kgen_each(Operands& x, const Take& take) {
        enum { together = P::kgen_pack > 1 ? 4 : 8 };
        const number height = kgen_height();
        if constexpr (P::kgen_held > 0) {
#pragma unroll
            for (int u = 0; u < P::kgen_held; ++u) take(kgen_held[u], kgen_first + u * height, kgen_first + u * height < kgen_row);
        }
        if constexpr (P::kgen_spread) {
            const number first = height * P::kgen_held, step = height * together;
            const number steps = first < kgen_row ? (kgen_row - first + step - 1) / step : 0;
#pragma unroll 1
            for (number k = 0; k < steps; ++k) {
                const number at = first + (kgen_backwards ? steps - 1 - k : k) * step + kgen_first;
                typename Operands::kgen_values values[together];
#pragma unroll
                for (int u = 0; u < together; ++u) kgen_load(x, values[u], at + u * height);
#pragma unroll
                for (int u = 0; u < together; ++u) take(values[u], at + u * height, at + u * height < kgen_row);
            }
            kgen_backwards = !kgen_backwards;
        } else if constexpr (P::kgen_held == 0) {
#pragma unroll 1
            for (number at = kgen_first; at < kgen_row; at += together * height) {
                typename Operands::kgen_values values[together];
#pragma unroll
                for (int u = 0; u < together; ++u) kgen_load(x, values[u], at + u * height);
#pragma unroll
                for (int u = 0; u < together; ++u) take(values[u], at + u * height, at + u * height < kgen_row);
            }
        }
    }
};
template <class P, class Operands, class Places, class Meeting, class Pass>
__device__ __forceinline__ void kgen_run_pass(Operands& x, typename P::kgen_results* results, Places& places, char* room,
                                              Meeting& meeting, const Pass& pass) {
    typedef typename Pass::kgen_fold_type fold;
    fold sums[P::kgen_pack];
    kgen_start_pass(pass, sums, P::kgen_pack);
    places.kgen_each(x, [&](const typename Operands::kgen_values& values, typename P::kgen_number, bool exists) {
        const unsigned elements = kgen_hidden(exists ? ~0u : 0u);
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) {
            const auto value = x.kgen_call(pass.kgen_map, results[e], values, e);
            kgen_add_if((elements >> e & 1u) != 0, sums[e], value, pass.kgen_reduce);
        }
    });
    if constexpr (P::kgen_across < P::kgen_team * P::kgen_blocks) kgen_fold_down<P>(sums, (fold*)room, pass, meeting);
#pragma unroll
    for (int e = 0; e < P::kgen_pack; ++e) pass.kgen_post(results[e], sums[e].kgen_at.kgen_value);
}
// Computes neighbouring rows: a tile. The places have the place of the thread in its team.
template <class P, class Parameters, class Operands, class Meeting, class Body, class Finish, class... Passes>
__device__ __forceinline__ void kgen_fused_tile(const Parameters& p, Operands& x, unsigned every_tile,
                                                kgen_row_places<P, Operands>& places, char* room, Meeting& meeting,
                                                const Body& body, const Finish& finish, const Passes&... passes) {
    typedef typename P::kgen_number number;
    const kgen_fused_teams& teams = p.kgen_teams;
    const unsigned in_team = kgen_thread() % P::kgen_team;
    const unsigned line = kgen_divide(every_tile, teams.by_tiles), tile = every_tile - line * teams.by_tiles.extent;
    const long long column = ((long long)tile * P::kgen_across + in_team % P::kgen_across) * P::kgen_pack;
    const bool exists = every_tile < teams.tiles && column < teams.columns;
    x.kgen_find(exists ? line : 0, exists ? column : 0);
    places.kgen_begin(x);
    typename P::kgen_results results[P::kgen_pack];
    (kgen_run_pass<P>(x, results, places, room, meeting, passes), ...);
    places.kgen_each(x, [&](const typename Operands::kgen_values& from, number at, bool has_place) {
        typename Operands::kgen_outputs to;
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) x.kgen_compute(body, results[e], from, to, e);
        if (exists && has_place) x.kgen_store_outputs(to, at, places.kgen_row);
    });
    if (exists && places.kgen_first == 0) {
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
        width = across * P::kgen_pack,
        rows = across < 32 ? P::kgen_team / 32 : P::kgen_team / across,  // that threads of different warps fold
        room = kgen_largest<sizeof(typename Passes::kgen_fold_type)...>::kgen_bytes * (rows + 1) * width,
        teams_of_block = P::kgen_block_bound / P::kgen_team
    };
    __shared__ alignas(16) char kgen_shared[room * teams_of_block];
    kgen_meeting<P> meeting(p, width, kgen_partial_size<typename Passes::kgen_accumulator_type...>::kgen_bytes);
    kgen_row_places<P, Operands> places;
    places.kgen_row = (number)p.kgen_teams.row;
    const unsigned in_team = kgen_thread() % P::kgen_team, team = kgen_thread() / P::kgen_team;
    if constexpr (P::kgen_spread) {
        places.kgen_blocks = (int)meeting.kgen_blocks;
        places.kgen_first = (number)(in_team / across + meeting.kgen_part * (P::kgen_team / across));
#pragma unroll 1
        for (unsigned tile = meeting.kgen_team; tile < p.kgen_teams.tiles; tile += meeting.kgen_teams) {
            places.kgen_backwards = false;
            kgen_fused_tile<P>(p, x, tile, places, kgen_shared, meeting, body, finish, passes...);
        }
        meeting.kgen_leave();
    } else {
        places.kgen_first = (number)(in_team / across + kgen_block() % P::kgen_blocks * (P::kgen_team / across));
        const unsigned tile = kgen_block() / P::kgen_blocks * teams_of_block + team;
        kgen_fused_tile<P>(p, x, tile, places, kgen_shared + team * room, meeting, body, finish, passes...);
    }
    // A block of a cluster stays until no other block reads its shared memory.
    if constexpr (P::kgen_blocks > 1) kgen_meet_cluster();
}
