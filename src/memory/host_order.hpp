// SPDX-License-Identifier: MIT
//
// Element work that the array code does itself, in host memory: at once, except where the current
// stream of the host is being captured. Then the graph does it, and results cannot be read yet.
#pragma once

#include <kgen/array.hpp>
#include <utility>

#include "device/registry.hpp"
#include "memory/storage.hpp"

namespace kgen {

// `work` owns what it needs.
template <typename Work>
void run_on_host(Work work) {
    if (CaptureRecord::is_active_on(Device::host())) {
        backend(Device::host())
            .call_on_host(current_stream(Device::host()).handle(), std::move(work));
    } else {
        work();
    }
}

// Before elements in host memory are read, or written from outside. Throws DeviceError.
inline void require_host_elements(Device device) {
    if (device.kind() == DeviceKind::host && CaptureRecord::is_active_on(device)) [[unlikely]]
        backend(device).synchronize_stream(current_stream(device).handle());
}

}  // namespace kgen
