// SPDX-License-Identifier: MIT
//
// ZipWriter: writes a zip archive to a file, entry by entry. The same input gives the same bytes, because no
// time and no user name are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <kgen/npz.hpp>
#include <string>
#include <vector>

#include "array/files/zip_directory.hpp"
#include "files/replacement_file.hpp"

namespace kgen {

class ZipWriter {
public:
    // Numbers above `largest` are written in 64 bits. The default is below all ones, which marks such
    // numbers.
    ZipWriter(ReplacementFile& file, NpzCompression compression, std::uint64_t largest = 0xfffffffe)
        : file_(&file), compression_(compression), largest_(largest) {}

    using Sink = std::function<void(const void* data, std::size_t bytes)>;
    // Adds an entry. `write` must pass all its data, `bytes` in total, to the sink. Throws IoError.
    void add(const std::string& name,
             std::uint64_t bytes,
             const std::function<void(const Sink&)>& write);
    // Writes the directory. Throws IoError.
    void finish();

private:
    std::string header_of(const ZipEntry& entry, bool has_64_bits) const;
    void put(const void* data, std::size_t bytes);

    ReplacementFile* file_;
    NpzCompression compression_;
    std::uint64_t largest_;
    std::uint64_t at_ = 0;
    std::vector<ZipEntry> entries_;
};

}  // namespace kgen
