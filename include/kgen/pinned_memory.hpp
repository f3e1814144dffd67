// SPDX-License-Identifier: MIT
//
// Pinned memory of the host, which GPUs copy to and from by themselves, and copies that the program does
// not wait for: what it takes to copy and compute at the same time.
//
//     Array staged = empty_pinned({n}, float32);
//     copy_async(on_gpu, staged);              // in the order of the current stream of the GPU
//     kernel(on_gpu, out(result));             // runs after it
#pragma once

#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <kgen/stream.hpp>

namespace kgen {

// A C-ordered array on the host in pinned memory, not initialised. The memory is kept for the next one of
// its size when it goes, in which nothing is waited for: it is used again when the streams of the copies that
// it was given to by copy_async have done what they were given until then. trim_memory_pool(0,
// Device::host()) gives it back. Throws DeviceError without a GPU, and when the system pins no more;
// ShapeError as empty().
KGEN_EXPORT Array empty_pinned(const Dims& shape, DType dtype);

// Whether the array's memory is pinned, by kgen or by others (cudaMallocHost, cudaHostRegister). False
// on machines without a driver.
KGEN_EXPORT bool is_pinned(const Array& array);

// Copies all elements in the order of the stream, by default the current one of the GPU, and returns at
// once: between a GPU and pinned memory of the host, or within one GPU; between arrays of the host
// the copy is complete on return. Of an array on the host that views foreign memory, the memory must stay
// until the stream is done. Throws ShapeError unless both have one shape and are C-contiguous; TypeError
// unless they have one dtype; DeviceError for memory of the host that is not pinned (assign() copies
// that, and waits), for two GPUs, and for a stream of another device.
KGEN_EXPORT void copy_async(const Array& destination, const Array& source);
KGEN_EXPORT void copy_async(const Array& destination, const Array& source, const Stream& stream);

}  // namespace kgen
