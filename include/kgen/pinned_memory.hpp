// SPDX-License-Identifier: MIT
//
// Pinned host memory, which GPUs can copy to and from directly, and asynchronous copies. Together they allow
// a program to copy and compute at the same time.
//
//     Array staged = empty_pinned({n}, float32);
//     copy_async(on_gpu, staged);              // in the order of the GPU's current stream
//     kernel(on_gpu, out(result));             // runs after it
#pragma once

#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <kgen/stream.hpp>

namespace kgen {

// Returns an uninitialised C-contiguous array in pinned host memory. Destroying the array does not wait for
// copies. Its memory is kept for another array of its size, and reused only after all copies of copy_async
// that use it have finished. trim_memory_pool(0, Device::host()) returns such memory to the system. Throws
// DeviceError if there is no GPU or the system cannot pin more memory, and ShapeError as empty() does.
KGEN_EXPORT Array empty_pinned(const Dims& shape, DType dtype = float64);

// Returns whether the array's memory is pinned, by kgen or by another library (cudaMallocHost,
// cudaHostRegister). False on machines without a driver.
KGEN_EXPORT bool is_pinned(const Array& array);

// Copies all elements between a GPU and pinned host memory, or within one GPU, and returns without waiting.
// The copy runs in the order of the stream, by default the GPU's current stream. A copy between two host
// arrays is complete on return. If a host array views foreign memory, the caller must keep that memory until
// the stream has finished.
// Throws ShapeError if the shapes differ, if an array is not C-contiguous, or if the destination is
// read-only; TypeError if the dtypes differ; DeviceError for host memory that is not pinned (use assign(),
// which waits), for arrays on two GPUs, and for a stream of another device.
KGEN_EXPORT void copy_async(const Array& destination, const Array& source);
KGEN_EXPORT void copy_async(const Array& destination, const Array& source, const Stream& stream);

}  // namespace kgen
