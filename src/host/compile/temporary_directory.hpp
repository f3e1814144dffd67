// SPDX-License-Identifier: MIT
//
// A private directory (mode 0700) below TMPDIR or /tmp. It is removed with its contents by the destructor.
// Directories of processes that ended without removing theirs are removed when the next one is made.
#pragma once

#include <string>

#include "file_descriptor.hpp"

namespace kgen {

class TemporaryDirectory {
public:
    // Throws DeviceError if the directory cannot be made, and names the parent directory.
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
    cache::FileDescriptor owner_;  // the locked file that shows that this process lives
};

}  // namespace kgen
