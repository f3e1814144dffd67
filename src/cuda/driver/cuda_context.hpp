// SPDX-License-Identifier: MIT
//
// CudaContext: the state of one GPU that all classes in src/cuda share. It holds the table of driver
// functions, the primary context, the device memory and the error handling. Thread-safe. The first call that
// needs the primary context creates it; it is never released.
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
        // Unique id of the context, because a later context may get the same address. 0 if the driver has no
        // ids.
        unsigned long long id = 0;
        std::unique_ptr<CudaMemory> memory;
        std::unique_ptr<CudaScratch> scratch;
    };

    // Makes the primary context current on this thread. The destructor makes the previous context current
    // again. If the thread had no context, the primary context of cuda:0 stays current, because the CUDA
    // runtime would choose it too. The primary context of any other device does not stay current.
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

    // Throws DeviceError if the driver has no such device, or if KGEN_SYNC is neither 0 nor 1. `driver`
    // must outlive this.
    CudaContext(const DriverLibrary& driver, int ordinal);
    ~CudaContext();  // does not call the driver
    CudaContext(const CudaContext&) = delete;
    CudaContext& operator=(const CudaContext&) = delete;

    const DriverLibrary& driver() const noexcept { return driver_; }
    const DriverApi& api() const noexcept { return driver_.api(); }
    Device device() const noexcept { return device_; }
    CUdevice handle() const noexcept { return handle_; }
    const std::string& text() const noexcept { return text_; }  // "cuda:0"
    DeviceFault& fault() const noexcept { return fault_; }
    int attribute(CUdevice_attribute name) const;

    // Makes the primary context current. Throws the first error again if the device is lost.
    Entered enter() const { return Entered(*this); }
    // Returns the state, or nullptr if the context was not created yet. Does not call the driver.
    State* known_state() const noexcept { return state_.load(std::memory_order_acquire); }

    // Throws DeviceError unless `result` is success. After an error that makes the GPU unusable for this
    // process, all later calls throw the same error again. This also applies to the first error after other
    // code in the process has reset or destroyed the primary context, even if a new context has the same
    // address.
    void check(CUresult result, const char* call) const {
        if (result != CUDA_SUCCESS) fail(result, call, text_);
    }
    [[noreturn]] void fail(CUresult result, const char* call, const std::string& context) const;

    // Must be called after each launch; `what` is the name of the kernel or graph. With KGEN_SYNC=1 it waits
    // for the launch to finish, so that an error is thrown by the launch that caused it.
    void launched(const std::string* what,
                  LaunchExtents grid,
                  LaunchExtents block,
                  CUstream stream) const {
        fault_.note_launch(what, grid, block);
        if (waits_for_launches_) wait_for_launch(*what, grid, block, stream);
    }

    // Calls `run`. If it throws an error that makes the GPU unusable, the error is remembered as by check().
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

    // Calls `release` on behalf of a destructor: errors are logged, not thrown.
    template <typename Release>
    void release(const char* what, Release release) const noexcept {
        if (fault_.is_lost()) return;  // the end of the process frees everything
        try {
            release(enter());
        } catch (const DeviceError& error) {
            if (DeviceFault::is_sticky(error.code()))
                return;  // the next call that may throw reports it
            // At exit the driver may shut down before the last handle is released. Nothing leaks then.
            if (error.code() == CUDA_ERROR_DEINITIALIZED) return;
            try {
                log().error("{}: {}", what, error.what());
            } catch (...) {  // a destructor has no other place to report to
            }
        } catch (...) {
        }
    }

    // Queues a library that no kernel uses any more for unload_dropped(). Does not call the driver, because
    // unloading waits for all work of the device (driver for CUDA 13.0, H100) and a destructor must not wait.
    void unload_later(CUlibrary library) const noexcept;
    // Unloads the queued libraries. For calls that wait for the device anyway, such as loading code. Returns
    // false if the queue was empty or kgen is capturing a stream.
    bool unload_dropped() const noexcept;
    // Keeps code that another library's graph may need until the end of the process.
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
