// SPDX-License-Identifier: MIT
//
// Uses kgen with the CUDA runtime, Thrust and CUB in one program, which share memory and
// streams. The exit status is the number of failed checks. If called with "freed" and
// KGEN_CHECK_POINTERS=1, it uses memory that the runtime freed.
#include <cuda_runtime_api.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include <cstdio>
#include <cub/device/device_reduce.cuh>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "array/dlpack/dlpack_abi.hpp"

namespace {

int failures = 0;

void check(const char* what, bool is_right) {
    failures += is_right ? 0 : 1;
    std::printf("%s%s\n", is_right ? "ok      " : "FAILED  ", what);
}

// A tensor of managed memory, which the host and the GPU share.
void check_managed_memory(kgen::Device gpu) {
    int* memory = nullptr;
    cudaMallocManaged(&memory, 16 * sizeof(int));
    for (int k = 0; k < 16; ++k) memory[k] = k;
    static int deleted = 0;
    static std::int64_t shape = 16;
    static DLManagedTensorVersioned tensor;
    tensor = {{1, 0}, nullptr, [](DLManagedTensorVersioned*) { ++deleted; }, 0, {}};
    tensor.dl_tensor = {memory, {kgen::dlpack::cuda_managed, 0}, 1, {kgen::dlpack::code_int, 32, 1}, &shape, nullptr, 0};
    {
        const kgen::Array shared = kgen::from_dlpack(&tensor);
        const kgen::ElementwiseKernel twice("T x", "T y", "y = x + x", "twice_managed");
        twice(shared, kgen::out(shared));
        kgen::synchronize(gpu);
        check("a tensor of managed memory is on the GPU, at its address", shared.device() == gpu && shared.data() == memory);
    }
    bool is_right = true;
    for (int k = 0; k < 16; ++k) is_right = is_right && memory[k] == 2 * k;
    check("its elements are the host's too, and it is deleted once", is_right && deleted == 1);
    cudaFree(memory);
}

// Uses freed memory of a small block, which shares a page with others, and of a large block.
int use_freed_memory(kgen::Device gpu) {
    const kgen::ElementwiseKernel twice("T x", "T y", "y = x + x", "twice_freed");
    for (const std::int64_t count : {std::int64_t{64}, std::int64_t{1} << 26}) {
        float* memory = nullptr;
        cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(float));
        const kgen::Array view = kgen::Array::view(memory, kgen::float32, {count}, {.device = gpu});
        const kgen::Array before = twice(view);
        kgen::synchronize(gpu);
        cudaFree(memory);
        std::string message;
        try {
            twice(view);
        } catch (const kgen::DeviceError& error) {
            message = error.what();
        }
        const bool is_told = message.find("is not memory of the CUDA driver: it is pageable host memory, or it was freed") != std::string::npos;
        check(count == 64 ? "a view of a small block that was freed is refused" : "a view of a large block that was freed is refused", is_told);
        if (!is_told) std::printf("        %s\n", message.c_str());
    }
    check("no launch has failed", cudaDeviceSynchronize() == cudaSuccess);
    return failures;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string(argv[1]) == "freed") return use_freed_memory(kgen::Device::cuda(0));
    const kgen::Device gpu = kgen::Device::cuda(0);
    constexpr int count = 1 << 20;
    const kgen::ElementwiseKernel reverse("T x", "T y", "y = T(1048575) - x", "reverse_values");

    // Thrust and CUB use an array of kgen on a stream of kgen.
    const kgen::Stream stream = kgen::Stream::create(gpu);
    const kgen::StreamScope scope(stream);
    const kgen::Array x = reverse(kgen::arange(count, kgen::int32, {.device = gpu}));
    const auto first = thrust::device_pointer_cast(static_cast<int*>(x.data()));
    thrust::sort(thrust::cuda::par.on(stream.handle()), first, first + count);
    const std::vector<int> sorted = x.to_vector<int>();
    bool is_right = true;
    for (int k = 0; k < count; ++k) is_right = is_right && sorted[static_cast<std::size_t>(k)] == k;
    check("Thrust sorts an array of kgen's on kgen's stream", is_right);

    const kgen::Array sum = kgen::zeros({1}, kgen::int64, {.device = gpu});
    std::size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, static_cast<int*>(x.data()), static_cast<long long*>(sum.data()), count, stream.handle());
    const kgen::Array scratch = kgen::empty({static_cast<std::int64_t>(bytes)}, kgen::uint8, {.device = gpu});
    cub::DeviceReduce::Sum(scratch.data(), bytes, static_cast<int*>(x.data()), static_cast<long long*>(sum.data()), count, stream.handle());
    check("CUB sums it with scratch memory of kgen's", sum.item<std::int64_t>() == std::int64_t{count} * (count - 1) / 2);

    // kgen uses memory and a stream of the runtime.
    cudaStream_t theirs = nullptr;
    int* memory = nullptr;
    cudaStreamCreateWithFlags(&theirs, cudaStreamNonBlocking);
    cudaMallocAsync(&memory, count * sizeof(int), theirs);
    cudaMemcpyAsync(memory, x.data(), count * sizeof(int), cudaMemcpyDeviceToDevice, theirs);
    {
        const kgen::Stream viewed = kgen::Stream::view(theirs, gpu);
        const kgen::StreamScope their_scope(viewed);
        const std::shared_ptr<void> owner(memory, [theirs](void* gone) { cudaFreeAsync(gone, theirs); });
        const kgen::Array view = kgen::Array::view(memory, kgen::int32, {count}, {.device = gpu, .owner = owner, .stream = viewed});
        memory = nullptr;
        reverse(view, kgen::out(view));
        const kgen::ReductionKernel largest("T x", "T y", "x", "max(a, b)", "y = a", "", "largest");
        check("kgen computes in memory of the runtime's on its stream",
              largest(view).item<int>() == count - 1 && view[0].item<int>() == count - 1);
    }
    cudaStreamSynchronize(theirs);
    // kgen copies from memory that the runtime pinned.
    float* pinned = nullptr;
    cudaMallocHost(&pinned, 16 * sizeof(float));
    for (int k = 0; k < 16; ++k) pinned[k] = static_cast<float>(k);
    const kgen::Array host = kgen::Array::view(pinned, kgen::float32, {16}, {.device = kgen::Device::host()});
    const kgen::Array there = kgen::empty({16}, kgen::float32, {.device = gpu});
    kgen::copy_async(there, host);
    check("memory that the runtime pinned is copied without waiting",
          kgen::is_pinned(host) && there.to_vector<float>().back() == 15);
    cudaFreeHost(pinned);
    cudaStreamDestroy(theirs);
    check_managed_memory(gpu);
    check("no error of the runtime's is left", cudaGetLastError() == cudaSuccess);
    return failures;
}
