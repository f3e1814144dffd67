// SPDX-License-Identifier: MIT
//
// What a graph that is being captured owns: through user objects of the driver, also where another
// library began the capture (CUDA Driver API, cuGraphRetainUserObject).
#pragma once

#include <string>

#include "cuda/driver/driver_library.hpp"

namespace kgen {

// What `stream` is being captured into; nullptr where it is not, and where the driver cannot say: then
// no graph can own anything either. Throws DeviceError for a capture that is no longer valid.
CUgraph captured_graph(const DriverLibrary& driver,
                       CUstream stream,
                       const std::string& device_text);

// `destroy(object)` is called once, when the graph and all that was made from it are gone and their
// work is done: on a thread of the driver's, which it must not call back. If this throws DeviceError,
// it has been called already.
void give_to_graph(const DriverLibrary& driver,
                   CUgraph graph,
                   void* object,
                   CUhostFn destroy,
                   const std::string& device_text);

}  // namespace kgen
