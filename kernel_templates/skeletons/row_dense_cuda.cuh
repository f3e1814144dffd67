// SPDX-License-Identifier: MIT
// kgen: folds of neighbouring rows that a team reads as they lie in memory (P::kgen_dense). Element e of a thread's access is in slot
// kgen_thread() * kgen_pack + e. What a thread has in a slot is of one column: slots repeat the columns, because the accesses of all
// threads together are whole lines of them.

// Returns the place of a slot in shared memory: threads that access every kgen_pack-th slot use different banks.
__device__ __forceinline__ int kgen_spaced(int slot) { return slot + (slot >> 5); }
// The first slots, of `rows` rows of `columns` accumulators, become one row. Each thread folds the same column of up to 8 rows.
template <class P, class Fold, class Reduce>
__device__ __forceinline__ void kgen_fold_slots(Fold* room, int rows, int columns, const Reduce& reduce) {
#pragma unroll 1
    while (rows > 1) {
        const int all = rows * columns;
        rows = (rows + 7) / 8;
        const int left = rows * columns;
#pragma unroll 1
        for (int k = kgen_thread(); k < left; k += P::kgen_team) {
            Fold fold = room[kgen_spaced(k)];
#pragma unroll
            for (int r = 1; r < 8; ++r) {
                if (k + r * left < all) kgen_merge(fold, room[kgen_spaced(k + r * left)], reduce);
            }
            room[kgen_spaced(k)] = fold;
        }
        __syncthreads();
    }
}
// Folds the first row of slots, which each block of a team of the whole grid has, into the same place. If all blocks read all
// accumulators, that takes longer than to wait twice, each of them folds some columns for the others.
template <class P, int most, class Fold, class Pass, class Meeting>
__device__ __forceinline__ void kgen_fold_dense_grid(Fold* room, int columns, const Pass& pass, Meeting& meeting) {
    typedef kgen_slot<typename Pass::kgen_accumulator_type> slot;
    const int blocks = (int)meeting.kgen_blocks, part = (int)meeting.kgen_part;
    const auto meet = [&] {
        __syncthreads();
        if (kgen_thread() == 0) meeting.kgen_meet();
        __syncthreads();
    };
    slot* const left = (slot*)meeting.kgen_place();
#pragma unroll 1
    for (int k = kgen_thread(); k < columns; k += P::kgen_team) left[(long long)part * columns + k] = room[kgen_spaced(k)].kgen_at;
    meet();
    const bool is_divided = blocks * columns > 4096;
    const int each = is_divided ? (columns + blocks - 1) / blocks : columns, begin = is_divided ? part * each : 0;
    const int count = columns - begin < each ? columns - begin > 0 ? columns - begin : 0 : each;
    const int threads = P::kgen_team < most ? P::kgen_team : most, rows = each < threads ? threads / each : 1;
#pragma unroll 1
    for (int k = kgen_thread(); k < rows * count; k += P::kgen_team) {
        Fold fold;
        kgen_start_pass(pass, &fold, 1);
        kgen_fold_partials(fold, left + begin + k % count, k / count, blocks, rows, columns, pass.kgen_reduce);
        room[kgen_spaced(k)] = fold;
    }
    __syncthreads();
    kgen_fold_slots<P>(room, rows, count, pass.kgen_reduce);
    if (!is_divided) return;
    slot* const folded = (slot*)meeting.kgen_place();
#pragma unroll 1
    for (int k = kgen_thread(); k < count; k += P::kgen_team) folded[begin + k] = room[kgen_spaced(k)].kgen_at;
    meet();
#pragma unroll 1
    for (int k = kgen_thread(); k < columns; k += P::kgen_team) room[kgen_spaced(k)].kgen_at = kgen_load_partial(folded + k);
    __syncthreads();
}
// Folds the columns of all threads, and leaves the results in them. Shared memory has room for `most` accumulators, at least for those of
// two lines.
template <class P, int most, class Fold, class Pass, class Meeting>
__device__ __forceinline__ void kgen_fold_dense(Fold* sums, Fold* room, const kgen_fused_teams& teams, const Pass& pass, Meeting& meeting) {
    const auto& reduce = pass.kgen_reduce;
    const int columns = (int)teams.columns, slots = teams.lanes * P::kgen_pack, first = kgen_thread() * P::kgen_pack;
    // Whole lines for which there is room.
    const int at_once = most >= P::kgen_team * P::kgen_pack ? slots : most - (int)kgen_column(most, teams);
    // The pass before has read the room.
    if constexpr (P::kgen_blocks > 1) kgen_meet_cluster();
    else __syncthreads();
#pragma unroll 1
    for (int begin = 0; begin < slots; begin += at_once) {
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) {
            const int k = first + e - begin;
            if (k < 0 || k >= at_once || first >= slots) continue;
            Fold fold = sums[e];
            if (begin > 0) {
                fold = room[kgen_spaced(k)];
                kgen_merge(fold, sums[e], reduce);
            }
            room[kgen_spaced(k)] = fold;
        }
        __syncthreads();
    }
    kgen_fold_slots<P>(room, (int)kgen_divide((unsigned)(at_once < slots ? at_once : slots), teams.by_tiles), columns, reduce);
    if constexpr (P::kgen_spread) kgen_fold_dense_grid<P, most>(room, columns, pass, meeting);
    int folded = 0;
    if constexpr (P::kgen_blocks > 1) {
        kgen_meet_cluster();
        folded = columns;
#pragma unroll 1
        for (int k = kgen_thread(); k < columns; k += P::kgen_team) {
            Fold folds[P::kgen_blocks];
#pragma unroll
            for (int b = 0; b < P::kgen_blocks; ++b) folds[b] = kgen_fold_of_block(room + kgen_spaced(k), b);
#pragma unroll
            for (int b = 1; b < P::kgen_blocks; ++b) kgen_merge(folds[0], folds[b], reduce);
            room[kgen_spaced(columns + k)] = folds[0];
        }
        __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < P::kgen_pack; ++e) sums[e] = room[kgen_spaced(folded + (int)kgen_column(first + e, teams))];
}
