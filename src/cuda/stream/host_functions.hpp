// SPDX-License-Identifier: MIT
//
// Functions of the user's that a stream calls in its order. The driver calls them on a thread of its
// own, from which nothing may call the driver: since a function may own arrays and streams, it is
// destroyed by a later call of kgen instead (destroy_finished). In a capture the graph owns it, and it
// is called at each replay. Thread safe.
#pragma once

#include <functional>
#include <memory>

#include "cuda/driver/cuda_context.hpp"

namespace kgen {

class HostFunctions {
public:
    explicit HostFunctions(const CudaContext& context);

    // Throws DeviceError; then it is never called.
    void call(CUstream stream, std::function<void()> function) const;
    // What the stream is being captured into owns the object.
    void keep(CUstream stream, std::shared_ptr<const void> object) const;
    // Destroys those that will not be called again. Costs one load if there are none.
    void destroy_finished() const noexcept;

private:
    struct Call;
    struct Finished;
    // Gives it to the graph that the stream is being captured into.
    Call* own_by_graph(std::unique_ptr<Call> call, CUstream stream) const;
    static void CUDA_CB run(void* call) noexcept;
    static void CUDA_CB run_once(void* call) noexcept;
    static void CUDA_CB finish(void* call) noexcept;

    const CudaContext& context_;
    std::shared_ptr<Finished> finished_;  // graphs may outlive this object
};

}  // namespace kgen
