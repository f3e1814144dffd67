// SPDX-License-Identifier: MIT
//
// Loads a shared object from memory, without a file system that allows execution where the kernel
// has memfd_create.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kgen {

// The address of `symbol` in the loaded object, which stays loaded to the end of the process.
// Throws DeviceError: what the loader says, without the path.
void* load_shared_object(const std::vector<std::byte>& bytes, const std::string& symbol);

}  // namespace kgen
