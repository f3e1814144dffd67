// every_other: T x -> T y
// types: T = int32
// plan: strided over 2 axes, 4 elements an access, 32-bit offsets
// --- the kernel ---
typedef int T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const int* kgen_data_x;
    int* kgen_data_y;
    kgen_divisor kgen_extents[2];
    int kgen_strides_x[2];  // bytes
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_every_other(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const ptrdiff_t kgen_i, const int x, int& y) __attribute__((always_inline)) {
        const ptrdiff_t i = kgen_i;
        do {  // the user's text, as it was written
#line 1 "every_other (operation)"
y = x + i

; } while (false);
    };
#line N "every_other.cu"
    const unsigned kgen_tile = 4 * kgen_block_size();
    const long long kgen_begin = (long long)kgen_block() * kgen_tile;
    const long long kgen_left = kgen_p.kgen_count - kgen_begin;
    if (kgen_left >= kgen_tile) {
        // A whole tile: all loads, then the bodies, then the stores.
        const long long kgen_first = kgen_begin + kgen_thread() * 4;
        const unsigned kgen_q1 = kgen_divide((unsigned)kgen_first, kgen_p.kgen_extents[1]);
        unsigned kgen_i1 = (unsigned)kgen_first - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
        unsigned kgen_i0 = kgen_q1;
        int kgen_offset_x = (int)kgen_i0 * kgen_p.kgen_strides_x[0] + (int)kgen_i1 * kgen_p.kgen_strides_x[1];
        kgen_vector<int, 4> kgen_of_x;
        kgen_vector<int, 4> kgen_of_y = kgen_load((kgen_vector<int, 4>*)(kgen_p.kgen_data_y + kgen_first));
#pragma unroll
        for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
            kgen_of_x.kgen_at[kgen_e] = kgen_load_read_only((const int*)((const char*)kgen_p.kgen_data_x + kgen_offset_x));
            kgen_offset_x = kgen_forth(kgen_offset_x, kgen_p.kgen_strides_x[1]);
            if (++kgen_i1 == kgen_extent_of(kgen_p.kgen_extents[1])) {
                kgen_i1 = 0;
                kgen_offset_x = kgen_back(kgen_offset_x, kgen_extent_of(kgen_p.kgen_extents[1]), kgen_p.kgen_strides_x[1]);
                kgen_offset_x = kgen_forth(kgen_offset_x, kgen_p.kgen_strides_x[0]);
            }
        }
#pragma unroll
        for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
            kgen_body(kgen_first + kgen_e, kgen_of_x.kgen_at[kgen_e], kgen_of_y.kgen_at[kgen_e]);
        }
        kgen_store((kgen_vector<int, 4>*)(kgen_p.kgen_data_y + kgen_first), kgen_of_y);
    } else {
        // A tile that is cut off: element by element.
        for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_left; kgen_k += kgen_block_size()) {
            const long long kgen_at = kgen_begin + kgen_k;
            const unsigned kgen_q1 = kgen_divide((unsigned)kgen_at, kgen_p.kgen_extents[1]);
            unsigned kgen_i1 = (unsigned)kgen_at - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
            unsigned kgen_i0 = kgen_q1;
            int kgen_offset_x = (int)kgen_i0 * kgen_p.kgen_strides_x[0] + (int)kgen_i1 * kgen_p.kgen_strides_x[1];
            const int kgen_of_x = kgen_load_read_only((const int*)((const char*)kgen_p.kgen_data_x + kgen_offset_x));
            int kgen_of_y = kgen_load(kgen_p.kgen_data_y + kgen_at);
            kgen_body(kgen_at, kgen_of_x, kgen_of_y);
            kgen_store(kgen_p.kgen_data_y + kgen_at, kgen_of_y);
        }
    }
}
