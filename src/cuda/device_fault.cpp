// SPDX-License-Identifier: MIT
#include "cuda/device_fault.hpp"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kgen {

bool DeviceFault::is_sticky(int result) noexcept {
    switch (result) {
        case 226:  // CUDA_ERROR_CONTAINED, absent in older headers
        case CUDA_ERROR_ILLEGAL_ADDRESS:
        case CUDA_ERROR_LAUNCH_TIMEOUT:
        case CUDA_ERROR_ASSERT:
        case CUDA_ERROR_HARDWARE_STACK_ERROR:
        case CUDA_ERROR_ILLEGAL_INSTRUCTION:
        case CUDA_ERROR_MISALIGNED_ADDRESS:
        case CUDA_ERROR_INVALID_ADDRESS_SPACE:
        case CUDA_ERROR_INVALID_PC:
        case CUDA_ERROR_LAUNCH_FAILED:
        case 721:  // CUDA_ERROR_TENSOR_MEMORY_LEAK, likewise
        case CUDA_ERROR_ECC_UNCORRECTABLE:
        case CUDA_ERROR_NVLINK_UNCORRECTABLE:
        case CUDA_ERROR_MPS_CLIENT_TERMINATED:
            return true;
        default:
            return false;
    }
}

void DeviceFault::lose(const std::string& failure,
                       const char* call,
                       int code,
                       const std::string& device) {
    const std::string launches = recent_launches();
    const std::string message = fmt::format(
        "{}{}; this process can no longer use {}: start it again",
        failure,
        launches.empty()
            ? std::string()
            : fmt::format(": an earlier launch failed, the last kernels were {}", launches),
        device);
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
    return &*names_.insert(kernel).first;  // nodes do not move
}

std::string DeviceFault::recent_launches() const {
    std::vector<const std::string*> latest;
    const unsigned end = next_.load(std::memory_order_relaxed);
    for (std::size_t back = 1; back <= recent_.size(); ++back) {
        const std::string* name =
            recent_[(end - back) % recent_.size()].load(std::memory_order_relaxed);
        if (name != nullptr && std::find(latest.begin(), latest.end(), name) == latest.end()) {
            latest.push_back(name);
        }
    }
    std::string text;
    for (auto name = latest.rbegin(); name != latest.rend(); ++name) {
        text += (text.empty() ? "'" : ", '") + **name + "'";
    }
    return text;
}

}  // namespace kgen
