// SPDX-License-Identifier: MIT
//
// Communicators for tests of sharded arrays.
#pragma once

#include <cstddef>
#include <kgen/communicator.hpp>
#include <vector>

namespace kgen::test {

// Returns ranks of this process that share a device.
inline Communicator ranks_on(Device device, int count) {
    return Communicator::of_devices(std::vector<Device>(static_cast<std::size_t>(count), device));
}

}  // namespace kgen::test
