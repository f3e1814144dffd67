// SPDX-License-Identifier: MIT
//
// memory_folder: where tests that make and remove many files put them: in memory if the system has such a
// place, as disks may take milliseconds for each file that is removed. To be given to TempDir as TMPDIR.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

inline std::string memory_folder() {
    constexpr const char* shared_memory = "/dev/shm";
    if (::access(shared_memory, W_OK | X_OK) == 0) return shared_memory;
    return std::filesystem::temp_directory_path();
}
