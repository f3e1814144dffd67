// SPDX-License-Identifier: MIT
// kgen: the state of a fold (the accumulator of the elements so far), and compensated sums.

// Storage for a value of any trivially copyable type, which may have no default constructor.
template <class A> union kgen_slot {
    A kgen_value;
    __device__ __forceinline__ kgen_slot() {}
};

// Folds a value into `sum`. For large accumulators this code is not inlined, because compilers take minutes for many
// copies of it.
template <class A, class Reduce> __device__ __noinline__ void kgen_reduce_apart(A& sum, const A& value, const Reduce& reduce) {
    sum = reduce(sum, value);
}
template <class A, class Reduce>
__device__ __forceinline__ void kgen_reduce_into(A& sum, const A& value, const Reduce& reduce) {
    if (sizeof(A) > 128) kgen_reduce_apart(sum, value, reduce);
    else sum = reduce(sum, value);
}

// An accumulator. If it does not start from an identity, it has no value before the first one is added.
template <class A, bool starts> struct kgen_fold;
template <class A> struct kgen_fold<A, true> {
    kgen_slot<A> kgen_at;
    __device__ __forceinline__ bool kgen_some() const { return true; }
    template <class Reduce> __device__ __forceinline__ void kgen_add(const A& value, const Reduce& reduce) {
        kgen_reduce_into(kgen_at.kgen_value, value, reduce);
    }
};
template <class A> struct kgen_fold<A, false> {
    kgen_slot<A> kgen_at;
    // No bool: g++ 12 at -O2 loses a bool that is copied by words together with the bytes behind it, which the emulated test of
    // 40-byte structs shows.
    int kgen_any;
    __device__ __forceinline__ kgen_fold() : kgen_any(0) {}
    __device__ __forceinline__ bool kgen_some() const { return kgen_any != 0; }
    template <class Reduce> __device__ __forceinline__ void kgen_add(const A& value, const Reduce& reduce) {
        if (kgen_any) kgen_reduce_into(kgen_at.kgen_value, value, reduce);
        else kgen_at.kgen_value = value;
        kgen_any = 1;
    }
};
template <class Fold, class Reduce>
__device__ __forceinline__ void kgen_merge(Fold& fold, const Fold& other, const Reduce& reduce) {
    if (other.kgen_some()) fold.kgen_add(other.kgen_at.kgen_value, reduce);
}

// Compensated sums: a sum and the rounding errors of its additions, by the error-free sum of Knuth (The Art of Computer
// Programming 2, section 4.2.2, theorem B). No addition may be fused with a multiplication of the map: kgen_plus is a
// separate addition, and kgen_rounded is a value that g++ does not fuse with a later operation.
template <class T> __device__ __forceinline__ T kgen_plus(T a, T b) { return a + b; }
#ifndef KGEN_ON_HOST
__device__ __forceinline__ float kgen_plus(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ double kgen_plus(double a, double b) { return __dadd_rn(a, b); }
#endif
#if defined(KGEN_ON_HOST) && !defined(__clang__) && __GNUC__ >= 12
#define KGEN_ROUNDED(x) __builtin_assoc_barrier(x)
#else
#define KGEN_ROUNDED(x) (x)
#endif
template <class T> __device__ __forceinline__ T kgen_rounded(const T& value, ...) { return value; }
__device__ __forceinline__ float kgen_rounded(float value, int) { return KGEN_ROUNDED(value); }
__device__ __forceinline__ double kgen_rounded(double value, int) { return KGEN_ROUNDED(value); }
template <class C>
__device__ __forceinline__ auto kgen_rounded(const C& value, int) -> decltype(C(value.kgen_real, value.kgen_imag)) {
    return C(KGEN_ROUNDED(value.kgen_real), KGEN_ROUNDED(value.kgen_imag));
}
// The total of a sum and its error. The error of an infinite sum is NaN and is ignored.
template <class T> __device__ __forceinline__ T kgen_whole(const T& sum, const T& lost, ...) {
    return kgen_plus(sum, lost);
}
__device__ __forceinline__ float kgen_whole(float sum, float lost, int) {
    return lost == lost ? kgen_plus(sum, lost) : sum;
}
__device__ __forceinline__ double kgen_whole(double sum, double lost, int) {
    return lost == lost ? kgen_plus(sum, lost) : sum;
}
template <class C>
__device__ __forceinline__ auto kgen_whole(const C& sum, const C& lost, int)
    -> decltype(C(sum.kgen_real, sum.kgen_imag)) {
    return C(kgen_whole(sum.kgen_real, lost.kgen_real, 0), kgen_whole(sum.kgen_imag, lost.kgen_imag, 0));
}
template <class T> struct kgen_compensated {
    T kgen_sum, kgen_lost;
    __device__ __forceinline__ kgen_compensated() {}
    __device__ __forceinline__ explicit kgen_compensated(T value)
        : kgen_sum(kgen_rounded(value, 0)), kgen_lost(value - value) {}
    __device__ __forceinline__ T kgen_total() const { return kgen_whole(kgen_sum, kgen_lost, 0); }
};
template <class T>
__device__ __forceinline__ kgen_compensated<T> kgen_add_compensated(const kgen_compensated<T>& a,
                                                                    const kgen_compensated<T>& b) {
    kgen_compensated<T> sum;
    sum.kgen_sum = kgen_plus(a.kgen_sum, b.kgen_sum);
    const T of_b = kgen_plus(sum.kgen_sum, -a.kgen_sum);
    const T of_a = kgen_plus(sum.kgen_sum, -of_b);
    const T lost = kgen_plus(kgen_plus(a.kgen_sum, -of_a), kgen_plus(b.kgen_sum, -of_b));
    sum.kgen_lost = kgen_plus(lost, kgen_plus(a.kgen_lost, b.kgen_lost));
    return sum;
}
