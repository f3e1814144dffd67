// SPDX-License-Identifier: MIT
//
// CUDA C++ kernels that give the same results on every device, with their expected results.
#pragma once

#include <string>

namespace kgen::test {

inline const std::string saxpy_source = R"(
extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + y[i];
}
)";

// 3-D positions: out[i] holds the position of thread i in its thread block and in the grid.
inline const std::string places_source = R"(
struct Place { unsigned thread[3], block[3], block_extents[3], grid_extents[3]; };
__global__ void places(Place* out) {
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    Place& place = out[block * (blockDim.x * blockDim.y * blockDim.z) + thread];
    place = {{threadIdx.x, threadIdx.y, threadIdx.z},
             {blockIdx.x, blockIdx.y, blockIdx.z},
             {blockDim.x, blockDim.y, blockDim.z},
             {gridDim.x, gridDim.y, gridDim.z}};
}
)";

// The matrix product of the tutorials: c = a b for n by n matrices, where n is a multiple of 16.
inline const std::string matmul_source = R"(
constexpr int tile = 16;
__global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float s[tile][tile];
    __shared__ float t[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += tile) {
        s[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < tile; ++i) sum += s[threadIdx.y][i] * t[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
)";

// out[block] is the sum of the block's elements. Blocks consist of whole warps.
inline const std::string block_sum_source = R"(
__device__ float warp_sum(float x) {
    for (int distance = 16; distance > 0; distance /= 2) x += __shfl_down_sync(0xffffffff, x, distance);
    return x;
}
__global__ void block_sum(const float* x, float* out, int n) {
    __shared__ float sums[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float sum = warp_sum(i < n ? x[i] : 0);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < blockDim.x / warpSize ? sums[lane] : 0);
        if (lane == 0) out[blockIdx.x] = sum;
    }
}
)";

// Writes the block's elements in reverse order, through shared memory whose size the launch gives.
inline const std::string reverse_source = R"(
__global__ void reverse(const int* x, int* out) {
    extern __shared__ __align__(16) int s[];
    const int block = blockIdx.x * blockDim.x;
    s[threadIdx.x] = x[block + threadIdx.x];
    __syncthreads();
    out[block + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
)";

// All shuffles of x[lane] for one type and width. Each thread writes four results.
inline const std::string shuffles_source = R"(
template <class T, int width> __global__ void shuffles(const T* x, T* out) {
    const int i = threadIdx.x;
    const unsigned all = 0xffffffff;
    out[4 * i + 0] = __shfl_sync(all, x[i], i + 3, width);
    out[4 * i + 1] = __shfl_up_sync(all, x[i], 3, width);
    out[4 * i + 2] = __shfl_down_sync(all, x[i], 3, width);
    out[4 * i + 3] = __shfl_xor_sync(all, x[i], 5, width);
}
)";

// Two groups of lanes do different work: the even lanes add by shuffles, the odd lanes vote.
inline const std::string groups_source = R"(
__global__ void groups(const int* x, int* out) {
    const int i = threadIdx.x, lane = i % 32;
    const unsigned even = 0x55555555, odd = 0xaaaaaaaa;
    if (lane % 2 == 0) {
        int sum = x[i];
        for (int distance = 2; distance < 32; distance *= 2) sum += __shfl_xor_sync(even, sum, distance);
        out[i] = sum;
    } else {
        const unsigned votes = __ballot_sync(odd, x[i] > 3);
        const int any = __any_sync(odd, x[i] == 7), every = __all_sync(odd, x[i] < 100);
        out[i] = (int)(votes >> 1) ^ (any << 30) ^ (every << 29);
    }
    __syncwarp();
    out[i] += __shfl_sync(0xffffffff, x[i], 0);
}
)";

// Threads beyond n return before the barrier. Each of the others writes how many threads reached it.
inline const std::string early_exit_source = R"(
__global__ void early_exit(int* out, int n) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x >= n) return;
    atomicAdd(&count, 1);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = count;
}
)";

inline const std::string atomics_source = R"(
__device__ unsigned long long total;
__global__ void histogram(const int* x, int* bins, float* sum, int* most, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[x[i]], 1);
        atomicAdd(sum, 1.0f);
        atomicMax(most, x[i]);
        atomicAdd(&total, (unsigned long long)x[i]);
    }
}
)";

// Counts and combinations by barriers and warps. Each thread writes ten results.
inline const std::string votes_source = R"(
__global__ void votes(const int* x, int* out) {
    const int i = threadIdx.x;
    const unsigned all = 0xffffffff;
    int* mine = out + 10 * i;
    mine[0] = __syncthreads_count(x[i] > 3);
    mine[1] = __syncthreads_and(x[i] >= 0);
    mine[2] = __syncthreads_or(x[i] == 5);
    mine[3] = (int)__match_any_sync(all, x[i]);
    int same = -1;
    mine[4] = (int)__match_all_sync(all, x[i], &same);
    mine[5] = same;
    mine[6] = __reduce_add_sync(all, x[i]);
    mine[7] = __reduce_min_sync(all, x[i] - 4);
    mine[8] = (int)__reduce_max_sync(all, (unsigned)(x[i] - 4));
    mine[9] = (int)__reduce_xor_sync(all, (unsigned)x[i]);
}
)";

}  // namespace kgen::test
