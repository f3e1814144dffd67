// SPDX-License-Identifier: MIT
//
// Opens a new memory pool to the other GPUs. The driver copies between pools that are not open to each other
// through the host: 38 GB/s between two H200 with NVLink, compared with 396 for open pools (driver 580.159).
// Access is set once, before the first allocation, and never changed: on the same machines, a fault occurred
// when pools were opened while other threads used their memory. The CUDA Programming Guide (Stream-Ordered
// Memory Allocator) says that a pool which a GPU can access should stay accessible from it.
#pragma once

#include <string>
#include <vector>

#include "cuda/driver/driver_library.hpp"

namespace kgen {

// Returns access for the other GPUs that can reach memory of `device` (cuDeviceCanAccessPeer), or nothing if
// KGEN_PEER_ACCESS is 0. Calls the driver only if the process can use several GPUs. Throws DeviceError if
// KGEN_PEER_ACCESS is neither auto nor 0.
std::vector<CUmemAccessDesc> access_of_peers(const DriverLibrary& driver,
                                             CUdevice device,
                                             const std::string& device_text);

// Must be called before the first allocation from the pool. Calls the driver only if there are peers. Throws
// DeviceError, which names the peers.
void open_pool(const DriverLibrary& driver,
               CUmemoryPool pool,
               const std::vector<CUmemAccessDesc>& peers,
               const std::string& device_text);

}  // namespace kgen
