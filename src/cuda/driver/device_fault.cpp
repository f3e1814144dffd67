// SPDX-License-Identifier: MIT
#include "cuda/driver/device_fault.hpp"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kgen {

bool DeviceFault::is_sticky(int result) noexcept {
    // 226 and 721 are CUDA_ERROR_CONTAINED and CUDA_ERROR_TENSOR_MEMORY_LEAK, which older headers lack.
    constexpr int sticky[] = {226,
                              CUDA_ERROR_ILLEGAL_ADDRESS,
                              CUDA_ERROR_LAUNCH_TIMEOUT,
                              CUDA_ERROR_ASSERT,
                              CUDA_ERROR_HARDWARE_STACK_ERROR,
                              CUDA_ERROR_ILLEGAL_INSTRUCTION,
                              CUDA_ERROR_MISALIGNED_ADDRESS,
                              CUDA_ERROR_INVALID_ADDRESS_SPACE,
                              CUDA_ERROR_INVALID_PC,
                              CUDA_ERROR_LAUNCH_FAILED,
                              721,
                              CUDA_ERROR_ECC_UNCORRECTABLE,
                              CUDA_ERROR_NVLINK_UNCORRECTABLE,
                              CUDA_ERROR_MPS_CLIENT_TERMINATED};
    return std::ranges::find(sticky, result) != std::end(sticky);
}

void DeviceFault::lose(const std::string& failure,
                       const char* call,
                       int code,
                       const std::string& device,
                       Culprit culprit) {
    std::string message = failure;
    bool is_named = culprit == Culprit::named;
    if (!is_named) {
        const std::string launches = recent_launches();
        is_named = launches.empty();  // if kgen launched nothing, KGEN_SYNC=1 would not help
        if (!is_named) message += "\nan earlier launch failed; the last ones: " + launches;
    }
    message +=
        fmt::format("\n{} can no longer be used by this process{}: start the process again{}",
                    device,
                    code == CUDA_ERROR_ASSERT ? ", because an assertion failed in a kernel" : "",
                    is_named ? "" : "; set KGEN_SYNC=1 to find the launch that fails");
    {
        const std::lock_guard lock(mutex_);
        if (!first_) first_ = DeviceError(message, call, code);
    }
    is_lost_.store(true, std::memory_order_release);
    throw_first();
}

void DeviceFault::throw_first() const {
    const std::lock_guard lock(mutex_);
    throw DeviceError(*first_);
}

const std::string* DeviceFault::intern(const std::string& kernel) {
    const std::lock_guard lock(mutex_);
    return &*names_.insert(kernel).first;  // the address of an element of the set never changes
}

std::string DeviceFault::recent_launches() const {
    std::string text;
    std::string latest;
    int times = 0;
    const auto add_latest = [&] {
        if (times == 0) return;
        if (!text.empty()) text += ", ";
        text += latest;
        if (times > 1) text += fmt::format(" ({} times)", times);
    };
    const unsigned end = next_.load(std::memory_order_relaxed);
    for (std::size_t back = 1; back <= recent_.size(); ++back) {
        const Note& note = recent_[(end - back) % recent_.size()];
        const std::string* what = note.what.load(std::memory_order_relaxed);
        if (what == nullptr) break;
        std::string launch = fmt::format("'{}'", *what);
        const LaunchExtents grid = note.grid.load(std::memory_order_relaxed);
        const LaunchExtents block = note.block.load(std::memory_order_relaxed);
        if (grid != LaunchExtents()) {
            launch +=
                fmt::format(" with grid {} and block {}", extents_text(grid), extents_text(block));
        }
        if (launch != latest) {
            add_latest();
            latest = std::move(launch);
            times = 0;
        }
        ++times;
    }
    add_latest();
    return text;
}

}  // namespace kgen
