// SPDX-License-Identifier: MIT
// kgen: teams of thread blocks of the whole grid. The launch is cooperative, so that all blocks run at the same time. They
// exchange folds through scratch memory.
template <class P> struct kgen_meeting<P, true> {
    unsigned* kgen_counter;  // arrivals of the team's blocks; zero between launches
    char* kgen_rooms;        // two places for the folds of all blocks, which the passes use in turns
    long long kgen_room;     // bytes of such a place
    unsigned kgen_blocks, kgen_part, kgen_team, kgen_teams;
    unsigned kgen_arrivals = 0;  // that the next meeting waits for; the number may wrap around
    bool kgen_is_second = false;
    // A block leaves `width` folds, each of at most `bytes` bytes.
    template <class Parameters> __device__ __forceinline__ kgen_meeting(const Parameters& p, int width, int bytes) {
        kgen_blocks = (unsigned)p.kgen_teams.blocks;
        kgen_teams = p.kgen_teams.teams;
        kgen_team = kgen_block() / kgen_blocks;
        kgen_part = kgen_block() - kgen_team * kgen_blocks;
        kgen_counter = p.kgen_counters + kgen_team;
        kgen_room = (long long)kgen_blocks * width * bytes;
        kgen_rooms = (char*)p.kgen_partials + 2 * kgen_team * kgen_room;
    }
    // Returns the place for the folds of the next pass. The other one may still be read.
    __device__ __forceinline__ void* kgen_place() {
        char* const place = kgen_rooms + (kgen_is_second ? kgen_room : 0);
        kgen_is_second = !kgen_is_second;
        kgen_arrivals += kgen_blocks;
        return place;
    }
    // Waits for all blocks of the team. What the threads of a block have written before __syncthreads() is then visible to
    // kgen_load_partial. One thread of each block calls it.
    __device__ __forceinline__ void kgen_meet() const {
        __threadfence();
        atomicAdd(kgen_counter, 1u);
        while ((int)(*(volatile unsigned*)kgen_counter - kgen_arrivals) < 0) {
        }
        __threadfence();
    }
    // Resets the counter when no block of the team waits any more.
    __device__ __forceinline__ void kgen_leave() const {
        if (kgen_thread() == 0 && atomicAdd(kgen_counter, 1u) == kgen_arrivals + kgen_blocks - 1u) *kgen_counter = 0;
    }
};
// Folds the values that the first threads of all blocks of a team have. Every thread gets the result. Each block folds all
// values in the same order.
template <class Fold, class Pass, class Meeting>
__device__ __forceinline__ void kgen_fold_grid(Fold& fold, const Pass& pass, Meeting& meeting) {
    typedef kgen_slot<typename Pass::kgen_accumulator_type> slot;
    __shared__ alignas(16) char kgen_shared[sizeof(Fold)];
    slot* const left = (slot*)meeting.kgen_place();
    if (kgen_thread() < 32) {
        if (kgen_thread() == 0) {
            left[meeting.kgen_part] = fold.kgen_at;
            meeting.kgen_meet();
        }
        __syncwarp();
        Fold all;
        kgen_start_pass(pass, &all, 1);
        kgen_fold_partials(all, left, kgen_thread(), meeting.kgen_blocks, 32, 1, pass.kgen_reduce);
        kgen_fold_lanes(all, 32, pass.kgen_reduce);
        if (kgen_thread() == 0) *(Fold*)kgen_shared = all;
    }
    __syncthreads();
    fold = *(Fold*)kgen_shared;
}
// Folds the first row of `room`, which each block of a team has, into the same place. `height` is the number of its rows.
template <int threads, int width, int height, class Fold, class Pass, class Meeting>
__device__ __forceinline__ void kgen_fold_grid_down(Fold* room, const Pass& pass, Meeting& meeting) {
    enum { parts = threads / width, rows = width < 32 ? threads / 32 : parts };
    static_assert((int)parts >= 1 && (int)rows <= height, "the threads of a block have a column each, and room for it");
    typedef kgen_slot<typename Pass::kgen_accumulator_type> slot;
    const int thread = kgen_thread(), column = thread % width;
    slot* const left = (slot*)meeting.kgen_place();
    if (thread < width) left[(long long)meeting.kgen_part * width + thread] = room[thread].kgen_at;
    __syncthreads();
    if (thread == 0) meeting.kgen_meet();
    __syncthreads();
    Fold fold;
    kgen_start_pass(pass, &fold, 1);
    kgen_fold_partials(fold, left + column, thread / width, meeting.kgen_blocks, parts, width, pass.kgen_reduce);
#pragma unroll
    for (int by = 16; by >= width; by /= 2) kgen_merge(fold, kgen_shuffle_down(fold, by, 32), pass.kgen_reduce);
    if (thread % 32 < width) room[(width < 32 ? thread / 32 : thread / width) * width + column] = fold;
    __syncthreads();
    if (thread < width) {
        fold = room[thread];
#pragma unroll
        for (int r = 1; r < rows; ++r) kgen_merge(fold, room[r * width + thread], pass.kgen_reduce);
        room[thread] = fold;
    }
    __syncthreads();
}
