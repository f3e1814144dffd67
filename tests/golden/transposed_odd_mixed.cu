// mixed: T x, U y, V w -> V z
// types: T = float32, U = float16, V = float64
// plan: tiles in shared memory over 3 axes, 1 element an access, 4 squares a thread, 32-bit offsets
// --- the kernel ---
typedef float T;
typedef float16 U;
typedef double V;
// --- its parameters and its loop ---
struct kgen_parameters {
    long long kgen_count;
    const float* kgen_data_x;
    const float16* kgen_data_y;
    const double* kgen_data_w;
    double* kgen_data_z;
    kgen_tile_shape kgen_tile;
    kgen_divisor kgen_extents[3];
    int kgen_strides_x[3];  // bytes
    int kgen_strides_y[3];  // bytes
    int kgen_strides_w[3];  // bytes
    int kgen_strides_z[3];  // bytes
};
extern "C" __global__ void __launch_bounds__(256)
kgen_kernel_mixed(const __grid_constant__ kgen_parameters kgen_p) {
    // The body, for one element: continue, break and return end that element.
    const auto kgen_body = [&](const float x, const float16 y, const double w, double& z) __attribute__((always_inline)) {
        do {  // the user's text, as it was written
#line 1 "mixed (operation)"
z = x + y * w

; } while (false);
    };
#line N "mixed.cu"
    const kgen_tile_shape& kgen_tile = kgen_p.kgen_tile;
    // The block's tile: where it begins along a and b, and how far it reaches.
    const unsigned kgen_at = kgen_block();
    const unsigned kgen_q2 = kgen_divide(kgen_at, kgen_p.kgen_extents[2]);
    unsigned kgen_i2 = kgen_at - kgen_q2 * kgen_extent_of(kgen_p.kgen_extents[2]);
    const unsigned kgen_q1 = kgen_divide(kgen_q2, kgen_p.kgen_extents[1]);
    unsigned kgen_i1 = kgen_q2 - kgen_q1 * kgen_extent_of(kgen_p.kgen_extents[1]);
    unsigned kgen_i0 = kgen_q1;
    const long long kgen_begin_a = (long long)kgen_i2 * kgen_tile.kgen_tile_a;
    const long long kgen_begin_b = (long long)kgen_i1 * kgen_tile.kgen_tile_b;
    const int kgen_count_a = kgen_least(kgen_tile.kgen_extent_a - kgen_begin_a, kgen_tile.kgen_tile_a);
    const int kgen_count_b = kgen_least(kgen_tile.kgen_extent_b - kgen_begin_b, kgen_tile.kgen_tile_b);
    const float* const kgen_at_x = (const float*)((const char*)kgen_p.kgen_data_x + ((int)kgen_i0 * kgen_p.kgen_strides_x[0] + (int)kgen_begin_b * kgen_p.kgen_strides_x[1] + (int)kgen_begin_a * kgen_p.kgen_strides_x[2]));
    const float16* const kgen_at_y = (const float16*)((const char*)kgen_p.kgen_data_y + ((int)kgen_i0 * kgen_p.kgen_strides_y[0] + (int)kgen_begin_b * kgen_p.kgen_strides_y[1] + (int)kgen_begin_a * kgen_p.kgen_strides_y[2]));
    const double* const kgen_at_w = (const double*)((const char*)kgen_p.kgen_data_w + ((int)kgen_i0 * kgen_p.kgen_strides_w[0] + (int)kgen_begin_b * kgen_p.kgen_strides_w[1] + (int)kgen_begin_a * kgen_p.kgen_strides_w[2]));
    double* const kgen_at_z = (double*)((char*)kgen_p.kgen_data_z + ((int)kgen_i0 * kgen_p.kgen_strides_z[0] + (int)kgen_begin_b * kgen_p.kgen_strides_z[1] + (int)kgen_begin_a * kgen_p.kgen_strides_z[2]));
    extern __shared__ __align__(16) unsigned char kgen_shared[];
    kgen_vector<float16, 1>* const kgen_tile_y = (kgen_vector<float16, 1>*)(kgen_shared + kgen_tile.kgen_room * (0));
    // Squares are read along b, turned in registers and kept by their vectors along a.
    int kgen_a = kgen_divide(kgen_thread(), kgen_tile.kgen_by_squares_b);
    int kgen_b = kgen_thread() - kgen_a * kgen_tile.kgen_squares_b;
    for (int kgen_m = 0; kgen_m < kgen_tile.kgen_squares_a * kgen_tile.kgen_squares_b; kgen_m += 4 * kgen_block_size()) {
        kgen_square<float16, 1> kgen_in_y[4];
        int kgen_slot[4];  // in shared memory; -1: outside of the array
#pragma unroll
        for (int kgen_u = 0; kgen_u < 4; ++kgen_u) {
            kgen_slot[kgen_u] = -1;
            if (kgen_a * 1 < kgen_count_a && kgen_b * 1 < kgen_count_b) {
                kgen_slot[kgen_u] = kgen_b * kgen_tile.kgen_pitch + kgen_a;
#pragma unroll
                for (int kgen_e = 0; kgen_e < 1; ++kgen_e) {
                    kgen_in_y[kgen_u].kgen_row[kgen_e] = kgen_load_line((const kgen_square<float16, 1>::row*)(const float16*)((const char*)kgen_at_y + ((int)(kgen_a * 1 + kgen_e) * kgen_p.kgen_strides_y[2] + (int)kgen_b * 1 * kgen_p.kgen_strides_y[1])));
                }
            }
            kgen_step(kgen_a, kgen_b, kgen_tile.kgen_square_step_a, kgen_tile.kgen_square_step_b, kgen_tile.kgen_squares_b);
        }
#pragma unroll
        for (int kgen_u = 0; kgen_u < 4; ++kgen_u) {
            if (kgen_slot[kgen_u] >= 0) {
                kgen_square<float16, 1> kgen_turned_y;
                kgen_turn(kgen_in_y[kgen_u], kgen_turned_y);
#pragma unroll
                for (int kgen_e = 0; kgen_e < 1; ++kgen_e) (kgen_square<float16, 1>::row&)kgen_tile_y[kgen_slot[kgen_u] + kgen_e * kgen_tile.kgen_squares_b * kgen_tile.kgen_pitch] = kgen_turned_y.kgen_row[kgen_e];
            }
        }
    }
    __syncthreads();
    // Rows along a: the tile's vectors from shared memory, all others from where they lie.
    kgen_b = kgen_divide(kgen_thread(), kgen_tile.kgen_by_squares_a);
    kgen_a = kgen_thread() - kgen_b * kgen_tile.kgen_squares_a;
    for (int kgen_m = 0; kgen_m < kgen_tile.kgen_squares_a * kgen_tile.kgen_tile_b; kgen_m += 4 * kgen_block_size()) {
        kgen_vector<float, 1> kgen_of_x[4];
        kgen_vector<float16, 1> kgen_of_y[4];
        double kgen_of_w[4];
        kgen_vector<double, 1> kgen_of_z[4];
        int kgen_rows[4], kgen_vectors[4];  // -1: outside of the array
#pragma unroll
        for (int kgen_r = 0; kgen_r < 4; ++kgen_r) {
            kgen_rows[kgen_r] = -1;
            if (kgen_b < kgen_count_b && kgen_a * 1 < kgen_count_a) {
                kgen_rows[kgen_r] = kgen_b;
                kgen_vectors[kgen_r] = kgen_a;
                kgen_of_x[kgen_r] = kgen_load_read_only((const kgen_vector<float, 1>*)((const float*)((const char*)kgen_at_x + ((int)kgen_rows[kgen_r] * kgen_p.kgen_strides_x[1] + (int)kgen_vectors[kgen_r] * 1 * kgen_p.kgen_strides_x[2]))));
                kgen_of_y[kgen_r] = kgen_tile_y[((unsigned)kgen_b % 1 * kgen_tile.kgen_squares_b + (unsigned)kgen_b / 1) * kgen_tile.kgen_pitch + kgen_a];
                kgen_of_w[kgen_r] = kgen_load_read_only((const double*)((const char*)kgen_at_w + ((int)kgen_rows[kgen_r] * kgen_p.kgen_strides_w[1] + (int)kgen_vectors[kgen_r] * 1 * kgen_p.kgen_strides_w[2])));
                kgen_of_z[kgen_r] = kgen_load((kgen_vector<double, 1>*)((double*)((char*)kgen_at_z + ((int)kgen_rows[kgen_r] * kgen_p.kgen_strides_z[1] + (int)kgen_vectors[kgen_r] * 1 * kgen_p.kgen_strides_z[2]))));
            }
            kgen_step(kgen_b, kgen_a, kgen_tile.kgen_row_step_b, kgen_tile.kgen_row_step_a, kgen_tile.kgen_squares_a);
        }
#pragma unroll
        for (int kgen_r = 0; kgen_r < 4; ++kgen_r) {
            if (kgen_rows[kgen_r] >= 0) {
#pragma unroll
                for (int kgen_e = 0; kgen_e < 1; ++kgen_e) {
                    kgen_body(kgen_of_x[kgen_r].kgen_at[kgen_e], kgen_of_y[kgen_r].kgen_at[kgen_e], kgen_of_w[kgen_r], kgen_of_z[kgen_r].kgen_at[kgen_e]);
                }
                kgen_store((kgen_vector<double, 1>*)((double*)((char*)kgen_at_z + ((int)kgen_rows[kgen_r] * kgen_p.kgen_strides_z[1] + (int)kgen_vectors[kgen_r] * 1 * kgen_p.kgen_strides_z[2]))), kgen_of_z[kgen_r]);
            }
        }
    }
}
