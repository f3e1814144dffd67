// SPDX-License-Identifier: MIT
//
// ZipEntryReader: reads the bytes of one entry of a zip archive in order, and inflates deflated ones. It
// returns exactly as many bytes as the directory says. After the last byte it compares the checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "array/files/npy_data.hpp"
#include "array/files/zip_directory.hpp"
#include "files/input_file.hpp"

namespace kgen {

class ZipEntryReader final : public NpySource {
public:
    // Throws IoErrors that name neither the path nor the entry: for an encrypted entry, a compression other
    // than stored and deflated, impossible sizes, and a header that contradicts the directory.
    ZipEntryReader(const InputFile& file, const ZipEntry& entry);
    ~ZipEntryReader() override;

    std::uint64_t size_bytes() const noexcept override { return entry_->bytes; }
    // Throws IoError if the data are damaged.
    std::size_t read(void* buffer, std::size_t bytes) override;

private:
    class Inflater;

    void find_data();
    void read_packed(void* buffer, std::size_t bytes);

    const InputFile* file_;
    const ZipEntry* entry_;
    std::uint64_t data_offset_ = 0;
    std::uint64_t packed_done_ = 0;
    std::uint64_t done_ = 0;
    std::uint32_t crc_ = 0;
    std::unique_ptr<Inflater> inflater_;  // null if the entry is stored
};

}  // namespace kgen
