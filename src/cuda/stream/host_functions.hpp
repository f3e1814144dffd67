// SPDX-License-Identifier: MIT
//
// HostFunctions: user functions that a stream calls in its order. The driver calls them on a thread of its
// own, where calls of the driver are forbidden. A function may own arrays and streams, so it is not destroyed
// on that thread but by a later call of kgen (destroy_finished). If the stream is being captured, the graph
// owns the function, and each replay calls it. Thread-safe.
#pragma once

#include <functional>
#include <memory>

#include "cuda/driver/cuda_context.hpp"

namespace kgen {

class HostFunctions {
public:
    explicit HostFunctions(const CudaContext& context);

    // Makes the stream call the function. If this throws DeviceError, the function is never called.
    void call(CUstream stream, std::function<void()> function) const;
    // Gives the object to the graph that the stream is being captured into.
    void keep(CUstream stream, std::shared_ptr<const void> object) const;
    // Destroys the functions that will not be called again. Costs one load if there are none.
    void destroy_finished() const noexcept;

private:
    struct Call;
    struct Finished;
    // Gives `call` to the graph that the stream is being captured into.
    Call* own_by_graph(std::unique_ptr<Call> call, CUstream stream) const;
    static void CUDA_CB run(void* call) noexcept;
    static void CUDA_CB run_once(void* call) noexcept;
    static void CUDA_CB finish(void* call) noexcept;

    const CudaContext& context_;
    std::shared_ptr<Finished> finished_;  // graphs may outlive this object
};

}  // namespace kgen
