// SPDX-License-Identifier: MIT
//
// ZipWriter: a zip archive, written in order into a file. All that it writes follows from what it is given: no clock, no user.
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
    // Numbers beyond `largest` are written in 64 bits: all ones in the short form are taken.
    ZipWriter(ReplacementFile& file, NpzCompression compression, std::uint64_t largest = 0xfffffffe)
        : file_(&file), compression_(compression), largest_(largest) {}

    using Sink = std::function<void(const void* data, std::size_t bytes)>;
    // `write` gives the sink the entry's bytes, `bytes` of them. Throws IoError.
    void add(const std::string& name,
             std::uint64_t bytes,
             const std::function<void(const Sink&)>& write);
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
