// SPDX-License-Identifier: MIT
//
// A private directory (0700) under TMPDIR or /tmp that goes away with all that is in it.
#pragma once

#include <string>

namespace kgen {

class TemporaryDirectory {
public:
    // Throws DeviceError, naming the directory in which it could not be made.
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

}  // namespace kgen
