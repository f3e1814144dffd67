// SPDX-License-Identifier: MIT
// kgen prelude: indices below 2^31 whose only use is a remainder by a number. g++ vectorises divisions of 32 bits by a
// number, but not those of 64 bits.
struct kgen_narrow_index {
    unsigned kgen_value;
    KGEN_INLINE explicit kgen_narrow_index(ptrdiff_t value) : kgen_value((unsigned)value) {}
    KGEN_INLINE operator ptrdiff_t() const { return kgen_value; }
};
KGEN_INLINE ptrdiff_t operator%(const kgen_narrow_index& x, int number) { return x.kgen_value % (unsigned)number; }

template <class Indexer> struct kgen_narrow_indexer : Indexer {
    using Indexer::Indexer;
    KGEN_INLINE const kgen_narrow_indexer& get() const { return *this; }
    KGEN_INLINE kgen_narrow_index operator[](int axis) const { return kgen_narrow_index(this->kgen_indices[axis]); }
};
