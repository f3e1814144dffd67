// SPDX-License-Identifier: MIT
//
// Runs work of the array code on elements in host memory. The work runs immediately. If the current host
// stream is being captured, the work becomes part of the graph instead, and its results cannot be read yet.
#pragma once

#include <kgen/array.hpp>
#include <utility>

#include "device/registry.hpp"
#include "memory/storage.hpp"

namespace kgen {

// Runs `work`, or adds it to the graph. `work` must own everything that it needs, because it may run later.
template <typename Work>
void run_on_host(Work work) {
    if (CaptureRecord::is_active_on(Device::host())) {
        backend(Device::host())
            .call_on_host(current_stream(Device::host()).handle(), std::move(work));
    } else {
        work();
    }
}

// Throws DeviceError if `device` uses host memory and its current stream is being captured. Must be called
// before code that cannot become part of a graph accesses elements in host memory, because captured work has
// not run yet.
inline void require_host_elements(Device device) {
    if (traits(device).uses_host_memory && CaptureRecord::is_active_on(device)) [[unlikely]]
        backend(device).synchronize_stream(current_stream(device).handle());
}

}  // namespace kgen
