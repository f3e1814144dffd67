// SPDX-License-Identifier: MIT
#include "cuda/stream/host_functions.hpp"

#include <atomic>
#include <utility>

#include "cuda/stream/captured_stream.hpp"
#include "device/capture_record.hpp"

namespace kgen {

struct HostFunctions::Call {
    std::function<void()> function;
    std::shared_ptr<Finished> home;
    Call* next = nullptr;
};

// The finished calls as an intrusive lock-free list, so that the driver's thread allocates nothing and takes
// no lock.
struct HostFunctions::Finished {
    std::atomic<Call*> first = nullptr;

    ~Finished() { destroy_all(); }

    void put(Call* call) noexcept {
        call->next = first.load(std::memory_order_relaxed);
        while (!first.compare_exchange_weak(call->next, call, std::memory_order_release)) {
        }
    }
    void destroy_all() noexcept {
        if (first.load(std::memory_order_relaxed) == nullptr) return;
        Call* call = first.exchange(nullptr, std::memory_order_acquire);
        while (call != nullptr) delete std::exchange(call, call->next);
    }
};

HostFunctions::HostFunctions(const CudaContext& context)
    : context_(context), finished_(std::make_shared<Finished>()) {}

// An exception of the function ends the program, because no caller could catch it.
void HostFunctions::run(void* call) noexcept {
    static_cast<Call*>(call)->function();
}

void HostFunctions::finish(void* call) noexcept {
    auto* finished = static_cast<Call*>(call);
    const std::shared_ptr<Finished> home = std::move(finished->home);
    home->put(finished);
}

void HostFunctions::run_once(void* call) noexcept {
    run(call);
    finish(call);
}

void HostFunctions::call(CUstream stream, std::function<void()> function) const {
    const CudaContext::Entered entered = context_.enter();
    destroy_finished();
    const DriverApi& api = context_.api();
    auto call = std::make_unique<Call>(Call{std::move(function), finished_});
    if (!entered->memory->is_capturing(stream)) {
        CaptureRecord::require_none(context_.device());
        const CUresult result = api.launch_host_function(stream, run_once, call.get());
        // After success run_once owns the call and may already have destroyed it.
        if (result == CUDA_SUCCESS) static_cast<void>(call.release());
        context_.check(result, "cuLaunchHostFunc");
        return;
    }
    Call* given = own_by_graph(std::move(call), stream);
    context_.check(api.launch_host_function(stream, run, given), "cuLaunchHostFunc");
}

void HostFunctions::keep(CUstream stream, std::shared_ptr<const void> object) const {
    const CudaContext::Entered entered = context_.enter();
    own_by_graph(std::make_unique<Call>(Call{[object = std::move(object)] {}, finished_}), stream);
}

HostFunctions::Call* HostFunctions::own_by_graph(std::unique_ptr<Call> call,
                                                 CUstream stream) const {
    const CUgraph graph = captured_graph(context_.driver(), stream, context_.text());
    Call* given = call.release();  // if no graph can own it, it stays until the end of the process
    if (graph != nullptr) give_to_graph(context_.driver(), graph, given, finish, context_.text());
    return given;
}

void HostFunctions::destroy_finished() const noexcept {
    finished_->destroy_all();
}

}  // namespace kgen
