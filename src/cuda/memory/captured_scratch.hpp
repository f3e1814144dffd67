// SPDX-License-Identifier: MIT
//
// Scratch memory of launches that are captured into a graph, whoever began the capture. Each has a
// block of its own, since launches of one graph may run at once, from outside of the graph and zeroed
// before the capture goes on: a replay finds what the replay before has left. The graph owns it
// through a user object, as does what is instantiated from it; when the last of them is gone, and its
// work done, the block serves later captures. Two instances of one graph share it: as with all memory
// of a graph, they must not run at once. Thread safe. The caller has made the context current.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cuda/memory/cuda_memory.hpp"
#include "device/backend.hpp"

namespace kgen {

class CapturedScratch {
public:
    CapturedScratch(const DriverLibrary& driver, CudaMemory& memory, std::string device_text);

    // For the next launch on `stream`, which is being captured.
    Scratch take(std::size_t counters, std::size_t bytes, CUstream stream);

private:
    struct Block;
    struct Returned;
    // What the driver calls when the last graph is gone: from a thread of its own, and it must not be
    // called back (CUDA Driver API, cuUserObjectCreate).
    static void give_back(void* block) noexcept;

    std::unique_ptr<Block> find_block(std::size_t bytes);
    CUresult free_returned();

    const DriverLibrary& driver_;
    CudaMemory& memory_;
    std::string device_text_;
    std::shared_ptr<Returned> returned_;  // graphs may outlive this object
};

}  // namespace kgen
