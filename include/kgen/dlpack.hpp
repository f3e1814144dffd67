// SPDX-License-Identifier: MIT
//
// DLPack (https://dmlc.github.io/dlpack), version 1: arrays of PyTorch, CuPy, JAX, NumPy and others,
// and arrays for them, without a copy. The structures are those of <dlpack/dlpack.h>, which kgen does not
// need and does not clash with.
//
//     DLManagedTensorVersioned* given = ...;   // of `tensor.__dlpack__(stream=dlpack_stream(stream))`
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
    // CUDA: the other library's stream; current_stream() of the tensor's device unless given.
    // from_dlpack: the one that the producer was asked to make the data ready for. Before the tensor is given
    // back, this stream is told to wait for all other streams that kgen used it on, so that what
    // the producer does there next is safe.
    // to_dlpack: the one that the consumer will use the memory on. It waits for what the current stream
    // has been given so far; and kgen's next use of the memory waits for what it was given until the
    // consumer calls the deleter. A foreign stream must live until then.
    std::optional<Stream> stream = {};
};

// An Array of the same memory. Takes the tensor, whatever happens: its deleter is called exactly once,
// when the last view of the memory is gone, or before this throws. Tensors of the host (also pinned), of
// CUDA devices and managed memory; a read-only tensor becomes a read-only Array (one without a version
// cannot say so).
// Throws TypeError for a dtype that kgen has not, a version that is not 1 or misaligned memory; ShapeError
// for a shape, strides or an offset that make no sense; DeviceError for a device that is not
// there, or that is not the one where the driver says that the memory is. Thread safe.
KGEN_EXPORT Array from_dlpack(DLManagedTensorVersioned* tensor, const DlpackOptions& = {});
KGEN_EXPORT Array from_dlpack(DLManagedTensor* tensor, const DlpackOptions& = {});

// A tensor of the array's memory, which it keeps alive until its deleter is called, by whoever takes it,
// exactly once and on any thread. Throws TypeError if strides are no whole elements (parts of complex
// numbers can be so), and without a version for a read-only array, as the consumer could not know.
KGEN_EXPORT DLManagedTensorVersioned* to_dlpack(const Array& array, const DlpackOptions& = {});
KGEN_EXPORT DLManagedTensor* to_dlpack_unversioned(const Array& array, const DlpackOptions& = {});

// What Python's `__dlpack__(stream=...)` takes for a CUDA stream: 1 for the legacy default stream, else
// the handle.
KGEN_EXPORT std::int64_t dlpack_stream(const Stream& stream) noexcept;

}  // namespace kgen
