// SPDX-License-Identifier: MIT
//
// Whole kernels in CUDA C++: saxpy, a template with shared memory, a reduction by shuffles, a variable in
// constant memory. The same text runs on a GPU or, without one, on the CPU.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

namespace {

const char* const text = R"(
    __global__ void saxpy(float a, const float* x, float* y, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = a * x[i] + y[i];
    })";

// The tiled matrix product of the CUDA tutorials. Each block copies tiles to shared memory and multiplies
// them.
const char* const product = R"(
    template <typename T, int tile>
    __global__ void matmul(const T* a, const T* b, T* c, int n) {
        __shared__ T left[tile][tile];
        __shared__ T right[tile][tile];
        const int row = blockIdx.y * tile + threadIdx.y;
        const int column = blockIdx.x * tile + threadIdx.x;
        T sum = 0;
        for (int at = 0; at < n; at += tile) {
            left[threadIdx.y][threadIdx.x] = a[row * n + at + threadIdx.x];
            right[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column];
            __syncthreads();
            for (int k = 0; k < tile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
            __syncthreads();
        }
        c[row * n + column] = sum;
    })";

const char* const statistics = R"(
    #include <cstdint>

    __constant__ float scale = 1;

    // The sum of each warp by shuffles, then of all by atomics. No extern "C" is needed.
    __global__ void scaled_sum(const float* x, double* sum, int64_t n) {
        const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
        float own = i < n ? scale * x[i] : 0;
        for (int away = 16; away > 0; away /= 2) own += __shfl_down_sync(0xffffffff, own, away);
        if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
    })";

}  // namespace

int main() {
    // Arguments are checked against the kernel's parameters and converted: 2.0 to a float, size() to an int.
    const RawKernel saxpy(text, "saxpy");
    const Array x = arange(5, float32);
    const Array y = full({5}, 10, float32);
    saxpy.launch({.grid = {1}, .block = {128}}, 2.0, x, y, x.size());
    fmt::print("{}\n", y);

    const int n = 64;
    const Array a = arange(n * n, float32).reshape({n, n});
    Array identity = zeros({n, n}, float32);
    for (int k = 0; k < n; ++k) identity[k][k].assign(full({}, 2, float32));

    // A template is named by the C++ expression that instantiates it.
    const RawKernel matmul(product, "matmul<float, 16>");
    Array c = empty({n, n}, float32);
    matmul.launch({.grid = {n / 16, n / 16}, .block = {16, 16}}, a, identity, c, n);
    fmt::print("{}\n", c);

    const RawModule module(statistics);
    const RawKernel scaled_sum = module.kernel("scaled_sum");
    Array sum = zeros({1}, float64);
    const LaunchConfig config = {.grid = {(a.size() + 255) / 256}, .block = {256}};
    scaled_sum.launch(config, a, sum, a.size());
    module.global("scale").write(0.5F);
    scaled_sum.launch(config, a, sum, a.size());
    fmt::print("{:.1f}\n", sum.item<double>());

    try {
        scaled_sum.launch(config, a.transpose(), sum, a.size());
    } catch (const ShapeError& error) {
        fmt::print("{}\n", error.what());
    }
}

// Output:
// [10. 12. 14. 16. 18.]
// [[0.000e+00 2.000e+00 4.000e+00 ... 1.220e+02 1.240e+02 1.260e+02]
//  [1.280e+02 1.300e+02 1.320e+02 ... 2.500e+02 2.520e+02 2.540e+02]
//  [2.560e+02 2.580e+02 2.600e+02 ... 3.780e+02 3.800e+02 3.820e+02]
//  ...
//  [7.808e+03 7.810e+03 7.812e+03 ... 7.930e+03 7.932e+03 7.934e+03]
//  [7.936e+03 7.938e+03 7.940e+03 ... 8.058e+03 8.060e+03 8.062e+03]
//  [8.064e+03 8.066e+03 8.068e+03 ... 8.186e+03 8.188e+03 8.190e+03]]
// 12579840.0
// kernel 'scaled_sum': argument 1 of 3 is not C-contiguous: its shape is (64, 64), its strides are (4, 256)
// pass x.ascontiguous(), raw(x) to a kernel that takes a kgen::array, or x.data()
