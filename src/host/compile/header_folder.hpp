// SPDX-License-Identifier: MIT
//
// HeaderFolder: a job's headers in memory as files for a compiler that knows nothing else. Their
// folder is the compiler's working directory, so that no file of the user's is found by accident and
// no temporary name gets into the code.
#pragma once

#include <string>
#include <vector>

#include "device/compiler.hpp"

namespace kgen {

class HeaderFolder {
public:
    // Makes it below `directory`, with which it goes. Throws DeviceError if a file cannot be written.
    HeaderFolder(const std::string& directory, const CompileJob& job);

    const std::string& path() const noexcept { return path_; }

    // Where the compiler finds them, then the job's own directories: before the user's -I.
    std::vector<std::string> options() const;

    // Takes the folder's name out of what a compiler printed.
    void hide_path(std::string& output) const;

private:
    std::string path_;
    bool has_headers_ = false;
    std::vector<std::string> directories_;
};

// "-Iinclude" with the path as it is from this process's working directory; other options as they are.
std::string with_absolute_path(const std::string& option);

}  // namespace kgen
