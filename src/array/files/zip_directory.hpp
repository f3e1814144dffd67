// SPDX-License-Identifier: MIT
//
// What a zip archive says of its entries, at its end. Nothing in it is believed: places and sizes lie within the file, no two
// entries share bytes or a name, and no name leads out of a folder. The file beside it is not read.
//
// libzip 1.7.3 cannot replace this reader. It accepts an entry inside the data of another one, and it turns a NUL in a name into a
// space. It compares an entry's own header with the directory only with ZIP_CHECKCONS, which reads the headers of all entries. Its
// interface gives neither offsets nor flags, so checks around it would have to parse the directory a second time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/input_file.hpp"

namespace kgen {

struct ZipEntry {
    std::string name;  // UTF-8
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t crc = 0;
    std::uint64_t packed_bytes = 0;  // in the file
    std::uint64_t bytes = 0;
    std::uint64_t header_offset = 0;
    std::uint64_t end_limit = 0;  // where the next entry, or the directory, begins
};

// In the order of the directory. Throws IoError that does not name the path.
std::vector<ZipEntry> read_zip_directory(const InputFile& file);

// Why an entry must not have this name; empty if it may.
std::string problem_of_zip_name(std::string_view name);

}  // namespace kgen
