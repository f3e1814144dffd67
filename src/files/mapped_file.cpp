// SPDX-License-Identifier: MIT
#include "files/mapped_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <kgen/error.hpp>

namespace kgen {

MappedFile::MappedFile(const InputFile& file, Reading reading)
    : bytes_(static_cast<std::size_t>(file.size_bytes())) {
    const int flags = reading == Reading::at_once ? MAP_PRIVATE | MAP_POPULATE : MAP_PRIVATE;
    address_ = ::mmap(nullptr, bytes_, PROT_READ, flags, file.descriptor(), 0);
    if (address_ == MAP_FAILED) {
        throw IoError(fmt::format("cannot be mapped: {}", std::strerror(errno)));
    }
}

MappedFile::~MappedFile() {
    ::munmap(address_, bytes_);
}

}  // namespace kgen
