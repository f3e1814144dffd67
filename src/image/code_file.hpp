// SPDX-License-Identifier: MIT
//
// read_code_file: reads a raw program from a file that holds CUDA C++ or compiled code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "device/image.hpp"

namespace kgen {

struct CodeFile {
    enum class Kind : std::uint8_t { source, ptx, cubin, fatbin };
    Kind kind = Kind::source;
    std::string text;  // contents of a source file
    // The code of the other kinds as one section, with the architecture that the file is for: "sm_90" for a
    // cubin, "compute_90a" for PTX, empty for a fatbin, which has code for several. Cubins of CUDA 13 do not
    // tell whether they need sm_90a.
    Image image;
};

// Tells the kinds apart by content, not by name. Throws IoError "PATH: ..." if the file cannot be read, is
// empty, truncated or larger than 1 GiB, or is of another kind: host object files, relocatable cubins,
// unknown bytes.
CodeFile read_code_file(const std::string& path);

// The same for bytes. Messages do not name a path.
CodeFile parse_code_file(const std::string& bytes);

// Returns whether the text begins with .version after blanks and comments. All PTX must, and no C++ can.
bool is_ptx(std::string_view text);

// Returns "compute_90" for ".target sm_90, debug". Throws IoError if .target is not where it must be.
std::string read_ptx_arch(std::string_view text);

}  // namespace kgen
