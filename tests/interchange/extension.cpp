// SPDX-License-Identifier: MIT
//
// What check.py calls: tensors of DLPack through a kernel of kgen's and back.
#include <cstring>
#include <kgen/kgen.hpp>
#include <string>

using namespace kgen;

namespace {

// 1 and 2 are CUDA's names for its default streams (DLPack's rules for `stream`).
Stream stream_of(std::int64_t number) {
    if (number == 0 || number == 1) return Stream::legacy(Device::cuda(0));
    return Stream::view(reinterpret_cast<CUstream_st*>(number), Device::cuda(0));
}

// 2 x, on that stream; `seen` gets the addresses of x and of the result.
Array twice(const Array& x, std::uint64_t* seen) {
    static const ElementwiseKernel kernel("T x", "T y", "y = x + x", "interchange_twice");
    const Array y = kernel(x);
    seen[0] = reinterpret_cast<std::uint64_t>(x.data());
    seen[1] = reinterpret_cast<std::uint64_t>(y.data());
    return y;
}

template <typename Run>
auto guarded(char* error, Run run) -> decltype(run()) {
    try {
        return run();
    } catch (const std::exception& caught) {
        std::strncpy(error, caught.what(), 999);
        return nullptr;
    }
}

}  // namespace

extern "C" {

DLManagedTensorVersioned* interchange_twice(DLManagedTensorVersioned* tensor,
                                            std::int64_t stream,
                                            std::uint64_t* seen,
                                            char* error) {
    return guarded(error, [&] {
        const StreamScope scope(stream_of(stream));
        return to_dlpack(twice(from_dlpack(tensor), seen));
    });
}

DLManagedTensor* interchange_twice_unversioned(DLManagedTensor* tensor,
                                               std::int64_t stream,
                                               std::uint64_t* seen,
                                               char* error) {
    return guarded(error, [&] {
        const StreamScope scope(stream_of(stream));
        return to_dlpack_unversioned(twice(from_dlpack(tensor), seen));
    });
}

// Computes on a stream of kgen's own, and hands over to the consumer's.
DLManagedTensorVersioned* interchange_twice_elsewhere(DLManagedTensorVersioned* tensor,
                                                      std::int64_t stream,
                                                      std::uint64_t* seen,
                                                      char* error) {
    return guarded(error, [&] {
        const Stream theirs = stream_of(stream);
        const Stream ours = Stream::create(theirs.device());
        ours.wait(theirs);
        const Array x = from_dlpack(tensor, {.stream = theirs});
        const StreamScope scope(ours);
        return to_dlpack(twice(x, seen), {.stream = theirs});
    });
}

DLManagedTensorVersioned* interchange_arange(std::int64_t count, int read_only, char* error) {
    return guarded(error, [&] {
        const Array x = arange(count, float32, {.device = Device::cuda(0)});
        return to_dlpack(read_only != 0 ? x.as_read_only() : x);
    });
}

std::uint64_t interchange_used_bytes() {
    return memory_pool_statistics(Device::cuda(0)).used_bytes;
}
}
