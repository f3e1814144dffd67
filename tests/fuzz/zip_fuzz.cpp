// SPDX-License-Identifier: MIT
//
// Reads any bytes as a zip archive, like load_npz: the directory, then each entry to its end.
// An entry that opens must give exactly as many bytes as it promises.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <kgen/error.hpp>
#include <string>
#include <vector>

#include "array/files/zip_directory.hpp"
#include "array/files/zip_entry_reader.hpp"
#include "files/input_file.hpp"

using namespace kgen;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const int descriptor = ::memfd_create("archive.npz", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    if (::ftruncate(descriptor, 0) != 0) std::abort();
    if (::pwrite(descriptor, data, size, 0) != static_cast<::ssize_t>(size)) std::abort();
    const InputFile file(path, ".npz");
    std::vector<ZipEntry> entries;
    try {
        entries = read_zip_directory(file);
    } catch (const IoError&) {
        return 0;
    }
    std::vector<char> buffer(std::size_t{1} << 16);
    for (const ZipEntry& entry : entries) {
        try {
            ZipEntryReader reader(file, entry);
            std::uint64_t left = reader.size_bytes();
            while (left > 0) {
                const auto count =
                    static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size()));
                if (reader.read(buffer.data(), count) != count) std::abort();
                left -= count;
            }
            if (reader.read(buffer.data(), 1) != 0) std::abort();
        } catch (const IoError&) {
        }
    }
    return 0;
}
