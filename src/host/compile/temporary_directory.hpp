// SPDX-License-Identifier: MIT
//
// A private directory (0700) under TMPDIR or /tmp that goes away with all that is in it. Directories of
// processes that ended before they could remove theirs are removed when the next one is made.
#pragma once

#include <string>

#include "host/descriptor.hpp"

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
    Descriptor owner_;  // the locked file that shows that this process lives
};

}  // namespace kgen
