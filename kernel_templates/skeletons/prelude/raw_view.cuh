// SPDX-License-Identifier: MIT
// kgen prelude: the views of raw parameters, and the indexer (README.md has their layout).
template <class Index> struct kgen_unsigned { typedef unsigned long long type; };
template <> struct kgen_unsigned<int> { typedef unsigned type; };

// One number for each axis. x.shape[0] and x.shape()[0] are the same.
template <int rank> struct kgen_axes {
    ptrdiff_t kgen_values[rank > 0 ? rank : 1];

    KGEN_INLINE const ptrdiff_t* operator()() const { return kgen_values; }
    KGEN_INLINE operator const ptrdiff_t*() const { return kgen_values; }
    template <class Int> KGEN_INLINE const ptrdiff_t& operator[](Int axis) const { return kgen_values[axis]; }
};

template <class T, int rank, bool contiguous, class Index> struct kgen_raw_view {
    T* kgen_data;
    ptrdiff_t kgen_size;
    kgen_axes<rank> shape;
    kgen_axes<rank> strides;  // in bytes
    static const int ndim = rank;
    static const bool c_contiguous = contiguous;

    KGEN_INLINE ptrdiff_t size() const { return kgen_size; }

    // Returns the element at C-order index i.
    KGEN_INLINE T& operator[](ptrdiff_t i) const {
        if (contiguous || rank == 0) return kgen_data[i];
        if (rank == 1) return kgen_at((Index)i * (Index)strides[0]);
        typedef typename kgen_unsigned<Index>::type Unsigned;
        Unsigned left = (Unsigned)i;
        Index offset = 0;
#pragma unroll
        for (int axis = rank - 1; axis > 0; --axis) {
            Unsigned extent = (Unsigned)shape[axis], next = left / extent;
            offset += (Index)(left - next * extent) * (Index)strides[axis];
            left = next;
        }
        return kgen_at(offset + (Index)left * (Index)strides[0]);
    }
    // Returns the element at `rank` indices.
    template <class Int> KGEN_INLINE T& operator[](const Int* indices) const {
        Index offset = 0;
#pragma unroll
        for (int axis = 0; axis < rank; ++axis) {
            offset += (Index)indices[axis] * (Index)strides[axis];
        }
        return kgen_at(offset);
    }
    // Returns the element x[{i, j}].
    template <int n, class = typename kgen_if<(rank > 1 && n == rank)>::type>
    KGEN_INLINE T& operator[](const ptrdiff_t (&&indices)[n]) const {
        return (*this)[(const ptrdiff_t*)indices];
    }
    KGEN_INLINE T& kgen_at(Index offset) const { return *(T*)((char*)kgen_data + offset); }
};

// A number that is passed for a raw parameter: an array of one element, whose name is also its value.
template <class T> struct kgen_raw_number : kgen_raw_view<const T, 1, true, int> {
    KGEN_INLINE explicit kgen_raw_number(const T& value) {
        this->kgen_data = &value;
        this->kgen_size = 1;
        this->shape.kgen_values[0] = 1;
        this->strides.kgen_values[0] = sizeof(T);
    }
    KGEN_INLINE operator const T&() const { return *this->kgen_data; }
};

// An indexer divides by extents. They are numbers here, and divisors in generated kernels for GPUs.
template <class Unsigned> KGEN_INLINE Unsigned kgen_divide(Unsigned index, ptrdiff_t extent) { return index / (Unsigned)extent; }
KGEN_INLINE ptrdiff_t kgen_extent_of(ptrdiff_t extent) { return extent; }

// Bit k of `units` is set if axis k is known to have one element.
template <int rank, class Index, class Extent = ptrdiff_t, unsigned units = 0> struct kgen_indexer {
    static const int ndim = rank;
    ptrdiff_t kgen_size;
    const Extent* kgen_shape;
    ptrdiff_t kgen_indices[rank > 0 ? rank : 1];

    // `i` is the index of an element.
    KGEN_INLINE kgen_indexer(ptrdiff_t i, ptrdiff_t size, const Extent* shape)
        : kgen_size(size), kgen_shape(shape) {
        kgen_divide_index<units>(i);
    }
    // Starts at coordinates that the loop has counted.
    KGEN_INLINE kgen_indexer(ptrdiff_t size, const Extent* shape, const ptrdiff_t* indices)
        : kgen_size(size), kgen_shape(shape) {
#pragma unroll
        for (int axis = 0; axis < rank; ++axis) kgen_indices[axis] = indices[axis];
    }
    // Starts at index 0 without a division, so extents may be 0.
    KGEN_INLINE kgen_indexer(ptrdiff_t size, const Extent* shape)
        : kgen_size(size), kgen_shape(shape), kgen_indices() {}
    KGEN_INLINE ptrdiff_t size() const { return kgen_size; }
    KGEN_INLINE const ptrdiff_t (&get() const)[rank > 0 ? rank : 1] { return kgen_indices; }
    KGEN_INLINE void set(ptrdiff_t i) { kgen_divide_index<0>(i); }

private:
    // The index is not divided by axes of one element, nor by the outermost axis of several, if it is that of an element.
    template <unsigned known> KGEN_INLINE void kgen_divide_index(ptrdiff_t i) {
        typedef typename kgen_unsigned<Index>::type Unsigned;
        Unsigned left = (Unsigned)i;
#pragma unroll
        for (int axis = rank - 1; axis > 0; --axis) {
            const bool is_unit = (known >> axis & 1) != 0;
            if (is_unit || (known | ~0u << axis) == ~0u) {
                kgen_indices[axis] = is_unit ? 0 : (ptrdiff_t)left;
                if (!is_unit) left = 0;
                continue;
            }
            const Unsigned next = kgen_divide(left, kgen_shape[axis]);
            kgen_indices[axis] = (ptrdiff_t)(left - next * (Unsigned)kgen_extent_of(kgen_shape[axis]));
            left = next;
        }
        kgen_indices[0] = (ptrdiff_t)left;
    }
};
