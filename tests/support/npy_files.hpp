// SPDX-License-Identifier: MIT
//
// Helpers for tests that read and write files: a folder, whole files, and handmade .npy files.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

#include "catch.hpp"

namespace kgen::test {

// A temporary folder that is removed with its contents. It is the current folder during its
// lifetime, so messages show short paths.
class WorkFolder {
public:
    WorkFolder() : previous_(std::filesystem::current_path()) {
        std::string name = (std::filesystem::temp_directory_path() / "kgen-files-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
        std::filesystem::current_path(path_);
    }
    ~WorkFolder() {
        std::error_code ignored;
        std::filesystem::current_path(previous_, ignored);
        std::filesystem::remove_all(path_, ignored);
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

private:
    std::filesystem::path previous_;
    std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline void write_file(const std::string& path, const std::string& bytes) {
    std::filesystem::remove(path);  // truncating a file would write it to disk at once
    std::ofstream(path, std::ios::binary) << bytes;
}

// Returns an .npy file of version `major`.0 with this dictionary and no padding.
inline std::string npy(const std::string& dictionary, const std::string& data, int major = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(major);
    bytes += '\0';
    for (int k = 0; k < (major == 1 ? 2 : 4); ++k) {
        bytes += static_cast<char>(dictionary.size() >> (8 * k) & 0xff);
    }
    return bytes + dictionary + data;
}

inline std::string header(const std::string& descr, const std::string& shape) {
    return fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", descr, shape);
}

inline std::size_t files_here() {
    const std::filesystem::directory_iterator begin("."), end;
    return static_cast<std::size_t>(std::distance(begin, end));
}

inline bool has_numpy() {
    return std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") == 0;
}

}  // namespace kgen::test
