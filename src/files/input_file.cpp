// SPDX-License-Identifier: MIT
#include "files/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <kgen/error.hpp>

namespace kgen {

InputFile::InputFile(const std::string& path, const char* kind) {
    // O_NONBLOCK, because opening a FIFO would wait for a writer.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) throw IoError(fmt::format("cannot be opened: {}", std::strerror(errno)));
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor_);
        throw IoError(S_ISDIR(status.st_mode) ? fmt::format("is a directory, not an {} file", kind)
                                              : "is not a regular file");
    }
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
    ::close(descriptor_);
}

std::size_t InputFile::read_at(std::uint64_t offset, void* buffer, std::size_t bytes) const {
    std::size_t done = 0;
    while (done < bytes) {
        const ::ssize_t count = ::pread(descriptor_,
                                        static_cast<char*>(buffer) + done,
                                        bytes - done,
                                        static_cast<::off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw IoError(fmt::format("cannot be read: {}", std::strerror(errno)));
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

}  // namespace kgen
