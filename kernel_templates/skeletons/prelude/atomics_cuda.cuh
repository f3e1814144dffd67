// SPDX-License-Identifier: MIT
// kgen prelude: the atomics that NVRTC lacks.
#define KGEN_SIGNED_ATOMIC(name) \
    KGEN_INLINE long long name(long long* p, long long x) { \
        return (long long)name((unsigned long long*)p, (unsigned long long)x); \
    }
KGEN_SIGNED_ATOMIC(atomicAdd) KGEN_SIGNED_ATOMIC(atomicExch)
KGEN_INLINE long long atomicSub(long long* p, long long x) { return atomicAdd(p, -x); }
KGEN_INLINE unsigned long long atomicSub(unsigned long long* p, unsigned long long x) { return atomicAdd(p, 0ull - x); }
KGEN_INLINE float atomicSub(float* p, float x) { return atomicAdd(p, -x); }
KGEN_INLINE double atomicSub(double* p, double x) { return atomicAdd(p, -x); }
KGEN_INLINE long long atomicCAS(long long* p, long long expected, long long x) {
    return (long long)atomicCAS((unsigned long long*)p, (unsigned long long)expected, (unsigned long long)x);
}
KGEN_INLINE double atomicExch(double* p, double x) {
    return __longlong_as_double(atomicExch((long long*)p, __double_as_longlong(x)));
}

// Atomically replaces *p by next(*p) and returns the old value. Bits is an integer of T's size. If the bits do not
// change, nothing is written.
template <class Bits, class T, class Next> KGEN_INLINE T kgen_atomic(T* p, Next next) {
    Bits seen = *(volatile Bits*)p, before;
    T old;
    do {
        before = seen;
        memcpy(&old, &before, sizeof old);
        T x = next(old);
        Bits bits;
        memcpy(&bits, &x, sizeof bits);
        if (bits == before) break;
        seen = atomicCAS((Bits*)p, before, bits);
    } while (seen != before);
    return old;
}
// Like fmax and fmin, these ignore a NaN if the other value is a number.
#define KGEN_ATOMIC(T, Bits, name, function) \
    KGEN_INLINE T name(T* p, T x) { \
        return kgen_atomic<Bits>(p, [=](T old) { return function(old, x); }); \
    }
KGEN_ATOMIC(float, unsigned, atomicMax, fmaxf) KGEN_ATOMIC(float, unsigned, atomicMin, fminf)
KGEN_ATOMIC(double, unsigned long long, atomicMax, fmax) KGEN_ATOMIC(double, unsigned long long, atomicMin, fmin)
#ifdef KGEN_NARROW
template <class T> KGEN_INLINE KGEN_NARROW(T, T) atomicAdd(T* p, typename kgen_if<true, T>::type x) {
#if __CUDA_ARCH__ >= 900
    T old;
    if (kgen_kind<T>::infinity == 0x7c00) {
        asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old.kgen_bits) : "l"(p), "h"(x.kgen_bits) : "memory");
    } else {
        asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old.kgen_bits) : "l"(p), "h"(x.kgen_bits) : "memory");
    }
    return old;
#else
    return kgen_atomic<unsigned short>(p, [=](T old) { return old + x; });
#endif
}
#define KGEN_ATOMIC_NARROW(name, function) \
    template <class T> KGEN_INLINE KGEN_NARROW(T, T) name(T* p, typename kgen_if<true, T>::type x) { \
        return kgen_atomic<unsigned short>(p, [=](T old) { return function(old, x); }); \
    }
KGEN_ATOMIC_NARROW(atomicMax, fmax) KGEN_ATOMIC_NARROW(atomicMin, fmin)
#endif
