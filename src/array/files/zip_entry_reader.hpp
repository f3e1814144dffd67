// SPDX-License-Identifier: MIT
//
// ZipEntryReader: the bytes of one entry of a zip archive, in order, inflated where they are deflated. Gives exactly as many as
// the directory says, and the checksum is compared with the last of them.
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
    // Compares the entry's own header with the directory. Throws IoError that names neither path nor entry: encrypted,
    // another compression than stored and deflated, sizes that cannot be, a header that says something else.
    ZipEntryReader(const InputFile& file, const ZipEntry& entry);
    ~ZipEntryReader() override;

    std::uint64_t size_bytes() const noexcept override { return entry_->bytes; }
    // Throws IoError if the bytes are damaged.
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
    std::unique_ptr<Inflater> inflater_;  // of a deflated entry
};

}  // namespace kgen
