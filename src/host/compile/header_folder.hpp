// SPDX-License-Identifier: MIT
//
// HeaderFolder: writes a job's headers from memory to files, for compilers that only read files. The compiler
// runs in this folder, so it does not find the user's files by accident and no temporary name gets into the
// code.
#pragma once

#include <string>
#include <vector>

#include "device/compiler.hpp"

namespace kgen {

class HeaderFolder {
public:
    // Creates the folder below `directory`, whose owner removes both. Throws DeviceError if a file cannot be
    // written.
    HeaderFolder(const std::string& directory, const CompileJob& job);

    const std::string& path() const noexcept { return path_; }

    // Options that make the compiler search the folder, then the job's own directories. They must stand
    // before the user's -I.
    std::vector<std::string> options() const;

    // Removes the folder's path from the compiler's output.
    void hide_path(std::string& output) const;

private:
    std::string path_;
    bool has_headers_ = false;
    std::vector<std::string> directories_;
};

// Makes the path of "-Iinclude" absolute, from this process's working directory. Returns other options
// unchanged.
std::string with_absolute_path(const std::string& option);

}  // namespace kgen
