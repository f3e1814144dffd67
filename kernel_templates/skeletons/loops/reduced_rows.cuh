// SPDX-License-Identifier: MIT
// kgen: reductions by rows. A team of threads folds an output, or a piece of it. Its elements form segments, rows along the
// innermost axis, and these are divided into slots of kgen_pack elements (see kgen_row_teams).

// Folds slots of a segment while slot + ahead is below `last`. A step loads `count` slots and then folds them. If
// `is_guarded`, some slots of a step may be missing.
template <class P, int count, bool is_guarded, int ways, class Operands, class Fold, class Narrow, class Map, class Reduce>
__device__ __forceinline__ void kgen_fold_slots(Operands& x, Fold* sums, Narrow& narrow, typename P::kgen_number& slot,
                                                typename P::kgen_number last, int ahead, int lanes, int shift,
                                                const Map& map, const Reduce& reduce) {
#pragma unroll 1
    for (; slot + ahead < last; slot += count * lanes) {
        narrow.kgen_make_room(count, sums, reduce);
        typename Operands::kgen_values values[count];
#pragma unroll
        for (int u = 0; u < count; ++u) {
            // Narrow loads under conditions wait for each other, unless their variables have values before.
            if (is_guarded && sizeof values[u] < 4) values[u] = {};
            if (!is_guarded || slot + u * lanes < last) x.kgen_load_values(values[u], u);
        }
        x.kgen_hold_back();
        // The slots that exist are counted. If they were compared as above, the compiler would keep the results in predicate registers, of
        // which there are too few.
        const int some = is_guarded ? ((unsigned)kgen_left(last - slot) + lanes - 1) >> (31 - __clz(lanes)) : count;
        const auto value = [&](int u, int e) {
            return x.kgen_call(map, values[u], (long long)(slot + u * lanes) * P::kgen_pack - shift, e);
        };
        if constexpr (kgen_batch<P>::some && !is_guarded) {
            const auto value_of = [&](int k) { return value(k / P::kgen_pack, k % P::kgen_pack); };
            sums[0].kgen_add(kgen_fold_batch<P, 0, count * P::kgen_pack>(value_of, reduce), reduce);
        } else {
#pragma unroll
            for (int u = 0; u < count; ++u) {
                if (u >= some) continue;
                const auto value_of = [&](int e) { return value(u, e); };
                if constexpr (Narrow::some) {
                    narrow.kgen_take(x, values[u], value_of);
                } else if constexpr (kgen_batch<P>::some) {
                    sums[0].kgen_add(kgen_fold_batch<P, 0, P::kgen_pack>(value_of, reduce), reduce);
                } else {
#pragma unroll
                    for (int e = 0; e < P::kgen_pack; ++e) sums[e % ways].kgen_add(kgen_accumulated<P>(value_of(e)), reduce);
                }
            }
        }
        x.kgen_advance(count);
    }
}
// Merges the upper half of the accumulators into the lower half, again and again. It is not a loop, because a loop over
// `half` is not unrolled, so the accumulators would not be in registers.
template <int half, class Fold, class Reduce> __device__ __forceinline__ void kgen_merge_ways(Fold* sums, const Reduce& reduce) {
    if constexpr (half > 0) {
#pragma unroll
        for (int e = 0; e < half; ++e) kgen_merge(sums[e], sums[e + half], reduce);
        kgen_merge_ways<half / 2>(sums, reduce);
    }
}
template <class P, class Parameters, class Operands, class Map, class Reduce, class Identity, class Post>
__device__ __forceinline__ void kgen_reduced_rows(const Parameters& p, Operands& x, const Map& map, const Reduce& reduce,
                                                  const Identity& identity, const Post& post) {
    typedef kgen_fold<typename P::kgen_accumulator_type, P::kgen_has_identity> fold;
    typedef kgen_narrow_fold<P, decltype(x.kgen_call_elements(map, *(const typename Operands::kgen_elements*)0, 0)), false> narrow_fold;
    // Number of accumulators of a thread: one for each element of a slot, unless they are large or take whole batches.
    enum { ways = sizeof(fold) <= 64 && !narrow_fold::some && !kgen_batch<P>::some ? P::kgen_pack : 1 };
    typedef typename P::kgen_number number;
    const kgen_row_teams& teams = p.kgen_teams;
    // If these numbers are constants, the distances between a thread's accesses are constants too. They are powers of two.
    const int team = P::kgen_block_team ? P::kgen_block_bound : teams.team;
    const int lanes = P::kgen_knows_lanes ? P::kgen_block_bound : teams.lanes;
    const int lane_bits = 31 - __clz(lanes);
    const number row = (number)teams.row;
    int in_team = kgen_thread();
    number output = (number)kgen_block(), first_segment = 0, end_segment = (number)teams.segments;
    unsigned pieces = 1, piece = 0, of_slots = 0;
    if constexpr (P::kgen_split) {
        pieces = teams.by_pieces.extent;
        output = (number)kgen_divide(kgen_block(), teams.by_pieces);
        piece = kgen_block() - (unsigned)output * pieces;
        of_slots = piece;
        if constexpr (!P::kgen_one_segment) {
            const unsigned of_segments = kgen_divide(piece, teams.by_slot_pieces);
            of_slots = piece - of_segments * teams.by_slot_pieces.extent;
            first_segment = (number)(of_segments * teams.segments_each);
            if (first_segment + (number)teams.segments_each < end_segment) end_segment = first_segment + (number)teams.segments_each;
        }
    } else if constexpr (!P::kgen_block_team) {
        const int team_bits = 31 - __clz(team);
        in_team = kgen_thread() & (team - 1);
        output = (number)kgen_block() * (number)(kgen_block_size() >> team_bits) + (number)(kgen_thread() >> team_bits);
    }
    const int lane = in_team & (lanes - 1);
    fold sums[ways];
    kgen_start<P, ways>(sums, identity);
    narrow_fold narrow;
    if (output < p.kgen_count) {
        x.kgen_find(output);
        const int segments_apart = P::kgen_one_segment ? 1 : team >> lane_bits;
        for (number segment = first_segment + (P::kgen_one_segment ? 0 : in_team >> lane_bits); segment < end_segment; segment += segments_apart) {
            // The first slot begins `shift` elements before the segment.
            const int shift = x.kgen_begin(segment);
            const number whole = (number)((typename P::kgen_index)(row + shift) / P::kgen_pack);
            const number slots = (number)((typename P::kgen_index)(row + shift + P::kgen_pack - 1) / P::kgen_pack);
            number first_slot = 0, end_slot = slots;
            if constexpr (P::kgen_split) {
                first_slot = (number)(of_slots * teams.slots_each);
                if (of_slots + 1 != teams.by_slot_pieces.extent) end_slot = first_slot + (number)teams.slots_each;
            }
            const number last = end_slot < whole ? end_slot : whole;
            number slot = (first_slot == 0 && shift > 0 ? 1 : first_slot) + lane;
            x.kgen_place((long long)slot * P::kgen_pack - shift, lanes);
            // Elements before the first whole slot and behind the last one are folded one by one. If they come first, each lane loads
            // its first one before its slots, so that it waits for all of them at once.
            number head = 0, tail = 0, cut = 0;
            const auto find_ends = [&] {
                head = first_slot > 0 || shift == 0 ? 0 : whole > 0 ? P::kgen_pack - shift : row;
                tail = whole > 0 || shift == 0 ? whole * P::kgen_pack - shift : row;
                cut = head + (end_slot == slots ? row - tail : 0);
            };
            const auto edge_at = [&](number k) { return k < head ? k : k - head + tail; };
            typename Operands::kgen_elements first_edge;
            if constexpr (P::kgen_ends_first) {
                find_ends();
                if (lane < cut) x.kgen_load_elements(first_edge, edge_at(lane));
            }
            if constexpr (!P::kgen_knows_lanes || P::kgen_unroll == 1 || P::kgen_guarded) {
                kgen_fold_slots<P, P::kgen_unroll, (P::kgen_unroll > 1), ways>(x, sums, narrow, slot, last, 0, lanes, shift, map, reduce);
            } else {
                // In whole tiles, all slots of a thread exist. The rest is one more tile with guards. It goes slot by slot
                // instead if that would make too many copies of the user's texts, or take too many registers.
                enum { rest = P::kgen_short_rest ? P::kgen_unroll : 1 };
                kgen_fold_slots<P, P::kgen_unroll, false, ways>(
                    x, sums, narrow, slot, last, (P::kgen_unroll - 1) * lanes, lanes, shift, map, reduce);
                kgen_fold_slots<P, rest, P::kgen_short_rest, ways>(x, sums, narrow, slot, last, 0, lanes, shift, map, reduce);
            }
            const auto fold_edge = [&](const typename Operands::kgen_elements& edge, number k) {
                sums[0].kgen_add(kgen_accumulated<P>(x.kgen_call_elements(map, edge, edge_at(k))), reduce);
            };
            const auto load_and_fold = [&](number k) {
                typename Operands::kgen_elements edge;
                x.kgen_load_elements(edge, edge_at(k));
                fold_edge(edge, k);
            };
            if constexpr (P::kgen_ends_first) {
                if (lane < cut) fold_edge(kgen_held_back(first_edge), lane);
            } else if constexpr (P::kgen_pack > 1) {
                find_ends();
                if (lane < cut && P::kgen_knows_lanes) load_and_fold(lane);
            }
            if constexpr (P::kgen_pack > 1 && !P::kgen_knows_lanes) {  // otherwise there are more lanes than such elements
#pragma unroll 1
                for (number k = P::kgen_ends_first ? lane + lanes : lane; k < cut; k += lanes) load_and_fold(k);
            }
            if constexpr (P::kgen_one_segment) break;
        }
    }
    narrow.kgen_leave(sums, reduce);
    kgen_merge_ways<ways / 2>(sums, reduce);
    if constexpr (!P::kgen_block_team) {
        kgen_fold_lanes(sums[0], team, reduce);
        if (in_team == 0 && output < p.kgen_count) x.kgen_finish(post, output, sums[0].kgen_at.kgen_value);
    } else {
#pragma unroll 1
        for (bool folds_pieces = false;; folds_pieces = true) {
            kgen_fold_block<P::kgen_block_bound, P::kgen_adds_integers>(sums[0], reduce);
            if constexpr (P::kgen_split) {
                if (folds_pieces) break;
                // The block of the last piece folds all pieces, in a fixed order, by the same code.
                const kgen_handed<typename P::kgen_accumulator_type> handed(p.kgen_counters, (unsigned)output, pieces);
                if (piece + 1 < pieces) {
                    if (kgen_thread() == 0) handed.kgen_put(piece, sums[0].kgen_at);
                    return;
                }
                if (kgen_thread() > 0) {
                    sums[0] = fold();
                    kgen_start<P, 1>(sums, identity);
                }
                handed.kgen_fold(sums[0], kgen_thread(), pieces - 1, P::kgen_block_bound, reduce);
                __syncthreads();
            } else {
                break;
            }
        }
        if (kgen_thread() == 0) x.kgen_finish(post, output, sums[0].kgen_at.kgen_value);
    }
}
