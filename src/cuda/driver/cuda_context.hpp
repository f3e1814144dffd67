// SPDX-License-Identifier: MIT
//
// One GPU as everything in src/cuda that talks to it sees it: the driver's table, the primary
// context, the memory of the device, and what becomes of errors. Thread safe. The context is made by
// the first call that needs it and is never released.
#pragma once

#include <atomic>
#include <kgen/device.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/driver/device_fault.hpp"
#include "cuda/driver/driver_library.hpp"
#include "cuda/memory/cuda_memory.hpp"
#include "cuda/memory/cuda_scratch.hpp"
#include "text/log.hpp"

namespace kgen {

class CudaContext {
public:
    struct State {
        CUcontext context = nullptr;
        // Of this context alone, where another may come to have its address; 0: the driver says none.
        unsigned long long id = 0;
        std::unique_ptr<CudaMemory> memory;
        std::unique_ptr<CudaScratch> scratch;
    };

    // The primary context is current on this thread while this lives. The destructor makes the previous context
    // current again. A thread that had none keeps the primary context of cuda:0, which the CUDA runtime
    // would choose for it too; that of another device it does not keep.
    class [[nodiscard]] Entered {
    public:
        ~Entered() {
            if (is_changed_) api_.context_set_current(previous_);
        }
        Entered(const Entered&) = delete;
        Entered& operator=(const Entered&) = delete;
        State* operator->() const noexcept { return state_; }
        State& operator*() const noexcept { return *state_; }

    private:
        friend class CudaContext;
        explicit Entered(const CudaContext& context);
        explicit Entered(const DriverApi& api) : api_(api) {}
        const DriverApi& api_;
        State* state_ = nullptr;
        CUcontext previous_ = nullptr;
        bool is_changed_ = false;
    };

    // Throws DeviceError if the driver has no such device, or if KGEN_SYNC does not read. `driver`
    // must outlive this.
    CudaContext(const DriverLibrary& driver, int ordinal);
    ~CudaContext();  // calls no driver
    CudaContext(const CudaContext&) = delete;
    CudaContext& operator=(const CudaContext&) = delete;

    const DriverLibrary& driver() const noexcept { return driver_; }
    const DriverApi& api() const noexcept { return driver_.api(); }
    Device device() const noexcept { return device_; }
    CUdevice handle() const noexcept { return handle_; }
    const std::string& text() const noexcept { return text_; }  // "cuda:0"
    DeviceFault& fault() const noexcept { return fault_; }
    int attribute(CUdevice_attribute name) const;

    // Throws the first error again if the device is lost.
    Entered enter() const { return Entered(*this); }
    // The state if the context was made already, else nullptr; calls no driver.
    State* known_state() const noexcept { return state_.load(std::memory_order_acquire); }

    // Throws DeviceError unless `result` is success. An error that costs the process its GPU is
    // remembered and thrown by all later calls, as is the first one after something else in the
    // process has reset or destroyed the primary context, also if it was made anew at its address.
    void check(CUresult result, const char* call) const {
        if (result != CUDA_SUCCESS) fail(result, call, text_);
    }
    [[noreturn]] void fail(CUresult result, const char* call, const std::string& context) const;

    // To be called after each launch with what was launched. Waits for it under KGEN_SYNC=1, so that
    // the launch that fails is the one that throws.
    void launched(const std::string* what,
                  LaunchExtents grid,
                  LaunchExtents block,
                  CUstream stream) const {
        fault_.note_launch(what, grid, block);
        if (waits_for_launches_) wait_for_launch(*what, grid, block, stream);
    }

    // Runs it; an error that costs the process its GPU is remembered, as check() does of one call.
    template <typename Run>
    auto remembering_loss(Run run) const {
        try {
            return run();
        } catch (const DeviceError& error) {
            if (DeviceFault::is_sticky(error.code()))
                fail(static_cast<CUresult>(error.code()), error.call().c_str(), text_);
            throw;
        }
    }

    // Runs what a destructor needs: errors are logged, not thrown.
    template <typename Release>
    void release(const char* what, Release release) const noexcept {
        if (fault_.is_lost()) return;  // all of it is gone with the process
        try {
            release(enter());
        } catch (const DeviceError& error) {
            if (DeviceFault::is_sticky(error.code()))
                return;  // the next call that may throw says it
            // At exit the driver may have been shut down before the last handle: nothing is lost then.
            if (error.code() == CUDA_ERROR_DEINITIALIZED) return;
            try {
                log().error("{}: {}", what, error.what());
            } catch (...) {  // a destructor has no other place to report to
            }
        } catch (...) {
        }
    }

    // Takes a library that no kernel uses any more. Calls no driver: unloading waits for all work of the
    // device (driver for CUDA 13.0, H100), which a destructor must not.
    void unload_later(CUlibrary library) const noexcept;
    // Unloads those that were taken, for calls that wait anyway: loading code waits too. False if there
    // were none, or kgen is capturing a stream.
    bool unload_dropped() const noexcept;
    // Code that another library's graph may need stays to the end of the process.
    void never_unload(std::shared_ptr<const void> library) const;

private:
    void make_current(Entered& entered, CUcontext context) const;
    State& make_state(Entered& entered) const;
    bool is_context_gone() const noexcept;
    void wait_for_launch(const std::string& what,
                         LaunchExtents grid,
                         LaunchExtents block,
                         CUstream stream) const;

    const DriverLibrary& driver_;
    Device device_;
    std::string text_;
    CUdevice handle_ = 0;
    bool waits_for_launches_ = false;
    mutable DeviceFault fault_;
    mutable std::atomic<State*> state_ = nullptr;
    mutable std::mutex mutex_;
    mutable std::mutex libraries_mutex_;  // guards those below
    mutable std::vector<CUlibrary> dropped_libraries_;
    mutable std::vector<std::shared_ptr<const void>> kept_libraries_;
};

}  // namespace kgen
