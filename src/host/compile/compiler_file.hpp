// SPDX-License-Identifier: MIT
//
// What a file of a compiler says without being run: which one it is, and its version.
#pragma once

#include <string>

namespace kgen {

// The GNU build-id of an ELF file in hex; for a file without one its size and time of change; empty
// if there is no such file. Reads a few hundred bytes.
std::string identify_file(const std::string& path);

// The first string in the file that is a version of three numbers with this major number, "12.2.0"; empty
// if there is none.
std::string find_version(const std::string& path, const std::string& major);

}  // namespace kgen
