// increment: T x -> T y
// types: T = uint8
// plan: contiguous, 16 elements an access
// --- the kernel ---
typedef unsigned char T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const unsigned char* kgen_data_x;
    unsigned char* kgen_data_y;
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_increment(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const unsigned char x, unsigned char& y) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "increment (operation)"
y = x + 1

; } while (false);
    };
#line N "increment.cu"
    const unsigned kgen_tile = 16 * kgen_block_size();
    const long long kgen_begin = (long long)kgen_block() * kgen_tile;
    const long long kgen_left = kgen_p.kgen_count - kgen_begin;
    if (kgen_left >= kgen_tile) {
        // A whole tile: all loads, then the bodies, then the stores.
        const long long kgen_first = kgen_begin + kgen_thread() * 16;
        kgen_vector<unsigned char, 16> kgen_of_x = kgen_load_read_only((const kgen_vector<unsigned char, 16>*)(kgen_p.kgen_data_x + kgen_first));
        kgen_vector<unsigned char, 16> kgen_of_y = kgen_load((kgen_vector<unsigned char, 16>*)(kgen_p.kgen_data_y + kgen_first));
#pragma unroll
        for (int kgen_e = 0; kgen_e < 16; ++kgen_e) {
            kgen_body(kgen_of_x.kgen_at[kgen_e], kgen_of_y.kgen_at[kgen_e]);
        }
        kgen_store((kgen_vector<unsigned char, 16>*)(kgen_p.kgen_data_y + kgen_first), kgen_of_y);
    } else {
        // A tile that is cut off: element by element.
        for (unsigned kgen_k = kgen_thread(); kgen_k < kgen_left; kgen_k += kgen_block_size()) {
            const long long kgen_at = kgen_begin + kgen_k;
            const unsigned char kgen_of_x = kgen_load_read_only(kgen_p.kgen_data_x + kgen_at);
            unsigned char kgen_of_y = kgen_load(kgen_p.kgen_data_y + kgen_at);
            kgen_body(kgen_of_x, kgen_of_y);
            kgen_store(kgen_p.kgen_data_y + kgen_at, kgen_of_y);
        }
    }
}
