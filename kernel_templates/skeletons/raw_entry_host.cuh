// SPDX-License-Identifier: MIT
// kgen: the entry points of kernels, whose parameters are deduced from the type of the kernel's address, and the
// table of kernels and variables. A row follows each of the user's declarations, so #if removes both or neither.
template <class... A> struct kgen_types {};
template <class... A> kgen_types<A...> kgen_types_of(void (*)(A...));
template <int... k> struct kgen_numbers {};
#ifdef __clang__
template <class, int... k> struct kgen_numbered { typedef kgen_numbers<k...> kgen_type; };
template <int n> struct kgen_count { typedef typename __make_integer_seq<kgen_numbered, int, n>::kgen_type kgen_type; };
#else
template <int n> struct kgen_count { typedef kgen_numbers<__integer_pack(n)...> kgen_type; };
#endif

// How the parameter block stores a parameter: a reference as a pointer. Kinds: 1 integer, 2 floating point, 3 pointer,
// 4 any other type.
template <class T> struct kgen_slot {
    typedef T kgen_type;
    enum { kgen_kind = __is_enum(T) ? 1 : kgen_kind<T>::value == 1 || kgen_kind<T>::value == 2 ? kgen_kind<T>::value : 4 };
    static KGEN_INLINE T kgen_load(const char* p) {
        alignas(T) char bytes[sizeof(T)];
        __builtin_memcpy(bytes, p, sizeof(T));
        return *(T*)bytes;
    }
};
template <class T> struct kgen_slot<T*> {
    typedef T* kgen_type;
    enum { kgen_kind = 3 };
    static KGEN_INLINE T* kgen_load(const char* p) {
        T* x;
        __builtin_memcpy(&x, p, sizeof x);
        return x;
    }
};
template <class T> struct kgen_slot<T&> {
    typedef T* kgen_type;
    enum { kgen_kind = 3 };
    static KGEN_INLINE T& kgen_load(const char* p) { return *kgen_slot<T*>::kgen_load(p); }
};
// Returns a text that contains the type as the compiler writes it: "... [with T = const float*]".
template <class T> constexpr const char* kgen_type_name() { return __PRETTY_FUNCTION__; }
template <class... A> constexpr unsigned kgen_offset(int k) {
    const unsigned bytes[] = {(unsigned)sizeof(typename kgen_slot<A>::kgen_type)..., 0};
    const unsigned aligned[] = {(unsigned)alignof(typename kgen_slot<A>::kgen_type)..., 1};
    unsigned at = 0;
    for (int i = 0; i < k; ++i) at = (at + aligned[i] - 1) / aligned[i] * aligned[i] + bytes[i];
    return (at + aligned[k] - 1) / aligned[k] * aligned[k];
}
template <class Types, class Numbers> struct kgen_parameter_table;
template <class... A, int... k> struct kgen_parameter_table<kgen_types<A...>, kgen_numbers<k...>> {
    static constexpr kgen_raw_parameter kgen_rows[] = {
        {kgen_offset<A...>(k), (unsigned)sizeof(typename kgen_slot<A>::kgen_type), (unsigned)kgen_slot<A>::kgen_kind,
         (unsigned)alignof(typename kgen_slot<A>::kgen_type), kgen_type_name<A>()}...,
        {0, 0, 0, 0, nullptr}};
};
template <class... A, int... k>
constexpr kgen_raw_parameter kgen_parameter_table<kgen_types<A...>, kgen_numbers<k...>>::kgen_rows[];

#ifdef __clang__
#define KGEN_THREADS_ARE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define KGEN_THREADS_ARE_INDEPENDENT _Pragma("GCC ivdep")
#endif
// Runs the threads along x. The variables are set again and bounded here. Without this, g++ cannot prove that the
// usual index, `int i = blockIdx.x * blockDim.x + threadIdx.x`, grows by 1 without overflow.
template <class F, F function, class... A> KGEN_INLINE void kgen_row(const uint3& block, unsigned width, A&... a) {
    kgen_now.kgen_block_index.x = block.x;
    kgen_now.kgen_block_dim.x = width;
    if (width == 0 || width > 1024 || block.x * width > 0x7fffffffu - 1024) __builtin_unreachable();
    KGEN_THREADS_ARE_INDEPENDENT
    for (unsigned x = 0; x < width; ++x) {
        threadIdx.x = x;
        function(static_cast<A>(a)...);
    }
}
template <class F, F function, class... A>
KGEN_INLINE void kgen_loop(const kgen_raw_launch* launch, long long count, A... a) {
    const unsigned width = launch->kgen_block_extents[0], height = launch->kgen_block_extents[1];
    const unsigned depth = launch->kgen_block_extents[2];
    kgen_plain_thread thread;
    F other = function;
    asm("" : "+r"(other));  // keeps calls of `other`, for indices beyond an int, from being inlined
    uint3 block = launch->kgen_first;
    for (; count > 0; --count) {
        const bool is_near = (unsigned long long)block.x * width <= 0x7fffffffull - 1024;
        kgen_now.kgen_block_index = block;
        for (unsigned z = 0; z < depth; ++z) {
            threadIdx.z = z;
            for (unsigned y = 0; y < height; ++y) {
                threadIdx.y = y;
                if (is_near) {
                    kgen_row<F, function, A...>(block, width, a...);
                    continue;
                }
                for (unsigned x = 0; x < width; ++x) {
                    threadIdx.x = x;
                    other(static_cast<A>(a)...);
                }
            }
        }
        kgen_next_block(block, launch->kgen_grid_extents);
    }
}
template <class F, F function, bool fibers, class Types, class Numbers> struct kgen_entry;
template <class F, F function, class... A, int... k>
struct kgen_entry<F, function, false, kgen_types<A...>, kgen_numbers<k...>> {
    static void kgen_run(const kgen_raw_launch* launch, long long count) {
        kgen_begin(launch);
        kgen_loop<F, function, A...>(launch, count,
                                     kgen_slot<A>::kgen_load(launch->kgen_parameters + kgen_offset<A...>(k))...);
    }
};
template <class F, F function, bool fibers, class Types> struct kgen_kernel;
template <class F, F function, bool fibers, class... A> struct kgen_kernel<F, function, fibers, kgen_types<A...>> {
    typedef typename kgen_count<(int)sizeof...(A)>::kgen_type kgen_all;
    static constexpr F kgen_function = function;
    static constexpr kgen_raw_row kgen_row(const char* name) {
        return {name,
                &kgen_entry<F, function, fibers, kgen_types<A...>, kgen_all>::kgen_run,
                nullptr,
                0,
                kgen_parameter_table<kgen_types<A...>, kgen_all>::kgen_rows,
                (int)sizeof...(A),
                fibers,
                &kgen_function};
    }
};
template <class F, F function, bool fibers, class... A>
constexpr F kgen_kernel<F, function, fibers, kgen_types<A...>>::kgen_function;
template <class P, P p, bool fibers> struct kgen_named {
    static_assert(sizeof(P) == 0, "it names no kernel and no variable; a variable is named by its address: &NAME");
};
template <class... A, void (*p)(A...), bool fibers>
struct kgen_named<void (*)(A...), p, fibers> : kgen_kernel<void (*)(A...), p, fibers, kgen_types<A...>> {};
template <class T, T* p, bool fibers> struct kgen_named<T*, p, fibers> {
    static constexpr kgen_raw_row kgen_row(const char* name) {
        return {name, nullptr, (void*)p, sizeof(T), nullptr, 0, false, nullptr};
    }
};
template <class T> struct kgen_plain { typedef T kgen_type; };
template <class T> struct kgen_plain<const T> { typedef T kgen_type; };

#define KGEN_JOIN_AGAIN(a, b) a##b
#define KGEN_JOIN(a, b) KGEN_JOIN_AGAIN(a, b)
#define KGEN_ROW(number, ...) \
    static const kgen_raw_row KGEN_JOIN(kgen_row_, number) __attribute__((__used__)) = __VA_ARGS__; \
    static const kgen_raw_row* const KGEN_JOIN(kgen_link_, number) \
        __attribute__((__used__, __section__("kgen_rows"))) = &KGEN_JOIN(kgen_row_, number);
// The rows of a kernel and of a variable. The type of the function selects one of its overloads.
#define KGEN_KERNEL(name, fibers, ...) \
    KGEN_ROW(__COUNTER__, kgen_kernel<decltype(__VA_ARGS__), __VA_ARGS__, fibers, \
                                      decltype(kgen_types_of(__VA_ARGS__))>::kgen_row(name))
#define KGEN_VARIABLE(name, variable) \
    KGEN_ROW(__COUNTER__, {name, nullptr, (void*)&variable, sizeof(variable), nullptr, 0, false, nullptr})
// The row of a name expression.
#define KGEN_NAMED(name, fibers, pointer) \
    KGEN_ROW(__COUNTER__, kgen_named<typename kgen_plain<decltype(pointer)>::kgen_type, pointer, fibers>::kgen_row(name))

static const kgen_raw_row* const kgen_no_row __attribute__((__used__, __section__("kgen_rows"))) = nullptr;
extern "C" __attribute__((__visibility__("hidden"))) const kgen_raw_row* const __start_kgen_rows[];
extern "C" __attribute__((__visibility__("hidden"))) const kgen_raw_row* const __stop_kgen_rows[];
#ifdef KGEN_FIBERS_BY_CONTEXT
#define KGEN_BY_CONTEXT true
#else
#define KGEN_BY_CONTEXT false
#endif
struct kgen_stack_use {
    char kgen_mark[24];
    unsigned long long kgen_all_bytes, kgen_largest_bytes;
};
static const kgen_stack_use kgen_frames __attribute__((__used__)) = {"kgen: bytes of frames:", ~0ull, 0};
struct kgen_raw_table {
    unsigned kgen_version;  // version of these structs, see host_raw_abi.hpp
    bool kgen_by_context, kgen_has_shared_arrays;
    unsigned long kgen_stack_bytes;
    const kgen_stack_use* kgen_frame_bytes;  // sizes of stack frames, which kgen writes into the object
    const kgen_raw_row* const* kgen_begin;
    const kgen_raw_row* const* kgen_end;
};
extern "C" __attribute__((__visibility__("default"), __used__)) const kgen_raw_table kgen_table = {
    2, KGEN_BY_CONTEXT, KGEN_HAS_SHARED_ARRAYS, KGEN_HOST_STACK_BYTES, &kgen_frames, __start_kgen_rows, __stop_kgen_rows};
