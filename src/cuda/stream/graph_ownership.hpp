// SPDX-License-Identifier: MIT
//
// Gives objects to a graph that is being captured, so that the graph owns them. This uses the driver's user
// objects, so it also works if another library began the capture (CUDA Driver API, cuGraphRetainUserObject).
#pragma once

#include <string>

#include "cuda/driver/driver_library.hpp"

namespace kgen {

// Returns the graph that `stream` is being captured into, or nullptr if it is not being captured. Also
// returns nullptr if the driver lacks user objects, because then no graph can own anything. Throws
// DeviceError if the capture is no longer valid.
CUgraph captured_graph(const DriverLibrary& driver,
                       CUstream stream,
                       const std::string& device_text);

// Makes the graph an owner of `object`. The driver calls `destroy(object)` once, after the graph and
// everything made from it are destroyed and their work has finished. It does so on a thread of its own, where
// `destroy` must not call the driver. If give_to_graph throws DeviceError, `destroy` was already called.
void give_to_graph(const DriverLibrary& driver,
                   CUgraph graph,
                   void* object,
                   CUhostFn destroy,
                   const std::string& device_text);

}  // namespace kgen
