// SPDX-License-Identifier: MIT
//
// Reads the directory at the end of a zip archive, and nothing else of the file. The directory is not
// trusted: the reader checks that offsets and sizes lie within the file, that no two entries share bytes or a
// name, and that no name leads out of its folder.
//
// libzip 1.7.3 cannot replace this reader. It accepts an entry inside the data of another one, and it turns a
// NUL in a name into a space. It compares an entry's own header with the directory only with ZIP_CHECKCONS,
// which reads the headers of all entries. Its interface gives neither offsets nor flags, so checks around it
// would have to parse the directory a second time.
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
    std::uint64_t packed_bytes = 0;  // size in the file
    std::uint64_t bytes = 0;         // size after decompression
    std::uint64_t header_offset = 0;
    std::uint64_t end_limit = 0;  // offset at which the next entry, or the directory, begins
};

// Returns the entries in the order of the directory. Throws IoErrors that do not name the path.
std::vector<ZipEntry> read_zip_directory(const InputFile& file);

// Says why an entry must not have this name. Returns an empty text if the name is allowed.
std::string problem_of_zip_name(std::string_view name);

}  // namespace kgen
