// SPDX-License-Identifier: MIT
//
// CapturedScratch: scratch memory of launches that are captured into a graph, by kgen or by another library.
// Each captured launch has its own block, because launches of one graph may run at the same time. The block
// is not allocated by a node of the graph. Its counters are zeroed before the capture continues, and each
// replay leaves them zero for the next one.
//
// The graph and its instances own the block through a user object of the driver. After the last of them is
// destroyed and its work has finished, the block is reused by later captures. Instances of one graph share
// the block, so they must not run at the same time, or they may never end; this applies to all memory of a graph.
//
// Thread-safe. The caller must have made the context current.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "cuda/memory/cuda_memory.hpp"
#include "device/backend.hpp"

namespace kgen {

// The purpose of the memory, for out-of-memory messages.
inline constexpr const char* scratch_purpose = "scratch memory for a reduction";

// Divides one block of device memory into the scratch memory of a launch: first the counters, then the
// partials (see CudaScratch).
struct ScratchLayout {
    std::size_t counter_bytes = 0;  // size of the counters, which must be zeroed; a multiple of 256
    std::size_t bytes = 0;          // size of the block; the largest size_t if the sum overflows

    ScratchLayout(std::size_t counters, std::size_t partial_bytes) noexcept
        : counter_bytes((counters * sizeof(std::uint32_t) + 255) / 256 * 256),
          bytes(partial_bytes <= std::numeric_limits<std::size_t>::max() - counter_bytes
                    ? counter_bytes + partial_bytes
                    : std::numeric_limits<std::size_t>::max()) {}

    Scratch in(void* block) const noexcept {
        return {static_cast<std::uint32_t*>(block), static_cast<std::byte*>(block) + counter_bytes};
    }
};

class CapturedScratch {
public:
    CapturedScratch(const DriverLibrary& driver, CudaMemory& memory, std::string device_text);

    // Returns memory for the next launch on `stream`, which is being captured.
    Scratch take(std::size_t counters, std::size_t bytes, CUstream stream);

private:
    struct Block;
    struct Returned;
    // The driver calls this after the last owner of the block is destroyed. It does so on a thread of its
    // own, where calls of the driver are forbidden (CUDA Driver API, cuUserObjectCreate).
    static void give_back(void* block) noexcept;

    std::unique_ptr<Block> find_block(std::size_t bytes);
    CUresult free_returned();

    const DriverLibrary& driver_;
    CudaMemory& memory_;
    std::string device_text_;
    std::shared_ptr<Returned> returned_;  // graphs may outlive this object
};

}  // namespace kgen
