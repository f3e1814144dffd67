// SPDX-License-Identifier: MIT
// kgen: short rows on the host. Several inner axes form one row, which has a part of the outermost of them. An operand that
// is not contiguous along the row is copied into a pack, by a table of its offsets, so that the row is a plain loop. An
// output that is not contiguous is computed in a pack and then copied from it.
enum { kgen_most_packed = 512 };  // elements of a row, as in src/plan/host_short_row.hpp

// Writes the offsets of the elements of a row: `height` elements along the axis `first`, all along those between it and
// the axis `last`.
template <int first, int last, class Parameters>
KGEN_INLINE void kgen_fill_table(const Parameters& p, int* table, const long long* strides, long long height) {
    long long count = 1;
    table[0] = 0;
    for (int axis = last - 1; axis >= first; --axis) {
        const long long extent = axis == first ? height : p.kgen_extents[axis];
        for (long long k = 1; k < extent; ++k) {
            const int offset = (int)(k * strides[axis]);
            for (long long j = 0; j < count; ++j) table[k * count + j] = table[j] + offset;
        }
        count *= extent;
    }
}
// `down` is the stride along the outermost axis of the row. If it is 0, the next row often has the same elements, so the
// pack gets `all` elements that a row can have, and is not filled again.
template <class T>
KGEN_INLINE void kgen_fill_pack(T* pack, const int* table, const char* from, const char*& filled, long long down,
                                long long count, long long all) {
    if (down == 0) {
        if (from == filled) return;
        filled = from;
        count = all;
    }
    for (long long k = 0; k < count; ++k) pack[k] = *(const T*)(from + table[k]);
}
// Fills a pack from `planes` planes, `distance` bytes apart, in which elements are neighbours.
template <int planes, class T>
KGEN_INLINE void kgen_fill_planes(T* pack, const char* from, long long distance, long long count) {
    kgen_each<true>(0, count / planes, [&](const long long k) __attribute__((always_inline)) {
        for (int plane = 0; plane < planes; ++plane)
            __builtin_memcpy(pack + k * planes + plane, (const T*)(from + plane * distance) + k, sizeof(T));
    });
}
// Copies the pack to the planes.
template <int planes, class T>
KGEN_INLINE void kgen_empty_planes(const T* pack, char* to, long long distance, long long count) {
    kgen_each<true>(0, count / planes, [&](const long long k) __attribute__((always_inline)) {
        for (int plane = 0; plane < planes; ++plane)
            __builtin_memcpy((T*)(to + plane * distance) + k, pack + k * planes + plane, sizeof(T));
    });
}
template <class T> KGEN_INLINE void kgen_empty_pack(const T* pack, const int* table, char* to, long long count) {
    for (long long k = 0; k < count; ++k) *(T*)(to + table[k]) = pack[k];
}
// Walks rows over the axes before `last`; the inner `axes` of them form rows. There are kgen_units_all rows.
template <int axes, int last> struct kgen_row_walk {
    enum { kgen_axis = last - axes };
    long long kgen_extent, kgen_height, kgen_inner, kgen_down, kgen_units_all;
    long long kgen_row;
    kgen_places<0, kgen_axis> kgen_outer;
    template <class Parameters>
    KGEN_INLINE explicit kgen_row_walk(const Parameters& p)
        : kgen_extent(p.kgen_extents[kgen_axis]), kgen_height(p.kgen_height), kgen_inner(1) {
        for (int k = kgen_axis + 1; k < last; ++k) kgen_inner *= p.kgen_extents[k];
        kgen_down = (kgen_extent + kgen_height - 1) / kgen_height;
        kgen_units_all = p.kgen_count / (kgen_extent * kgen_inner) * kgen_down;
    }
    // Moves to a row and returns the number of elements before it.
    template <class Parameters, class Operands>
    KGEN_INLINE long long kgen_begin(const Parameters& p, Operands& x, long long unit) {
        kgen_outer.kgen_begin(p, x, unit / kgen_down);
        kgen_row = unit % kgen_down * kgen_height;
        x.kgen_move(kgen_axis, kgen_row);
        return (unit / kgen_down * kgen_extent + kgen_row) * kgen_inner;
    }
    KGEN_INLINE long long kgen_full() const {
        return kgen_extent - kgen_row < kgen_height ? kgen_extent - kgen_row : kgen_height;
    }
    KGEN_INLINE long long kgen_elements() const { return kgen_full() * kgen_inner; }
    template <class Parameters, class Operands> KGEN_INLINE void kgen_next(const Parameters& p, Operands& x) {
        const long long full = kgen_full();
        x.kgen_move(kgen_axis, full);
        kgen_row += full;
        if (kgen_row < kgen_extent) return;
        x.kgen_move(kgen_axis, -kgen_extent);
        kgen_row = 0;
        kgen_outer.kgen_next(p, x);
    }
};
