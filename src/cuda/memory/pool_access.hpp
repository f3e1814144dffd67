// SPDX-License-Identifier: MIT
//
// Opens a new memory pool to the other GPUs. The driver copies between pools that are not open to each other
// through the host: 38 GB/s between two H200 with NVLink, compared with 396 for open pools (driver 580.159).
// Access is set once, before the first allocation, and never changed: on the same machines, a fault occurred
// when pools were opened while other threads used their memory. The CUDA Programming Guide (Stream-Ordered
// Memory Allocator) says that a pool which a GPU can access should stay accessible from it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cuda/driver/driver_library.hpp"

namespace kgen {

// The other GPUs that may access the memory of a GPU.
struct PeerAccess {
    std::vector<CUmemAccessDesc> peers;  // those that can (cuDeviceCanAccessPeer)
    // By ordinal, the driver call that failed for a GPU, and its error. Such a GPU has no access. It is no error of the
    // pool, because the program may use the other GPUs only.
    std::map<int, std::string> failures;
};

// Finds the GPUs that can access memory of `device`; none if KGEN_PEER_ACCESS is 0. Calls the driver only if the process
// can use several GPUs. Throws DeviceError if KGEN_PEER_ACCESS is neither auto nor 0.
PeerAccess find_peers(const DriverLibrary& driver, CUdevice device);

// Opens the pool to the peers. Those to which it cannot be opened become failures. Must be called before the first
// allocation from the pool. Calls the driver only if there are peers.
void open_pool(const DriverLibrary& driver, CUmemoryPool pool, PeerAccess& access);

}  // namespace kgen
