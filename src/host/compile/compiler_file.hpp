// SPDX-License-Identifier: MIT
//
// Identifies a compiler and its version from its files, without running it.
#pragma once

#include <string>

namespace kgen {

// Returns the GNU build-id of an ELF file in hex. A file without one is identified by its size and time of
// change. Returns an empty string if the file does not exist. Reads a few hundred bytes.
std::string identify_file(const std::string& path);

// Returns the first version of three numbers in the file that has this major number, such as "12.2.0". Empty
// if there is none.
std::string find_version(const std::string& path, const std::string& major);

}  // namespace kgen
