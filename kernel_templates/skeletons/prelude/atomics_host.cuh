// SPDX-License-Identifier: MIT
// kgen prelude: CUDA's atomics and fences on the host. Atomics have relaxed order, as in CUDA.
template <class Bits, class T, class Next> KGEN_INLINE T kgen_atomic(T* p, Next next) {
    Bits seen = __atomic_load_n((Bits*)p, __ATOMIC_RELAXED), bits;
    T old, x;
    do {
        __builtin_memcpy(&old, &seen, sizeof old);
        x = next(old);
        __builtin_memcpy(&bits, &x, sizeof bits);
        if (bits == seen) break;
    } while (!__atomic_compare_exchange_n((Bits*)p, &seen, bits, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}
// Defines a function and its variants with the suffix of a scope.
#define KGEN_ATOMIC(T, name, statement) \
    KGEN_INLINE T name(T* p, T x) { return statement; } \
    KGEN_INLINE T name##_block(T* p, T x) { return statement; } \
    KGEN_INLINE T name##_system(T* p, T x) { return statement; }
#define KGEN_ATOMIC_NEXT(T, Bits, name, expression) \
    KGEN_ATOMIC(T, name, (kgen_atomic<Bits>(p, [=](T old) -> T { return expression; })))
#define KGEN_ATOMIC_INTEGER(T) \
    KGEN_ATOMIC(T, atomicAdd, __atomic_fetch_add(p, x, __ATOMIC_RELAXED)) \
    KGEN_ATOMIC(T, atomicSub, __atomic_fetch_sub(p, x, __ATOMIC_RELAXED)) \
    KGEN_ATOMIC(T, atomicExch, __atomic_exchange_n(p, x, __ATOMIC_RELAXED)) \
    KGEN_ATOMIC(T, atomicAnd, __atomic_fetch_and(p, x, __ATOMIC_RELAXED)) \
    KGEN_ATOMIC(T, atomicOr, __atomic_fetch_or(p, x, __ATOMIC_RELAXED)) \
    KGEN_ATOMIC(T, atomicXor, __atomic_fetch_xor(p, x, __ATOMIC_RELAXED)) \
    KGEN_ATOMIC_NEXT(T, T, atomicMax, old < x ? x : old) \
    KGEN_ATOMIC_NEXT(T, T, atomicMin, x < old ? x : old)
KGEN_ATOMIC_INTEGER(int) KGEN_ATOMIC_INTEGER(unsigned)
KGEN_ATOMIC_INTEGER(long long) KGEN_ATOMIC_INTEGER(unsigned long long)
KGEN_ATOMIC_NEXT(unsigned, unsigned, atomicInc, old >= x ? 0 : old + 1)
KGEN_ATOMIC_NEXT(unsigned, unsigned, atomicDec, old == 0 || old > x ? x : old - 1)
#define KGEN_ATOMIC_FLOAT(T, Bits) \
    KGEN_ATOMIC_NEXT(T, Bits, atomicAdd, old + x) KGEN_ATOMIC_NEXT(T, Bits, atomicSub, old - x) \
    KGEN_ATOMIC_NEXT(T, Bits, atomicExch, ((void)old, x)) \
    KGEN_ATOMIC_NEXT(T, Bits, atomicMax, fmax(old, x)) KGEN_ATOMIC_NEXT(T, Bits, atomicMin, fmin(old, x))
KGEN_ATOMIC_FLOAT(float, unsigned) KGEN_ATOMIC_FLOAT(double, unsigned long long)
#ifdef KGEN_NARROW
#define KGEN_ATOMIC_NARROW(name, expression) \
    template <class T> KGEN_INLINE KGEN_NARROW(T, T) name(T* p, typename kgen_if<true, T>::type x) { \
        return kgen_atomic<unsigned short>(p, [=](T old) -> T { return expression; }); \
    }
KGEN_ATOMIC_NARROW(atomicAdd, old + x)
KGEN_ATOMIC_NARROW(atomicMax, fmax(old, x)) KGEN_ATOMIC_NARROW(atomicMin, fmin(old, x))
#endif
#define KGEN_ATOMIC_CAS(T, name) \
    KGEN_INLINE T name(T* p, T expected, T x) { \
        __atomic_compare_exchange_n(p, &expected, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected; \
    }
#define KGEN_ATOMIC_CAS_ALL(T) \
    KGEN_ATOMIC_CAS(T, atomicCAS) KGEN_ATOMIC_CAS(T, atomicCAS_block) KGEN_ATOMIC_CAS(T, atomicCAS_system)
KGEN_ATOMIC_CAS_ALL(int) KGEN_ATOMIC_CAS_ALL(unsigned) KGEN_ATOMIC_CAS_ALL(unsigned short)
KGEN_ATOMIC_CAS_ALL(long long) KGEN_ATOMIC_CAS_ALL(unsigned long long)
KGEN_INLINE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KGEN_INLINE void __threadfence_block() { __threadfence(); }
KGEN_INLINE void __threadfence_system() { __threadfence(); }
