// SPDX-License-Identifier: MIT
//
// Memory that kgen did not allocate. An Array::view of it is used like any other array. Here the memory comes
// from cudaMalloc if there are a GPU and the CUDA runtime, otherwise from malloc. An owner keeps the memory
// alive as long as any view exists.
#include <fmt/format.h>

#include <cstdlib>
#include <kgen/kgen.hpp>
#include <memory>
#ifdef HAS_CUDA_RUNTIME
#include <cuda_runtime_api.h>
#endif

using namespace kgen;

namespace {

// Returns memory that is freed when the last copy of the pointer is destroyed.
std::shared_ptr<void> allocate(std::size_t bytes, Device device) {
#ifdef HAS_CUDA_RUNTIME
    if (device.kind() == DeviceKind::cuda) {
        void* memory = nullptr;
        if (cudaMalloc(&memory, bytes) != cudaSuccess) throw std::bad_alloc();
        return {memory, [](void* gone) {
                    cudaFree(gone);
                    fmt::print("freed\n");
                }};
    }
#endif
    static_cast<void>(device);
    return {std::malloc(bytes), [](void* gone) {
                std::free(gone);
                fmt::print("freed\n");
            }};
}

Device device_of_memory() {
#ifdef HAS_CUDA_RUNTIME
    return current_device();
#else
    return Device::host();
#endif
}

}  // namespace

int main() {
    const Device device = device_of_memory();
    const DeviceScope scope(device);
    const ElementwiseKernel multiply("T x, T y", "T z", "z = x * y", "multiply");

    // A block of 3 rows of 8 floats. The view has the first 5 of each row. Strides are in bytes, as in NumPy.
    std::shared_ptr<void> memory = allocate(3 * 8 * sizeof(float), device);
    Array table = Array::view(
        memory.get(),
        float32,
        {3, 5},
        {.device = device, .strides = Dims{8 * sizeof(float), sizeof(float)}, .owner = memory});
    multiply(arange(3, float32).reshape({3, 1}), arange(5, float32), out(table));
    fmt::print("{}\n", table);

    // A read-only view. A call that would write to it is rejected.
    const Array constant = Array::view(
        static_cast<const void*>(memory.get()), float32, {8}, {.device = device, .owner = memory});
    try {
        multiply(constant, 2, out(constant));
    } catch (const ShapeError& error) {
        fmt::print("{}\n", error.what());
    }

    // The program releases its pointer. The views keep the memory alive.
    memory.reset();
    const Array corner = table[2];
    table = {};
    fmt::print("{}\n", corner);

    // Impossible arguments are rejected before anything runs.
    try {
        Array::view(static_cast<void*>(nullptr), float32, {2}, {.device = device});
    } catch (const ShapeError& error) {
        fmt::print("{}\n", error.what());
    }
}

// Output:
// [[0. 0. 0. 0. 0.]
//  [0. 1. 2. 3. 4.]
//  [0. 2. 4. 6. 8.]]
// kernel 'multiply': output 1 ('z') is read-only; pass a writable array
// [0. 2. 4. 6. 8.]
// a view of shape (2,) needs memory, but its address is null
// freed
