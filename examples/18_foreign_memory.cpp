// SPDX-License-Identifier: MIT
//
// Memory that is not kgen's: an Array::view of it is used like any other array. Here it comes from cudaMalloc where there is
// a GPU and the CUDA runtime, else from malloc. An owner keeps it as long as any view is there.
#include <fmt/format.h>

#include <cstdlib>
#include <kgen/kgen.hpp>
#include <memory>
#ifdef HAS_CUDA_RUNTIME
#include <cuda_runtime_api.h>
#endif

using namespace kgen;

namespace {

// Whoever holds the last copy frees it.
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

    // A block of 3 rows of 8 floats, of which 5 count: strides are in bytes, as NumPy's.
    std::shared_ptr<void> memory = allocate(3 * 8 * sizeof(float), device);
    Array table = Array::view(
        memory.get(),
        float32,
        {3, 5},
        {.device = device, .strides = Dims{8 * sizeof(float), sizeof(float)}, .owner = memory});
    multiply(arange(3, float32).reshape({3, 1}), arange(5, float32), out(table));
    fmt::print("{}\n", table);

    // A view that only reads: a kernel that would write to it is refused.
    const Array constant = Array::view(
        static_cast<const void*>(memory.get()), float32, {8}, {.device = device, .owner = memory});
    try {
        multiply(constant, 2, out(constant));
    } catch (const ShapeError& error) {
        fmt::print("{}\n", error.what());
    }

    // The program lets go of it; the views still hold it.
    memory.reset();
    const Array corner = table[2];
    table = {};
    fmt::print("{}\n", corner);

    // What cannot be right is refused before anything runs.
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
