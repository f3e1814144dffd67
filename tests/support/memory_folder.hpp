// SPDX-License-Identifier: MIT
//
// memory_folder: the folder for tests that create and remove many files. It is in memory if possible,
// because removing a file from a disk may take milliseconds. Set TMPDIR to it, so that TempDir uses it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

inline std::string memory_folder() {
    constexpr const char* shared_memory = "/dev/shm";
    if (::access(shared_memory, W_OK | X_OK) == 0) return shared_memory;
    return std::filesystem::temp_directory_path();
}
