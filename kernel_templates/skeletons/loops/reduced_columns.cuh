// SPDX-License-Identifier: MIT
// kgen: reductions by columns. A thread folds kgen_pack columns of its own, row by row (see kgen_column_tiles).

// The aligned words around a vector that begins anywhere, and the byte permutation that selects the vector from neighbouring
// words. The permutation is 0 if nothing was read, because the words do not lie between `low` and `high`.
template <class T, int count> struct kgen_around {
    enum { words = sizeof(T) * count / 4 };
    unsigned kgen_read[words + 1], kgen_choice;
};
template <bool read_only, class T, int count>
__device__ __forceinline__ void kgen_load_around(kgen_around<T, count>& to, const T* from, const char* low, const char* high) {
    const unsigned rest = (unsigned)(unsigned long long)from & 3;
    const unsigned* const begin = (const unsigned*)((const char*)from - rest);
    const bool inside = (const char*)begin >= low && (const char*)(begin + kgen_around<T, count>::words + 1) <= high;
    to.kgen_choice = inside ? 0x3210 + rest * 0x1111 : 0;
#pragma unroll
    for (int w = 0; w <= kgen_around<T, count>::words; ++w)
        if (inside) to.kgen_read[w] = read_only ? kgen_load_read_only(begin + w) : kgen_load(begin + w);
}
// Returns the vector. What was not read before is read now, element by element; elements that do not lie before `high` belong
// to no column. from() returns the address of the first one.
template <class T, int count, class From>
__device__ __forceinline__ kgen_vector<T, count> kgen_fit(const kgen_around<T, count>& around, const From& from, const char* high) {
    enum { words = kgen_around<T, count>::words };
    kgen_vector<unsigned, words> whole;
#pragma unroll
    for (int w = 0; w < words; ++w) whole.kgen_at[w] = __byte_perm(around.kgen_read[w], around.kgen_read[w + 1], around.kgen_choice);
    kgen_vector<T, count>& vector = (kgen_vector<T, count>&)whole;
    if (around.kgen_choice == 0) {
        const T* const begin = from();
#pragma unroll
        for (int w = 0; w < words; ++w) {
            whole.kgen_at[w] = 0;
#pragma unroll 1
            for (int e = 0; e < 4 / (int)sizeof(T); ++e) {
                const T* const element = begin + w * (4 / (int)sizeof(T)) + e;
                if ((const char*)element >= high) break;
                whole.kgen_at[w] |= (unsigned)*(const typename kgen_word<sizeof(T)>::type*)element << e * 8 * sizeof(T);
            }
        }
    }
    return vector;
}
// Folds the elements of an access into the columns' accumulators. value(e) is the map's value of element e.
template <class P, class Operands, class Fold, class Narrow, class Values, class Reduce, class Value>
__device__ __forceinline__ void kgen_fold_access(const Operands& x, Fold* sums, Narrow& narrow, const Values& values,
                                                 const Reduce& reduce, const Value& value) {
    if constexpr (Narrow::some) {
        narrow.kgen_take(x, values, value);
    } else {
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) sums[e].kgen_add(kgen_accumulated<P>(value(e)), reduce);
    }
}
// Folds the rows j, j + step, ... before `end` into a thread's columns, `count` rows at once. If `whole`, all rows of a step exist, the
// elements of a column are folded with each other first, and smaller steps take the rest. load(values, row) reads a row,
// fit(values, row) makes its vectors, and value(values, row, e) is the map's value of column e.
template <class P, int count, bool whole, class Operands, class Fold, class Narrow, class Load, class Fit, class Value, class Reduce>
__device__ __forceinline__ void kgen_fold_steps(const Operands& x, Fold* sums, Narrow& narrow, typename P::kgen_number j,
                                                typename P::kgen_number end, int step, const Load& load, const Fit& fit,
                                                const Value& value, const Reduce& reduce) {
    for (; whole ? (count - 1) * step < kgen_left(end - j) : j < end; j += count * step) {
        narrow.kgen_make_room(count, sums, reduce);
        const int left = kgen_left(end - j);
        typename Operands::kgen_values values[count];
        // The first row takes the place of missing ones: loads under conditions would wait for each other.
#pragma unroll
        for (int u = 0; u < count; ++u) load(values[u], whole || u * step < left ? j + u * step : j);
        if constexpr (whole) {
#pragma unroll
            for (int u = 0; u < count; ++u) fit(values[u], j + u * step);
#pragma unroll
            for (int e = 0; e < P::kgen_pack; ++e) {
                const auto value_of = [&](int u) { return value(values[u], j + u * step, e); };
                sums[e].kgen_add(kgen_fold_batch<P, 0, count>(value_of, reduce), reduce);
            }
        } else {
#pragma unroll
            for (int u = 0; u < count; ++u) {
                if (u * step >= left) continue;
                fit(values[u], j + u * step);
                kgen_fold_access<P>(x, sums, narrow, values[u], reduce,
                                    [&](int e) { return value(values[u], j + u * step, e); });
            }
        }
    }
    if constexpr (whole && count > 1)
        kgen_fold_steps<P, (count + 3) / 4, true>(x, sums, narrow, j, end, step, load, fit, value, reduce);
}
// Returns the place within a tile of column e of a thread that has `across` threads before it.
template <class P> __device__ __forceinline__ int kgen_column_in_tile(const kgen_column_tiles& tiles, int across, int e) {
    return P::kgen_has_vectors ? across * P::kgen_pack + e : across + e * tiles.across;
}
// Folds a thread's columns. With vectors, they are neighbours. Otherwise neighbouring threads have neighbouring columns, so
// that their accesses cover whole cache lines. The tile begins at column `first`; `across` and `down` say where the thread lies in it. A column
// behind the last one reads valid elements and is never written.
template <class P, class Operands, class Fold, class Map, class Reduce>
__device__ __forceinline__ void kgen_fold_rows(Operands& x, Fold* sums, const kgen_column_tiles& tiles, long long first, int across,
                                               int down, typename P::kgen_number first_row, typename P::kgen_number end_row,
                                               const Map& map, const Reduce& reduce) {
    typedef typename P::kgen_number number;
    long long columns[P::kgen_pack];
#pragma unroll
    for (int e = 0; e < P::kgen_pack; ++e) {
        const long long column = first + kgen_column_in_tile<P>(tiles, across, e);
        const long long last = P::kgen_has_vectors ? tiles.columns - P::kgen_pack + e : tiles.columns - 1;
        columns[e] = column < tiles.columns ? column : last > 0 ? last : 0;
    }
    if constexpr (P::kgen_has_same) {
        if (first_row < end_row) {
#pragma unroll
            for (int e = 0; e < P::kgen_pack; ++e) x.kgen_load_same(e, columns[e]);
        }
    }
    kgen_narrow_fold<P, decltype(x.kgen_call(map, *(const typename Operands::kgen_values*)0, 0, 0)), true> narrow;
    kgen_fold_steps<P, P::kgen_unroll, kgen_batch<P>::some>(
        x, sums, narrow, first_row + down, end_row, tiles.height,
        [&](auto& values, number row) {
            x.kgen_find_row(row);
            x.kgen_load_values(values, columns);
        },
        [&](auto& values, number row) {
            if constexpr (P::kgen_counts) x.kgen_find_row(row);
            x.kgen_fit_values(values, row, columns);
        },
        [&](const auto& values, number row, int e) {
            if constexpr (P::kgen_counts && kgen_batch<P>::some) x.kgen_find_row(row);
            return x.kgen_call(map, values, e, columns[e]);
        },
        reduce);
    narrow.kgen_leave(sums, reduce);
}
// Folds wide rows. A wide row is several rows that follow each other in memory, so columns repeat every `period` elements.
// Dense inputs are read by vectors, which may cross from one row to the next. Wide rows begin at multiples of a vector, the first one
// `shift` elements before the first element.
template <class P, class Operands, class Fold, class Map, class Reduce>
__device__ __forceinline__ void kgen_fold_wide_rows(Operands& x, Fold* sums, const kgen_column_tiles& tiles, int shift,
                                                    long long elements, typename P::kgen_number first_row, typename P::kgen_number end_row,
                                                    const Map& map, const Reduce& reduce) {
    typedef typename P::kgen_number number;
    const int total = tiles.across * P::kgen_pack, period = tiles.by_period.extent, first = kgen_thread() * P::kgen_pack - shift;
    // The column of each of the thread's elements, and its row within the wide row.
    int columns[P::kgen_pack], down[P::kgen_pack];
    if constexpr (P::kgen_needs_places) {
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) {
            const int before = P::kgen_shifted ? P::kgen_pack : 0;  // rows, so that no number is negative
            down[e] = kgen_divide((unsigned)(first + e + before * period), tiles.by_period);
            columns[e] = first + e + before * period - down[e] * period;
            down[e] -= before;
            if constexpr (P::kgen_has_same) x.kgen_load_same(e, columns[e]);
        }
    }
    const auto find_row = [&](number wide, int e) {
        if constexpr (P::kgen_counts || P::kgen_loads_elements) x.kgen_find_row((long long)wide * tiles.height + down[e]);
    };
    const auto column = [&](int e) {
        if constexpr (P::kgen_needs_places) return columns[e];
        else return 0;
    };
    kgen_narrow_fold<P, decltype(x.kgen_call(map, *(const typename Operands::kgen_values*)0, 0, 0)), true> narrow;
    // Vectors that also hold places before the first element or behind the last one are left out here, and their elements are folded
    // one by one below.
    const auto flat = [&](number wide) { return (long long)wide * total + first; };
    number begin = first_row, end = end_row;
    if (P::kgen_shifted && flat(begin) < 0) ++begin;
    while (end > begin && flat(end - 1) + P::kgen_pack > elements) --end;
    if (first + shift >= total) begin = end = first_row = end_row;
    kgen_fold_steps<P, P::kgen_unroll, kgen_batch<P>::some>(
        x, sums, narrow, begin, end, 1,
        [&](auto& values, number wide) {
            x.kgen_load_wide(values, flat(wide));
            if constexpr (P::kgen_loads_elements) {
#pragma unroll
                for (int e = 0; e < P::kgen_pack; ++e) {
                    find_row(wide, e);
                    x.kgen_load_element(values, e, column(e));
                }
            }
        },
        [](auto&, number) {},
        [&](const auto& values, number wide, int e) {
            if constexpr (P::kgen_counts) find_row(wide, e);
            return x.kgen_call(map, values, e, column(e));
        },
        reduce);
    narrow.kgen_leave(sums, reduce);
    // The elements of the vectors that were left out.
#pragma unroll 1
    for (number wide = begin > first_row ? first_row : end; wide < end_row; wide = wide < begin ? end : wide + 1) {
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) {
            if (flat(wide) + e < 0 || flat(wide) + e >= elements) continue;
            find_row(wide, e);
            sums[e].kgen_add(kgen_accumulated<P>(x.kgen_compute(map, flat(wide) + e, column(e))), reduce);
        }
    }
}
template <class P, class Parameters, class Operands, class Map, class Reduce, class Identity, class Post>
__device__ __forceinline__ void kgen_reduced_columns(const Parameters& p, Operands& x, const Map& map, const Reduce& reduce,
                                                     const Identity& identity, const Post& post) {
    typedef typename P::kgen_accumulator_type accumulator;
    typedef kgen_fold<accumulator, P::kgen_has_identity> fold;
    const kgen_column_tiles& tiles = p.kgen_columns;
    typedef typename P::kgen_number number;
    const int period = tiles.by_period.extent;
    const unsigned rest = kgen_divide(kgen_block(), tiles.by_tiles), tile = kgen_block() - rest * tiles.by_tiles.extent;
    unsigned piece = 0, outer = rest;
    number first_row = 0, end_row = (number)tiles.rows;
    if constexpr (P::kgen_split) {
        outer = kgen_divide(rest, tiles.by_pieces);
        piece = rest - outer * tiles.by_pieces.extent;
        first_row = (number)(piece * tiles.rows_each);
        if (first_row + (number)tiles.rows_each < end_row) end_row = first_row + (number)tiles.rows_each;
    }
    fold sums[P::kgen_pack];
    kgen_start<P, P::kgen_pack>(sums, identity);
    x.kgen_find(outer);
    int shift = 0;
    if constexpr (P::kgen_shifted) shift = x.kgen_find_shift();
    // Where the thread lies in the tile. Only tiles of merged columns have any number of threads side by side.
    const int down = P::kgen_merged ? kgen_thread() / tiles.across : kgen_thread() >> (31 - __clz(tiles.across));
    const int across = kgen_thread() - down * tiles.across;
    if constexpr (P::kgen_wide) kgen_fold_wide_rows<P>(x, sums, tiles, shift, p.kgen_reduced * period, first_row, end_row, map, reduce);
    else kgen_fold_rows<P>(x, sums, tiles, (long long)tile * period * tiles.each, across, down, first_row, end_row, map, reduce);

    enum { neighbours = P::kgen_wide || P::kgen_has_vectors ? P::kgen_pack : 1 };
    typedef kgen_room<fold, P::kgen_block_bound * (P::kgen_pack + (neighbours > 1))> room;
    __shared__ typename room::type shared;
    fold* const folds = (fold*)&shared;
    // Returns the place of the thread's fold e, see kgen_fold_columns.
    const auto place = [&](int e) {
        if constexpr (P::kgen_wide) {
            const int first = kgen_thread() * P::kgen_pack;
            return first < tiles.across * P::kgen_pack ? first + e : -1;
        } else if constexpr (P::kgen_merged) {
            // Each output has columns beside each other, and those again every `period` outputs.
            const int column = kgen_column_in_tile<P>(tiles, across, e), group = kgen_divide(column, tiles.by_neighbours);
            const int repeat = kgen_divide(group, tiles.by_period), beside = tiles.by_neighbours.extent;
            const int copy = down * tiles.each + repeat * beside + column - group * beside;
            return column < period * tiles.each ? copy * period + group - repeat * period : -1;
        } else {
            return down * period + kgen_column_in_tile<P>(tiles, across, e);
        }
    };
    kgen_fold_columns<room::count, P::kgen_block_bound * P::kgen_pack, neighbours>(
        folds, sums, P::kgen_pack, tiles.height * tiles.each, period, place, reduce);
    if constexpr (P::kgen_split) {
        // The block of the last piece folds all pieces, in a fixed order. Many pieces form bundles: the block of the last piece of each
        // bundle folds its pieces, and the last of these blocks folds the bundles.
        const unsigned group = outer * tiles.by_tiles.extent + tile, pieces = tiles.by_pieces.extent;
        const unsigned bundles = tiles.bundle > 0 ? (pieces + tiles.bundle - 1) / tiles.bundle : 0;
        const kgen_handed<accumulator> handed(p.kgen_counters, group, (pieces + bundles) * period);
        // A thread block has at least one thread for each of its columns.
        const int copies = kgen_divide(kgen_block_size(), tiles.by_period), member = kgen_thread();
        const auto own = [&](int) { return member < copies * period ? member : -1; };
        unsigned number = piece, begin = 0, end = pieces;  // of this step's accumulators
        if (bundles > 0) {
            begin = piece / tiles.bundle * tiles.bundle;
            if (begin + tiles.bundle < pieces) end = begin + tiles.bundle;
        }
#pragma unroll 1
        for (bool is_bundle = bundles > 0;; is_bundle = false) {
            if (number + 1 < end) {
                if (member < period) handed.kgen_put(number * period + member, sums[0].kgen_at);
                return;
            }
            fold all[1];
            if (member < period) all[0] = sums[0];
            else kgen_start<P, 1>(all, identity);
            if (member < copies * period)
                handed.kgen_fold(all[0], begin * period + member, (end - 1) * period, copies * period, reduce);
            __syncthreads();
            kgen_fold_columns<room::count, P::kgen_block_bound, 1>(folds, all, 1, copies, period, own, reduce);
            sums[0] = all[0];
            if (!is_bundle) break;
            number = pieces + begin / tiles.bundle;
            begin = pieces;
            end = pieces + bundles;
        }
    }
#pragma unroll
    for (int k = 0; k < (P::kgen_split ? 1 : P::kgen_pack); ++k) {
        const int at = k * (int)kgen_block_size() + (int)kgen_thread();
        long long column = (long long)tile * period + at;
        if constexpr (P::kgen_shifted) {
            const unsigned from_zero = at + P::kgen_pack * period - shift;
            column = from_zero - kgen_divide(from_zero, tiles.by_period) * period;
        }
        if (at < period && column * tiles.each < tiles.columns) x.kgen_finish(post, column, sums[k].kgen_at.kgen_value);
    }
}
