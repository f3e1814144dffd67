// SPDX-License-Identifier: MIT
//
// Raw kernels on a GPU, launched by the backend alone.
#pragma once

#include <cstdint>
#include <cstring>
#include <kgen/error.hpp>
#include <string>
#include <vector>

#include "device/compiler.hpp"
#include "device/raw_backend.hpp"
#include "device/registry.hpp"
#include "support/catch.hpp"

namespace kgen::test {

// Returns the backend, or warns and returns nullptr if there is no GPU or no NVRTC.
inline const Backend* raw_gpu() {
    if (device_count(DeviceKind::cuda) == 0) {
        WARN("skipped: this test needs a GPU");
        return nullptr;
    }
    try {
        compiler(DeviceKind::cuda).producer();
    } catch (const DeviceError&) {
        WARN("skipped: this test needs NVRTC");
        return nullptr;
    }
    return &backend(Device::cuda(0));
}

inline constexpr const char* raw_source = R"(
struct Pair { char c; double d; };
__device__ int counter = 5;
__constant__ float table[4] = {1, 2, 3, 4};
__managed__ int total = 7;
extern "C" __global__ void fill(float* y, char c, Pair pair, short s, long long n, float a) {
    const long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k < n) y[k] = a + c + (float)pair.d + pair.c + s + table[k % 4] + counter + total;
}
extern "C" __global__ void __launch_bounds__(128) bounded(int* y) { *y = 1; }
extern "C" __global__ void dynamic(int* y, int count) {
    extern __shared__ int shared[];
    __shared__ int last[4];
    for (int k = threadIdx.x; k < count; k += blockDim.x) shared[k] = k;
    __syncthreads();
    last[threadIdx.x % 4] = shared[count - 1];
    __syncthreads();
    if (threadIdx.x == 0) y[0] = last[count % 4];
}
extern "C" __global__ void extents(unsigned* y) {
    if (threadIdx.x + threadIdx.y + threadIdx.z != 0 ||
        blockIdx.x + blockIdx.y + blockIdx.z != 0)
        return;
    y[0] = gridDim.x, y[1] = gridDim.y, y[2] = gridDim.z;
    y[3] = blockDim.x, y[4] = blockDim.y, y[5] = blockDim.z;
}
extern "C" __global__ void clusters(unsigned* y) {
    unsigned rank, count;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
    if (threadIdx.x == 0) y[blockIdx.x] = rank * 100 + count;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) paired(unsigned* y) {
    unsigned count;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    if (threadIdx.x == 0) y[blockIdx.x] = count;
}
extern "C" __global__ void together(unsigned* arrived, unsigned* y) {
    if (threadIdx.x != 0) return;
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x) {}
    y[blockIdx.x] = 1;
}
extern "C" __global__ void first(int* y) {
    asm volatile("griddepcontrol.launch_dependents;");
    const long long start = clock64();
    while (clock64() - start < 1000000) {}
    *y = 1;
}
extern "C" __global__ void second(int* y) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    *y = *(volatile int*)y * 10 + 2;
}
extern "C" __global__ void store(int* y) { y[threadIdx.x] = 1; }
extern "C" __global__ void trap() { asm volatile("trap;"); }
extern "C" __global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {}
}
)";

inline Image compile_raw(const std::string& text, std::vector<std::string> options = {"-I/none"}) {
    Image image = compiler(DeviceKind::cuda)
                      .compile({.kernel = "raw",
                                .source = text,
                                .symbol = "",
                                .options = std::move(options),
                                .target = default_target(DeviceKind::cuda),
                                .kind = SourceKind::raw});
    return image;
}

inline const LoadedModule& raw_module() {
    static const auto loaded =
        backend(Device::cuda(0)).raw().load_module(compile_raw(raw_source), "raw.cu");
    return *loaded;
}

// Lays out the arguments like the kernel's parameters and launches the kernel.
template <typename... Arguments>
void launch_raw(const char* name, const LaunchConfig& config, const Arguments&... arguments) {
    const Backend& device = backend(Device::cuda(0));
    const auto kernel = raw_module().kernel(name);
    REQUIRE(kernel != nullptr);
    const auto parameters = kernel->parameters();
    REQUIRE(parameters.size() == sizeof...(arguments));
    std::vector<unsigned char> bytes(
        parameters.empty() ? 0 : parameters.back().offset + parameters.back().bytes);
    std::size_t index = 0;
    [[maybe_unused]] const auto put = [&](const void* argument, std::size_t size) {
        REQUIRE(parameters[index].bytes == size);
        std::memcpy(bytes.data() + parameters[index++].offset, argument, size);
    };
    (put(&arguments, sizeof arguments), ...);
    const StreamHandle stream = config.stream ? config.stream->handle() : nullptr;
    device.raw().launch(*kernel, config, bytes.data(), bytes.size(), stream, name);
}

class ZeroedBlock {
public:
    explicit ZeroedBlock(std::size_t bytes)
        : bytes_(bytes), pointer_(device_.allocate(bytes, nullptr)) {
        device_.fill_bytes(pointer_, 0, bytes, nullptr);
    }
    ~ZeroedBlock() { device_.free(pointer_, bytes_, nullptr); }
    ZeroedBlock(const ZeroedBlock&) = delete;
    ZeroedBlock& operator=(const ZeroedBlock&) = delete;
    void* get() const { return pointer_; }
    template <typename T>
    std::vector<T> read(std::size_t count) const {
        std::vector<T> values(count);
        device_.copy(values.data(), pointer_, count * sizeof(T), CopyDirection::device_to_host, {});
        return values;
    }

private:
    const Backend& device_ = backend(Device::cuda(0));
    std::size_t bytes_;
    void* pointer_;
};

}  // namespace kgen::test
