// SPDX-License-Identifier: MIT
//
// Functions that check.py calls: they pass DLPack tensors through a kernel and back.
#include <cstring>
#include <kgen/kgen.hpp>
#include <stdexcept>
#include <string>

using namespace kgen;

namespace {

// DLPack's rules for `stream`: 1 is CUDA's legacy default stream, 2 the per-thread default stream.
Stream stream_of(std::int64_t number) {
    if (number == 0 || number == 1) return Stream::legacy(Device::cuda(0));
    return Stream::view(reinterpret_cast<CUstream_st*>(number), Device::cuda(0));
}

// Returns 2 x, computed on the current stream. Stores the addresses of x and of the result in `seen`.
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

// Computes on a new stream of kgen and hands the result over to the consumer's stream.
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

// Computes y = x + 7 in the order of a stream, with a texture and through pinned memory. All
// that it allocates is dropped before it returns. Returns y, or null after an error.
const void* interchange_add_seven(
    void* x, void* y, std::int64_t count, std::int64_t stream, char* error) {
    return guarded(error, [&]() -> const void* {
        const Stream theirs = stream_of(stream);
        const StreamScope scope(theirs);
        const ArrayOptions options = {.device = theirs.device()};
        const Array in = Array::view(x, float32, {count}, {.device = theirs.device()});
        const Array result = Array::view(y, float32, {count}, {.device = theirs.device()});
        const Texture image = Texture::create(full({8, 8}, 7, float32, options));
        const Array pinned = empty_pinned({count}, float32);
        const Array again = empty({count}, float32, options);
        copy_async(pinned, in);
        copy_async(again, pinned);
        const ElementwiseKernel sample("U image, float32 x",
                                       "float32 y",
                                       "y = x + tex2D<float>(image, 3.5f, 5.5f)",
                                       "interchange_sample");
        sample(image, again, out(result));
        return y;
    });
}

// Computes the norms of the columns of a matrix whose rows are split over the processes that a launcher started.
const void* interchange_column_norms(void* rows,
                                     std::int64_t count,
                                     std::int64_t width,
                                     void* norms,
                                     std::int64_t stream,
                                     char* error) {
    return guarded(error, [&]() -> const void* {
        static const auto* const world = new Communicator(Communicator::world());
        const Device device = world->device(world->rank());
        const StreamScope scope(stream == 0
                                    ? Stream::legacy(device)
                                    : Stream::view(reinterpret_cast<CUstream_st*>(stream), device));
        const Array block = Array::view(rows, float32, {count, width}, {.device = device});
        const ShardedArray x = join_blocks({&block, 1}, 0, *world);
        Array::view(norms, float32, {width}, {.device = device})
            .assign(gather(sqrt(sum(x * x, axis(0)))));
        return norms;
    });
}

// Does typical work of kgen on the calling thread. Returns `error`, or null after an error.
const void* interchange_work_aside(int rounds, char* error) {
    return guarded(error, [&]() -> const void* {
        const DeviceScope gpu(Device::cuda(0));
        const ReductionKernel total("float32 x", "float32 y", "x", "a + b", "y = a", "0", "aside");
        for (int round = 0; round < rounds; ++round) {
            const Stream stream = Stream::create();
            const StreamScope scope(stream);
            const Array x = ones({1 << (10 + round % 12)}, float32);
            const Texture image = Texture::create(x.reshape({-1, 32}));
            const Array sum = empty({}, float32);
            const Graph graph = capture(stream, [&] { total(x, out(sum)); });
            graph.launch();
            if (sum.item<float>() != static_cast<float>(x.size()))
                throw std::runtime_error("a sum is wrong");
            const Array pinned = empty_pinned(x.shape(), float32);
            copy_async(pinned, x);
            Event done;
            done.record();
            done.synchronize();
            memory_pool_statistics();
        }
        return error;
    });
}

std::uint64_t interchange_used_bytes() {
    return memory_pool_statistics(Device::cuda(0)).used_bytes;
}
}
