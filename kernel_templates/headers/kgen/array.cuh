// SPDX-License-Identifier: MIT
// kgen::array<T, rank>: the parameter type for an Array that is passed to a raw kernel as raw(x). The Array may have
// any layout. The struct holds the address of its first element, its shape and its strides.
//
//     #include <kgen/array.cuh>
//     __global__ void scale(kgen::array<float, 2> x, float a) {
//         for (ptrdiff_t i = threadIdx.x; i < x.shape[0]; i += blockDim.x)
//             for (ptrdiff_t j = 0; j < x.shape[1]; ++j) x(i, j) *= a;
//     }
//     scale.launch({.grid = {1}, .block = {256}}, raw(x), 2.0f);
//
// Indices are not checked. Declare the parameter as kgen::array<const float, 2> if the kernel only reads the Array.
#pragma once
namespace kgen {

// One number for each axis: x.shape[0], or x.shape()[0] as in the bodies of kernels.
template <int rank> struct axes {
    ptrdiff_t values[rank > 0 ? rank : 1];

    __host__ __device__ constexpr const ptrdiff_t* operator()() const { return values; }
    __host__ __device__ constexpr operator const ptrdiff_t*() const { return values; }
    __host__ __device__ constexpr operator ptrdiff_t*() { return values; }
    template <class Int> __host__ __device__ constexpr const ptrdiff_t& operator[](Int axis) const { return values[axis]; }
    template <class Int> __host__ __device__ constexpr ptrdiff_t& operator[](Int axis) { return values[axis]; }
    __host__ __device__ constexpr const ptrdiff_t* begin() const { return values; }
    __host__ __device__ constexpr const ptrdiff_t* end() const { return values + rank; }
};

template <class T, int rank> struct array {
    static_assert(rank >= 0, "an array has no negative number of axes");

    T* data;             // the element at (0, ..., 0)
    axes<rank> shape;    // elements along each axis
    axes<rank> strides;  // bytes from one element to the next; may be negative or 0

    static constexpr int ndim = rank;

    __host__ __device__ constexpr ptrdiff_t size() const {
        ptrdiff_t count = 1;
        for (int axis = 0; axis < rank; ++axis) count *= shape[axis];
        return count;
    }
    // Returns an element: x(i, j). There must be as many indices as axes.
    template <class... Index> __host__ __device__ T& operator()(Index... index) const {
        static_assert(sizeof...(Index) == rank, "expected one index for each axis");
        const ptrdiff_t indices[] = {(ptrdiff_t)index..., 0};
        return at(indices);
    }
    // Returns the element at `rank` indices.
    __host__ __device__ T& at(const ptrdiff_t* indices) const {
        ptrdiff_t offset = 0;
#pragma unroll
        for (int axis = 0; axis < rank; ++axis) offset += indices[axis] * strides[axis];
        return *(T*)((char*)data + offset);
    }
    // Returns the element at C-order index i, from 0 to size() - 1. Divides once for each axis except the first.
    __host__ __device__ T& operator[](ptrdiff_t i) const {
        ptrdiff_t offset = 0;
#pragma unroll
        for (int axis = rank - 1; axis > 0; --axis) {
            const ptrdiff_t next = i / shape[axis];
            offset += (i - next * shape[axis]) * strides[axis];
            i = next;
        }
        if (rank > 0) offset += i * strides[0];
        return *(T*)((char*)data + offset);
    }
};

}  // namespace kgen
