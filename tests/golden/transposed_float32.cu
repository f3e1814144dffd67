// squared_diff: T x, T y -> T z
// types: T = float32
// plan: tiles in shared memory over 2 axes, 4 elements an access, 1 square a thread, 32-bit offsets
// --- the kernel ---
typedef float T;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    const float* kgen_data_y;
    float* kgen_data_z;
    kgen_tile_shape kgen_tile;
    kgen_divisor kgen_extents[2];
    int kgen_strides_x[2];  // bytes
    int kgen_strides_y[2];  // bytes
    int kgen_strides_z[2];  // bytes
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_squared_diff(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float x, const float y, float& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "squared_diff (operation)"
z = (x - y) * (x - y)

; } while (false);
    };
#line N "squared_diff.cu"
    const kgen_tile_shape& kgen_tile = kgen_p.kgen_tile;
    // The block's tile: where it begins along a and b, and how far it reaches.
    const unsigned kgen_at = kgen_block();
    const unsigned kgen_q1 = kgen_divide(kgen_at, kgen_p.kgen_extents[1]);
    unsigned kgen_i1 = kgen_at - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
    unsigned kgen_i0 = kgen_q1;
    const long long kgen_begin_a = (long long)kgen_i1 * kgen_tile.kgen_tile_a;
    const long long kgen_begin_b = (long long)kgen_i0 * kgen_tile.kgen_tile_b;
    const int kgen_count_a = kgen_least(kgen_tile.kgen_extent_a - kgen_begin_a, kgen_tile.kgen_tile_a);
    const int kgen_count_b = kgen_least(kgen_tile.kgen_extent_b - kgen_begin_b, kgen_tile.kgen_tile_b);
    const float* const kgen_at_x = (const float*)((const char*)kgen_p.kgen_data_x + ((int)kgen_begin_b * kgen_p.kgen_strides_x[0] + (int)kgen_begin_a * kgen_p.kgen_strides_x[1]));
    const float* const kgen_at_y = (const float*)((const char*)kgen_p.kgen_data_y + ((int)kgen_begin_b * kgen_p.kgen_strides_y[0] + (int)kgen_begin_a * kgen_p.kgen_strides_y[1]));
    float* const kgen_at_z = (float*)((char*)kgen_p.kgen_data_z + ((int)kgen_begin_b * kgen_p.kgen_strides_z[0] + (int)kgen_begin_a * kgen_p.kgen_strides_z[1]));
    extern __shared__ __align__(16) unsigned char kgen_shared[];
    kgen_vector<float, 4>* const kgen_tile_y = (kgen_vector<float, 4>*)(kgen_shared + kgen_tile.kgen_room * (0));
    // Squares are read along b, turned in registers and kept by their vectors along a.
    int kgen_a = kgen_divide(kgen_thread(), kgen_tile.kgen_by_squares_b);
    int kgen_b = kgen_thread() - kgen_a * kgen_tile.kgen_squares_b;
    for (int kgen_m = 0; kgen_m < kgen_tile.kgen_squares_a * kgen_tile.kgen_squares_b; kgen_m += 1 * kgen_block_size()) {
        kgen_square<float, 4> kgen_in_y[1];
        int kgen_slot[1];  // in shared memory; -1: outside of the array
#pragma unroll
        for (int kgen_u = 0; kgen_u < 1; ++kgen_u) {
            kgen_slot[kgen_u] = -1;
            if (kgen_a * 4 < kgen_count_a && kgen_b * 4 < kgen_count_b) {
                kgen_slot[kgen_u] = kgen_b * kgen_tile.kgen_pitch + kgen_a;
#pragma unroll
                for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
                    kgen_in_y[kgen_u].kgen_row[kgen_e] = kgen_load_line((const kgen_square<float, 4>::row*)(const float*)((const char*)kgen_at_y + ((int)(kgen_a * 4 + kgen_e) * kgen_p.kgen_strides_y[1] + (int)kgen_b * 4 * kgen_p.kgen_strides_y[0])));
                }
            }
            kgen_step(kgen_a, kgen_b, kgen_tile.kgen_square_step_a, kgen_tile.kgen_square_step_b, kgen_tile.kgen_squares_b);
        }
#pragma unroll
        for (int kgen_u = 0; kgen_u < 1; ++kgen_u) {
            if (kgen_slot[kgen_u] >= 0) {
                kgen_square<float, 4> kgen_turned_y;
                kgen_turn(kgen_in_y[kgen_u], kgen_turned_y);
#pragma unroll
                for (int kgen_e = 0; kgen_e < 4; ++kgen_e) (kgen_square<float, 4>::row&)kgen_tile_y[kgen_slot[kgen_u] + kgen_e * kgen_tile.kgen_squares_b * kgen_tile.kgen_pitch] = kgen_turned_y.kgen_row[kgen_e];
            }
        }
    }
    __syncthreads();
    // Rows along a: the tile's vectors from shared memory, all others from where they lie.
    kgen_b = kgen_divide(kgen_thread(), kgen_tile.kgen_by_squares_a);
    kgen_a = kgen_thread() - kgen_b * kgen_tile.kgen_squares_a;
    for (int kgen_m = 0; kgen_m < kgen_tile.kgen_squares_a * kgen_tile.kgen_tile_b; kgen_m += 4 * kgen_block_size()) {
        kgen_vector<float, 4> kgen_of_x[4];
        kgen_vector<float, 4> kgen_of_y[4];
        kgen_vector<float, 4> kgen_of_z[4];
        int kgen_rows[4], kgen_vectors[4];  // -1: outside of the array
#pragma unroll
        for (int kgen_r = 0; kgen_r < 4; ++kgen_r) {
            kgen_rows[kgen_r] = -1;
            if (kgen_b < kgen_count_b && kgen_a * 4 < kgen_count_a) {
                kgen_rows[kgen_r] = kgen_b;
                kgen_vectors[kgen_r] = kgen_a;
                kgen_of_x[kgen_r] = kgen_load_read_only((const kgen_vector<float, 4>*)((const float*)((const char*)kgen_at_x + ((int)kgen_rows[kgen_r] * kgen_p.kgen_strides_x[0] + (int)kgen_vectors[kgen_r] * 4 * kgen_p.kgen_strides_x[1]))));
                kgen_of_y[kgen_r] = kgen_tile_y[((unsigned)kgen_b % 4 * kgen_tile.kgen_squares_b + (unsigned)kgen_b / 4) * kgen_tile.kgen_pitch + kgen_a];
                kgen_of_z[kgen_r] = kgen_load((kgen_vector<float, 4>*)((float*)((char*)kgen_at_z + ((int)kgen_rows[kgen_r] * kgen_p.kgen_strides_z[0] + (int)kgen_vectors[kgen_r] * 4 * kgen_p.kgen_strides_z[1]))));
            }
            kgen_step(kgen_b, kgen_a, kgen_tile.kgen_row_step_b, kgen_tile.kgen_row_step_a, kgen_tile.kgen_squares_a);
        }
#pragma unroll
        for (int kgen_r = 0; kgen_r < 4; ++kgen_r) {
            if (kgen_rows[kgen_r] >= 0) {
#pragma unroll
                for (int kgen_e = 0; kgen_e < 4; ++kgen_e) {
                    kgen_body(kgen_of_x[kgen_r].kgen_at[kgen_e], kgen_of_y[kgen_r].kgen_at[kgen_e], kgen_of_z[kgen_r].kgen_at[kgen_e]);
                }
                kgen_store((kgen_vector<float, 4>*)((float*)((char*)kgen_at_z + ((int)kgen_rows[kgen_r] * kgen_p.kgen_strides_z[0] + (int)kgen_vectors[kgen_r] * 4 * kgen_p.kgen_strides_z[1]))), kgen_of_z[kgen_r]);
            }
        }
    }
}
