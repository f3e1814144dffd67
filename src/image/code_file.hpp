// SPDX-License-Identifier: MIT
//
// read_code_file: a program of the user's own from a file: CUDA C++, or code that is compiled already.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "device/image.hpp"

namespace kgen {

struct CodeFile {
    enum class Kind : std::uint8_t { source, ptx, cubin, fatbin };
    Kind kind = Kind::source;
    std::string text;  // of a source
    // Of the other kinds: one section, and the architecture that the file is for: "sm_90" for a cubin
    // (that it needs sm_90a, files of CUDA 13 do not tell), "compute_90a" for PTX, empty for a
    // fatbin, which has code for several.
    Image image;
};

// Tells the kinds apart by content, not by name. Throws IoError "PATH: ..." for a file that cannot be
// read, is empty, truncated, larger than 1 GiB, or of another kind: host object files, relocatable
// cubins, unknown bytes.
CodeFile read_code_file(const std::string& path);

// The same for bytes; messages are without the path.
CodeFile parse_code_file(std::string bytes);

}  // namespace kgen
