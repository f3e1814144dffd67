// SPDX-License-Identifier: MIT
//
// set_memory_allocator: the user's program supplies the memory of kgen's arrays, such as RMM's or PyTorch's
// pool, in place of kgen's own pool (kgen/memory_pool.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <kgen/device.hpp>
#include <kgen/export.hpp>

struct CUstream_st;  // the driver's CUstream is CUstream_st*

namespace kgen {

// Two functions that allocate and free memory of one device in the order of a stream. The stream is
// Stream::handle(); nullptr is the legacy default stream. On the host the stream has no meaning. Several
// threads call the functions at once. On a GPU its primary context is current meanwhile. The functions may
// use CUDA, but must not call kgen.
struct MemoryAllocator {
    // Returns at least `bytes` bytes of memory, aligned to 256 bytes (64 on the host). Work that is queued in
    // the stream from now on may use it. Throws an exception or returns nullptr if there is not enough memory.
    // `bytes` is never 0.
    std::function<void*(std::size_t bytes, CUstream_st* stream)> allocate = {};
    // Takes back memory that allocate() returned, with the number of bytes that was asked for. Work that was
    // queued in the stream before may still use the memory. The stream may differ from that of allocate().
    // Should not throw: an exception is logged, and kgen does not use the memory again.
    std::function<void(void* pointer, std::size_t bytes, CUstream_st* stream)> free = {};
};

// Makes the allocator supply the memory of arrays that are created on the device from now on, and on a GPU also
// the scratch memory of reductions. Without functions, `set_memory_allocator({})`, kgen's own pool is used
// again. Throws TypeError if one function is given without the other. Thread-safe.
//
// Memory is always freed by the allocator that supplied it, so a replaced allocator is kept until its last
// memory is freed. If allocate() fails or returns memory that is misaligned or still in use, the call that
// needed the memory throws a DeviceError with the reason, as if memory were short; no array changes.
//
// On a GPU, memory that is allocated in a stream while it is captured into a graph always comes from kgen's own
// pool, because a graph uses its memory again in each replay, which the order of a stream does not tell. Memory
// of the allocator that a graph uses is freed when the graph is destroyed. Memory that is freed in a stream
// which another library captures is never freed, as with kgen's own pool. If a capture of another stream
// forbids to free memory, it is freed by a later allocation or by trim_memory_pool().
//
// Pinned memory, textures, and scratch memory on the host are not affected. The functions of
// kgen/memory_pool.hpp neither count nor limit the allocator's memory.
KGEN_EXPORT void set_memory_allocator(MemoryAllocator allocator, Device device = current_device());

}  // namespace kgen
