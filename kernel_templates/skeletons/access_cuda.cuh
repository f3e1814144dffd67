// SPDX-License-Identifier: MIT
// kgen: thread indices, and loads and stores of up to 16 bytes.
__device__ __forceinline__ unsigned kgen_thread() { return threadIdx.x; }
__device__ __forceinline__ unsigned kgen_block() { return blockIdx.x; }
__device__ __forceinline__ unsigned kgen_block_size() { return blockDim.x; }
__device__ __forceinline__ int kgen_least(long long left, int whole) { return left < whole ? (int)left : whole; }

// A vector: `count` elements that one access reads or writes.
template <class T, int count> struct alignas(sizeof(T) * count) kgen_vector { T kgen_at[count]; };

template <int bytes> struct kgen_word;
template <> struct kgen_word<1> { typedef unsigned char type; };
template <> struct kgen_word<2> { typedef unsigned short type; };
template <> struct kgen_word<4> { typedef unsigned type; };
template <> struct kgen_word<8> { typedef uint2 type; };
template <> struct kgen_word<16> { typedef uint4 type; };

// Reads memory that this kernel may also write.
template <class T> __device__ __forceinline__ T kgen_load(const T* pointer) {
    typedef typename kgen_word<sizeof(T)>::type word;
    word bits = *(const word*)pointer;
    return (T&)bits;
}
// Reads memory that nothing writes while the kernel runs.
template <class T> __device__ __forceinline__ T kgen_load_read_only(const T* pointer) {
    typedef typename kgen_word<sizeof(T)>::type word;
    word bits = __ldg((const word*)pointer);
    return (T&)bits;
}
template <class T> __device__ __forceinline__ void kgen_store(T* pointer, T value) {
    typedef typename kgen_word<sizeof(T)>::type word;
    *(word*)pointer = (word&)value;
}
