// SPDX-License-Identifier: MIT
//
// Loads a shared object from memory, without a file system that allows execution where the kernel
// has memfd_create.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kgen {

// A loaded object, unloaded when this goes: what find() gave is used no more then.
class SharedObject {
public:
    // `kernel` is for messages. Throws DeviceError: what the loader says, without the path.
    SharedObject(const std::vector<std::byte>& bytes, std::string kernel);
    ~SharedObject();
    SharedObject(const SharedObject&) = delete;
    SharedObject& operator=(const SharedObject&) = delete;

    // The address of a function or an object. Throws DeviceError if there is none of that name.
    void* find(const std::string& symbol) const;

private:
    std::string kernel_;
    void* handle_ = nullptr;
};

}  // namespace kgen
