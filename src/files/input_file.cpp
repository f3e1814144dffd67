// SPDX-License-Identifier: MIT
#include "files/input_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <kgen/error.hpp>

namespace kgen {

InputFile::InputFile(const std::string& path, std::string_view expected)
    : file_(cache::open_to_read(path)) {
    if (!file_.is_open()) throw IoError(fmt::format("cannot be opened: {}", std::strerror(errno)));
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        throw IoError(S_ISDIR(status.st_mode) ? fmt::format("is a directory{}", expected)
                                              : "is not a regular file");
    }
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t InputFile::read_at(std::uint64_t offset, void* buffer, std::size_t bytes) const {
    int error = 0;
    const std::size_t done =
        cache::read_range(file_.get(), offset, {static_cast<std::byte*>(buffer), bytes}, error);
    if (error != 0) throw IoError(fmt::format("cannot be read: {}", std::strerror(error)));
    return done;
}

std::string InputFile::read_text(std::uint64_t offset, std::size_t bytes) const {
    std::string text(bytes, '\0');
    if (read_at(offset, text.data(), bytes) != bytes)
        throw IoError("became shorter while it was read");
    return text;
}

}  // namespace kgen
