// SPDX-License-Identifier: MIT
//
// Loads a shared object from memory. If the system has memfd_create, no file system that allows execution is
// needed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "device/image.hpp"

namespace kgen {

// A loaded object, unloaded by the destructor. Addresses that find() returned are invalid afterwards.
class SharedObject {
public:
    // `kernel` is for messages. Throws DeviceError with the loader's message, without the path.
    SharedObject(const std::vector<std::byte>& bytes, std::string kernel);
    ~SharedObject();
    SharedObject(const SharedObject&) = delete;
    SharedObject& operator=(const SharedObject&) = delete;

    // Returns the address of a function or variable. Throws DeviceError if the object has no such symbol.
    void* find(const std::string& symbol) const;

private:
    std::string kernel_;
    void* handle_ = nullptr;
};

// Returns the shared object in an image. Throws DeviceError if there is none or it is for another machine;
// the message begins with `subject`: "host kernel 'k' cannot be loaded".
const std::vector<std::byte>& host_object_of(const Image& image, const std::string& subject);

}  // namespace kgen
