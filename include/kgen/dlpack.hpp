// SPDX-License-Identifier: MIT
//
// Exchange of arrays with PyTorch, CuPy, JAX, NumPy and other libraries through DLPack version 1
// (https://dmlc.github.io/dlpack), without a copy. The structures are those of <dlpack/dlpack.h>. This header
// does not need that file and may be included together with it.
//
//     DLManagedTensorVersioned* given = ...;   // from `tensor.__dlpack__(stream=dlpack_stream(stream))`
//     Array x = from_dlpack(given);            // the same memory
//     DLManagedTensorVersioned* back = to_dlpack(kernel(x));
#pragma once

#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <kgen/stream.hpp>
#include <optional>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace kgen {

struct DlpackOptions {
    // CUDA only: the stream of the other library; current_stream() of the tensor's device if not given.
    // from_dlpack: the stream on which the library made the data ready. Before the tensor's deleter is
    // called, this stream is made to wait for all other streams on which kgen used the memory. The library
    // can then safely reuse the memory on this stream.
    // to_dlpack: the stream on which the library will use the memory. It is made to wait for all work that
    // the current stream has so far. kgen reuses the memory only after the work that the library has
    // submitted to this stream when it calls the deleter. A stream of another library must exist until the
    // deleter is called.
    std::optional<Stream> stream = {};
};

// Returns an Array that shares the tensor's memory. Always takes ownership of the tensor: its deleter is
// called exactly once, when the last view of the memory is destroyed or before this function throws. The
// tensor may be in host memory (also pinned), CUDA device memory or managed memory. A read-only tensor
// becomes a read-only Array; a tensor without a version cannot be marked read-only.
// Throws TypeError if the tensor is null, the dtype is not supported, the version is not 1, or the memory is
// misaligned. Throws ShapeError if the shape, strides or offset are not valid. Throws DeviceError if the
// device is not present, or differs from where the driver reports the memory to be. This function is
// thread-safe.
KGEN_EXPORT Array from_dlpack(DLManagedTensorVersioned* tensor, const DlpackOptions& = {});
KGEN_EXPORT Array from_dlpack(DLManagedTensor* tensor, const DlpackOptions& = {});

// Returns a tensor that shares the array's memory and keeps it alive. The consumer must call its deleter
// exactly once, on any thread. Throws TypeError if a stride is not a whole number of elements, which can
// happen for real() or imag() of a complex array. to_dlpack_unversioned also throws TypeError if the array is
// read-only, because a tensor without a version cannot say so.
KGEN_EXPORT DLManagedTensorVersioned* to_dlpack(const Array& array, const DlpackOptions& = {});
KGEN_EXPORT DLManagedTensor* to_dlpack_unversioned(const Array& array, const DlpackOptions& = {});

// Returns the number that Python's `__dlpack__(stream=...)` takes for a CUDA stream: 1 for the legacy default
// stream, otherwise the handle.
KGEN_EXPORT std::int64_t dlpack_stream(const Stream& stream) noexcept;

}  // namespace kgen
